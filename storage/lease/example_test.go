package lease_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/lease"
)

// Of all processes on a database one does what is to be done once, such as sending records to the tax office. The number of its term tells what
// it writes from what an earlier holder writes too late.
func ExampleLease_Hold() {
	database, done := dbtest.Temporary()
	defer done()
	for _, process := range []string{"first", "second"} {
		l, err := lease.New(lease.Config{Name: "submissions", Holder: process, Logger: slog.New(slog.DiscardHandler)}, database)
		if err != nil {
			log.Fatal(err)
		}
		l.Hold(context.Background(), func(ctx context.Context) { fmt.Println(process, "holds it in term", lease.Fence(ctx)) })
	}
	// Output:
	// first holds it in term 1
	// second holds it in term 2
}
