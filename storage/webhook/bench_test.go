package webhook

import (
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// BenchmarkPublish measures what an event adds to the transaction of its cause: with nobody who wants it, and with one who does.
func BenchmarkPublish(b *testing.B) {
	for name, endpoints := range map[string]int{"nobody": 0, "one": 1} {
		b.Run(name, func(b *testing.B) {
			f := newFixture(b)
			for range endpoints {
				f.endpoint(b)
			}
			e := ledger.Event{Type: "invoice.created", Object: []byte(`{"invoiceNumber":"R-1","format":"xrechnung","filename":"R-1.xml","hash":"00"}`)}
			do(b, f.db.Write(b.Context(), func(tx *db.Tx) error {
				for b.Loop() {
					if _, err := f.Publish(tx, f.acc, account.Test, e); err != nil {
						return err
					}
				}
				return nil
			}))
		})
	}
}

// BenchmarkAttempt measures what an attempt costs the database, 16 beside each other: claim and result, each synced to the disk.
func BenchmarkAttempt(b *testing.B) {
	f := newFixture(b)
	f.endpoint(b)
	ids := make(chan string, b.N)
	for range b.N {
		ids <- f.delivery(b)
	}
	close(ids)
	b.ResetTimer()
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() {
			for id := range ids {
				s, err := f.Claim(b.Context(), id)
				if err == nil {
					_, err = f.Settle(b.Context(), s, f.result(200))
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	work.Wait()
}

// BenchmarkExpire measures the removal of an event with its delivery and one attempt.
func BenchmarkExpire(b *testing.B) {
	f := newFixture(b)
	f.endpoint(b)
	for range b.N {
		f.attempt(b, f.delivery(b), 200)
		f.clock.Add(time.Second)
	}
	f.clock.Add(8 * 24 * time.Hour)
	b.ResetTimer()
	for n := -1; n != 0; {
		var err error
		n, err = f.Expire(b.Context())
		do(b, err)
	}
}
