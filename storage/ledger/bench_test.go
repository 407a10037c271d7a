package ledger

import (
	"strings"
	"sync/atomic"
	"testing"

	"einvoiced/storage/account"
)

// BenchmarkAccept measures how many jobs a second are on the disk, input and row, with callers beside each other.
func BenchmarkAccept(b *testing.B) {
	for _, callers := range []int{1, 16} {
		b.Run(map[int]string{1: "one-caller", 16: "32-callers"}[callers], func(b *testing.B) {
			f := newFixture(b)
			request := strings.Repeat("x", 8<<10)
			var failed atomic.Int64
			b.SetParallelism(callers)
			b.ResetTimer()
			run := func() {
				n := NewJob{Account: f.account, Mode: account.Test, Kind: "generate", Request: strings.NewReader(request)}
				if _, err := f.Accept(b.Context(), n); err != nil {
					failed.Add(1)
				}
			}
			if callers == 1 {
				for b.Loop() {
					run()
				}
			} else {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						run()
					}
				})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
			if failed.Load() > 0 {
				b.Fatalf("%d jobs were not accepted", failed.Load())
			}
		})
	}
}
