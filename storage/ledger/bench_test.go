package ledger

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkAccept measures how many jobs a second are on the disk, input and row, with callers beside each other.
func BenchmarkAccept(b *testing.B) {
	for _, c := range []struct {
		name    string
		callers int
	}{{"one-caller", 1}, {"32-callers", 32}} {
		b.Run(c.name, func(b *testing.B) {
			f := newFixture(b)
			request := strings.Repeat("x", 8<<10)
			var next, failed atomic.Int64
			var work sync.WaitGroup
			b.ResetTimer()
			for range c.callers {
				work.Go(func() {
					for next.Add(1) <= int64(b.N) {
						if _, err := f.Accept(b.Context(), f.newJob(request)); err != nil {
							failed.Add(1)
						}
					}
				})
			}
			work.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
			if failed.Load() > 0 {
				b.Fatalf("%d jobs were not accepted", failed.Load())
			}
		})
	}
}
