package judge

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestOfBook_Shipped ensures that each rulebook that ships compiles, to something that judges.
func TestOfBook_Shipped(t *testing.T) {
	for _, book := range shippedBooks(t).Books() {
		if set, err := OfBook(book); err != nil || len(set.Schemas)+len(set.Rules) == 0 {
			t.Errorf("%s: %v", book.Name(), err)
		}
	}
}

// BenchmarkOfBook_Shipped measures how long it takes until all rulebooks that ship are compiled, on all cores.
func BenchmarkOfBook_Shipped(b *testing.B) {
	for b.Loop() {
		books := shippedBooks(b).Books()
		var next atomic.Int64
		done := make(chan error)
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for i := next.Add(1) - 1; int(i) < len(books); i = next.Add(1) - 1 {
					if _, err := OfBook(books[i]); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range runtime.GOMAXPROCS(0) {
			if err := <-done; err != nil {
				b.Error(err)
			}
		}
	}
}
