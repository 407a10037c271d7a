package ratelimit_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/storage/ratelimit"
)

// Who asks without a pause is refused in the end and told when to come again; another key is served all the while.
func ExampleLimiter_Allow() {
	ctx := context.Background()
	limiter, err := ratelimit.New(ratelimit.Config{})
	if err != nil {
		log.Fatal(err)
	}
	rate := ratelimit.Rate{PerSecond: 1, Burst: 5}
	first, err := limiter.Allow(ctx, "key_busy", rate)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.Allowed, first.Limit, first.Remaining)
	refused := first
	for refused.Allowed {
		if refused, err = limiter.Allow(ctx, "key_busy", rate); err != nil {
			log.Fatal(err)
		}
	}
	other, err := limiter.Allow(ctx, "key_other", rate)
	fmt.Println(refused.Remaining, refused.Retry.Before(refused.Reset), other.Allowed, err)
	// Output:
	// true 5 4
	// 0 true true <nil>
}
