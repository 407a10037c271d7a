package ledger

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// together does b.N things by some callers beside each other and reports how many were done in a second.
func together(b *testing.B, callers int, do func(n int64) error) {
	var next, failed atomic.Int64
	var work sync.WaitGroup
	b.ResetTimer()
	for range callers {
		work.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := do(n); err != nil && failed.Add(1) == 1 {
					b.Error(err)
				}
			}
		})
	}
	work.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}

// BenchmarkAccept measures how many jobs a second are on the disk, input and row.
func BenchmarkAccept(b *testing.B) {
	for _, c := range []struct {
		name    string
		callers int
		size    int
	}{{"one-caller", 1, 8 << 10}, {"16-callers", 16, 8 << 10}, {"16-callers-large", 16, 64 << 10}} {
		b.Run(c.name, func(b *testing.B) {
			f := newFixture(b)
			request := strings.Repeat("x", c.size)
			together(b, c.callers, func(int64) error {
				_, err := f.Accept(context.Background(), f.newJob(request))
				return err
			})
		})
	}
}

// BenchmarkLife measures jobs from their acceptance to their end, with input, answer and document of the size of a small invoice.
func BenchmarkLife(b *testing.B) {
	for _, c := range []struct {
		name    string
		waiting int // jobs of another account that wait meanwhile
		charged bool
	}{{"test-key", 0, false}, {"live-key", 0, true}, {"beside-10000", 10_000, false}} {
		b.Run(c.name, func(b *testing.B) {
			f := newFixture(b, func(c *Config) { c.Publisher = nil })
			if c.waiting > 0 {
				f.acceptBatch(b, c.waiting)
			}
			f.account = f.newAccount(b)
			request, out := strings.Repeat("x", 8<<10), done
			out.Answer, out.Document = Bytes(request), &Document{"re.xml", "application/xml", Bytes(request)}
			together(b, 16, func(int64) error {
				n := f.newJob(request)
				if c.charged {
					n = f.charged(request)
				}
				job, err := f.Accept(context.Background(), n)
				if err != nil {
					return err
				}
				run, err := f.Claim(context.Background(), names.Default, job.ID)
				if err != nil {
					return err
				}
				if _, err := f.Input(context.Background(), run); err != nil {
					return err
				}
				return f.Finish(context.Background(), run, out)
			})
		})
	}
}

// BenchmarkBatch measures a batch of jobs, streamed and committed.
func BenchmarkBatch(b *testing.B) {
	f := newFixture(b)
	b.ResetTimer()
	f.acceptBatch(b, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
}
