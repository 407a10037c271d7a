package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// deaf is a queue that loses every message, which changes nothing but the time.
type deaf struct{}

func (deaf) EnqueueSoon(string, string, int64) {}

// A job from its acceptance to its answer. A worker that was thought dead comes back: its run has lost the job, and nothing of it counts.
func Example() {
	database, done := dbtest.Temporary()
	defer done()
	folder, err := os.MkdirTemp("", "einvoiced-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	blobs, err := blob.OpenFolder(folder)
	if err != nil {
		log.Fatal(err)
	}
	defer blobs.Close()
	ctx, hand := context.Background(), clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	accounts, err := account.New(account.Config{Clock: hand}, database)
	if err != nil {
		log.Fatal(err)
	}
	shop, err := accounts.CreateAccount(ctx, "Muster Uhren AG")
	if err != nil {
		log.Fatal(err)
	}
	jobs, err := ledger.New(ledger.Config{Clock: hand, Logger: slog.New(slog.DiscardHandler)}, database, blobs, deaf{})
	if err != nil {
		log.Fatal(err)
	}

	accepted, err := jobs.Accept(ctx, ledger.NewJob{Account: shop.ID, Mode: account.Live, Kind: "parse", Request: strings.NewReader("<Invoice/>")})
	if err != nil {
		log.Fatal(err)
	}
	slow, err := jobs.Claim(ctx, accepted.Queue, accepted.ID)
	if err != nil {
		log.Fatal(err)
	}
	hand.Add(time.Minute) // without a beat of the worker
	if _, err := jobs.Reap(ctx); err != nil {
		log.Fatal(err)
	}
	again, err := jobs.ClaimSuspect(ctx, accepted.ID, func(ledger.Job) bool { return true })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("runs", slow.Run, again.Run)

	answer := ledger.Output{Status: 200, Answer: ledger.Bytes(`{"invoice": {"invoiceNumber": "2026-0117"}}`)}
	fmt.Println("too late:", errors.Is(jobs.Finish(ctx, slow, answer), ledger.ErrLost))
	fmt.Println("in time:", jobs.Finish(ctx, again, answer))
	ended, err := jobs.Get(ctx, shop.ID, account.Live, accepted.ID)
	if err != nil {
		log.Fatal(err)
	}
	told, err := jobs.Answer(ctx, ended)
	fmt.Println(ended.State, string(told), err)
	// Output:
	// runs 1 2
	// too late: true
	// in time: <nil>
	// succeeded {"invoice": {"invoiceNumber": "2026-0117"}} <nil>
}
