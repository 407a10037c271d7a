package api

import (
	"net/http"
	"sync"

	"github.com/einvoiced/einvoiced/core/finding"
)

// capacity bounds what requests with a body cost together: the bytes that are held, and the requests whose body has come and that
// are worked on. A body that comes slowly takes no more than its bytes. Nothing waits for capacity, so that requests cannot
// starve each other; what does not fit is refused at once with 429.
type capacity struct {
	mu       sync.Mutex
	requests int   // that may still be worked on
	bytes    int64 // that may still be held
}

func newCapacity(requests int, bytes int64) *capacity {
	return &capacity{requests: requests, bytes: bytes}
}

// lease is what one request holds; it must be released.
type lease struct {
	capacity *capacity
	bytes    int64
	working  bool
	released bool
}

// work admits the request to be worked on.
func (l *lease) work() error {
	l.capacity.mu.Lock()
	defer l.capacity.mu.Unlock()
	if l.capacity.requests == 0 {
		return errBusy()
	}
	l.capacity.requests--
	l.working = true
	return nil
}

// step is the unit in which a lease grows, so that a body does not lock the capacity at every read.
const step = 16 << 10

// hold makes the lease cover n bytes, more or fewer than before.
func (l *lease) hold(n int64) error {
	n = (n + step - 1) / step * step
	if n == l.bytes {
		return nil
	}
	l.capacity.mu.Lock()
	defer l.capacity.mu.Unlock()
	if l.released || n-l.bytes > l.capacity.bytes {
		return errBusy()
	}
	l.capacity.bytes -= n - l.bytes
	l.bytes = n
	return nil
}

// release gives everything back; it may be called more than once.
func (l *lease) release() {
	l.capacity.mu.Lock()
	defer l.capacity.mu.Unlock()
	if l.released {
		return
	}
	l.released = true
	if l.working {
		l.capacity.requests++
	}
	l.capacity.bytes += l.bytes
	l.bytes = 0
}

// errBusy is the contract's 429 without quota, which clients answer with exponential backoff; it must carry no Retry-After.
func errBusy() error {
	p := &problem{status: http.StatusTooManyRequests}
	p.Refusal = finding.Refusal{Word: "RATE_LIMITED", Message: "The server is working at its capacity; retry with exponential backoff"}
	return p.with("Connection", "close")
}
