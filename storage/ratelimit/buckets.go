package ratelimit

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// buckets are those of this process. Of more keys than fit, the one that was asked for longest ago is forgotten: its bucket
// would be the likeliest to be full again.
type buckets struct {
	mu    sync.Mutex
	most  int
	byKey map[string]*list.Element
	order *list.List // of *bucket, the one that was asked for last in front
}

type bucket struct {
	key     string
	limiter *rate.Limiter
}

func newBuckets(most int) *buckets {
	return &buckets{most: most, byKey: make(map[string]*list.Element), order: list.New()}
}

// of gives the key's bucket, with the rate that holds now.
func (b *buckets) of(now time.Time, key string, r Rate) *rate.Limiter {
	e, ok := b.byKey[key]
	if !ok {
		if b.order.Len() >= b.most {
			last := b.order.Back()
			delete(b.byKey, b.order.Remove(last).(*bucket).key)
		}
		e = b.order.PushFront(&bucket{key, rate.NewLimiter(rate.Limit(r.PerSecond), r.Burst)})
		b.byKey[key] = e
	}
	b.order.MoveToFront(e)
	l := e.Value.(*bucket).limiter
	if l.Limit() != rate.Limit(r.PerSecond) || l.Burst() != r.Burst {
		l.SetLimitAt(now, rate.Limit(r.PerSecond))
		l.SetBurstAt(now, r.Burst)
	}
	return l
}

// take takes one request from the key's bucket.
func (b *buckets) take(now time.Time, key string, r Rate) Decision {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.of(now, key, r)
	d := Decision{Allowed: l.AllowN(now, 1), Limit: r.Burst}
	tokens := min(l.TokensAt(now), float64(r.Burst))
	d.Remaining = max(int(tokens), 0)
	d.Reset = now.Add(after(float64(r.Burst)-tokens, r))
	if !d.Allowed {
		d.Retry = now.Add(after(1-tokens, r))
	}
	return d
}

// after is how long so many tokens take to come.
func after(tokens float64, r Rate) time.Duration {
	return time.Duration(tokens / float64(r.PerSecond) * float64(time.Second))
}
