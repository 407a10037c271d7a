package api

import (
	"sync"

	"golang.org/x/time/rate"
)

// maxLimiters bounds the memory of limiters; beyond it the whole memory starts anew.
const maxLimiters = 10_000

// limiters are token buckets of one kind, one for each key that came.
type limiters[K comparable] struct {
	limit rate.Limit // tokens a second
	burst int        // tokens that a bucket holds

	mu    sync.Mutex
	byKey map[K]*rate.Limiter
}

func newLimiters[K comparable](limit rate.Limit, burst int) *limiters[K] {
	return &limiters[K]{limit: limit, burst: burst, byKey: map[K]*rate.Limiter{}}
}

// of gives the bucket of a key.
func (l *limiters[K]) of(key K) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket, ok := l.byKey[key]
	if !ok {
		if len(l.byKey) >= maxLimiters {
			clear(l.byKey)
		}
		bucket = rate.NewLimiter(l.limit, l.burst)
		l.byKey[key] = bucket
	}
	return bucket
}
