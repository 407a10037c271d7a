package generation_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/generation"
)

// A process has loaded another XRechnung and says so; the others see a number that is not theirs, and load anew. Who has loaded the same gets
// the same number.
func ExampleStore_Announce() {
	database, done := dbtest.Temporary()
	defer done()
	ctx, cfg := context.Background(), generation.Config{Clock: clock.NewHand(time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC))}
	one, other := generation.New(cfg, database), generation.New(cfg, database)
	announce := func(by *generation.Store, digest string) {
		g, err := by.Announce(ctx, strings.Repeat(digest, 64))
		if err != nil {
			log.Fatal(err)
		}
		latest, err := other.Latest(ctx)
		fmt.Println(g.Number, latest.Number, latest.Loaded.Format(time.DateOnly), err)
	}
	announce(one, "a")
	announce(other, "a")
	announce(one, "b")
	// Output:
	// 1 1 2026-09-01 <nil>
	// 1 1 2026-09-01 <nil>
	// 2 2 2026-09-01 <nil>
}
