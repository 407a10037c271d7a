// Package await waits, in tests, for what other goroutines and processes do.
package await

import (
	"bytes"
	"sync"
	"time"
)

// T is what waiting needs of a test; testing.TB has it.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Patience is how long True waits: far longer than anything takes on a busy machine.
const Patience = 60 * time.Second

// True waits until the condition holds, which is asked again and again on the caller's goroutine. It ends the test when it never
// does; what names the condition.
func True(t T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(Patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

// Buffer is output that a test can read while others write. The zero Buffer is empty and ready.
type Buffer struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	discard bool
}

// Discard makes the buffer drop what is written from now on, for benchmarks.
func (b *Buffer) Discard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.discard = true
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.discard {
		return len(p), nil
	}
	return b.buf.Write(p)
}

// String gives what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
