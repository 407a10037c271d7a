package peppol

import (
	"errors"
	"sync"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"
)

// cache remembers answers, and that there is none. It is bounded: a full one starts anew.
type cache[T any] struct {
	cfg NetworkConfig
	mu  sync.Mutex
	m   map[string]remembered[T]
}

type remembered[T any] struct {
	value T
	err   error // core.ErrUnregistered, or nil
	until time.Time
}

// unknownFor is how long it is remembered that a participant is not registered, at most.
const unknownFor = time.Minute

func (c *cache[T]) limit(cfg NetworkConfig) { c.cfg = cfg }

// get gives what is remembered, or asks. Errors other than that there is no answer are not remembered.
func (c *cache[T]) get(key string, ask func() (T, error)) (T, error) {
	now := c.cfg.Now()
	c.mu.Lock()
	known, ok := c.m[key]
	c.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.value, known.err
	}
	value, err := ask()
	lasting := c.cfg.Known
	if err != nil {
		if !errors.Is(err, core.ErrUnregistered) {
			return value, err
		}
		lasting = min(lasting, unknownFor)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= c.cfg.Most {
		c.m = map[string]remembered[T]{}
	}
	c.m[key] = remembered[T]{value, err, now.Add(lasting)}
	return value, err
}
