package outbox_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// A message to the queue is owed from the transaction of its cause on: it comes again, later each time, until a worker has the job and the
// entry is removed.
func Example() {
	database, done := dbtest.Temporary()
	defer done()
	ctx, hand := context.Background(), clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	owed, err := outbox.New(outbox.Config{Clock: hand}, database)
	if err != nil {
		log.Fatal(err)
	}
	err = database.Write(ctx, func(tx *db.Tx) error { // which writes the job's row as well
		return outbox.Add(tx, outbox.Entry{Kind: outbox.Enqueue, Subject: "job_1", Queue: names.Default, Run: 1, Due: hand.Now()})
	})
	if err != nil {
		log.Fatal(err)
	}
	for range 4 {
		first, err := owed.Due(ctx, names.Default, 10)
		if err != nil {
			log.Fatal(err)
		}
		again, err := owed.DueAgain(ctx, names.Default, 10)
		if err != nil {
			log.Fatal(err)
		}
		due := append(first, again...)
		fmt.Println(hand.Now().Format(time.TimeOnly), len(due))
		if err := owed.Enqueued(ctx, due); err != nil { // and nobody takes it
			log.Fatal(err)
		}
		hand.Add(outbox.EnqueueAgain)
	}
	err = database.Write(ctx, func(tx *db.Tx) error { return outbox.Remove(tx, outbox.Enqueue, "job_1") })
	hand.Add(time.Hour)
	due, errDue := owed.DueAgain(ctx, names.Default, 10)
	fmt.Println(len(due), err, errDue)
	// Output:
	// 12:00:00 1
	// 12:00:30 1
	// 12:01:00 0
	// 12:01:30 1
	// 0 <nil> <nil>
}
