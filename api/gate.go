package api

import (
	"net/http"
	"sync"

	"einvoiced/core/finding"
)

// gate admits requests with a body: so many at a time, holding so many bytes. It never lets a request wait while it holds
// memory, so that requests cannot starve each other; what does not fit is refused at once with 429.
type gate struct {
	mu       sync.Mutex
	requests int   // that may still enter
	bytes    int64 // that may still be held
}

func newGate(requests int, bytes int64) *gate { return &gate{requests: requests, bytes: bytes} }

// enter admits one request; the lease must be released.
func (g *gate) enter() (*lease, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.requests == 0 {
		return nil, errBusy()
	}
	g.requests--
	return &lease{gate: g}, nil
}

// lease is what one admitted request holds.
type lease struct {
	gate     *gate
	bytes    int64
	released bool
}

// step is the unit in which a lease grows, so that a body does not lock the gate at every read.
const step = 64 << 10

// hold makes the lease cover n bytes, more or fewer than before.
func (l *lease) hold(n int64) error {
	n = (n + step - 1) / step * step
	if n == l.bytes {
		return nil
	}
	l.gate.mu.Lock()
	defer l.gate.mu.Unlock()
	if l.released || n-l.bytes > l.gate.bytes {
		return errBusy()
	}
	l.gate.bytes -= n - l.bytes
	l.bytes = n
	return nil
}

// release gives everything back; it may be called more than once.
func (l *lease) release() {
	l.gate.mu.Lock()
	defer l.gate.mu.Unlock()
	if l.released {
		return
	}
	l.released = true
	l.gate.requests++
	l.gate.bytes += l.bytes
	l.bytes = 0
}

// errBusy is the contract's 429 without quota, which clients answer with exponential backoff; it must carry no Retry-After.
func errBusy() error {
	p := &problem{status: http.StatusTooManyRequests}
	p.Refusal = finding.Refusal{Word: "RATE_LIMITED", Message: "The server is working at its capacity; retry with exponential backoff"}
	return p.with("Connection", "close")
}
