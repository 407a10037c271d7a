package webhook_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/volume"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

// open lets every URL through, and needs nobody to be told.
type open struct{}

func (open) Check(context.Context, string) error { return nil }
func (open) EnqueueSoon(string, string, int64)   {}

// An invoice was made, and a shop wants to hear of it. Its server is down at first: the same delivery is attempted again a minute later.
func Example() {
	database, done := dbtest.Temporary()
	defer done()
	ctx, hand := context.Background(), clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	accounts, err := account.New(account.Config{Clock: hand}, database)
	if err != nil {
		log.Fatal(err)
	}
	shop, err := accounts.CreateAccount(ctx, "Muster Uhren AG")
	if err != nil {
		log.Fatal(err)
	}
	sealer, err := seal.Open(seal.Config{Key: seal.NewKey()})
	if err != nil {
		log.Fatal(err)
	}
	prompt := func(time.Duration) time.Duration { return 0 }
	store, err := webhook.New(webhook.Config{Clock: hand, Jitter: prompt}, database, sealer, open{}, open{})
	if err != nil {
		log.Fatal(err)
	}
	url := "https://shop.example/einvoiced"
	if _, _, err := store.Create(ctx, shop.ID, account.Live, webhook.Change{URL: &url, Events: &[]string{"invoice.created"}}); err != nil {
		log.Fatal(err)
	}

	var told ledger.Published
	err = database.Write(ctx, func(tx *db.Tx) error { // that of the cause
		publish, err := store.Ask(tx, shop.ID, account.Live)
		if err == nil {
			told, err = publish(ledger.Event{Type: "invoice.created", Object: []byte(`{"invoiceNumber": "2026-0417"}`)}, ledger.Event{Type: "job.succeeded"})
		}
		if err != nil {
			return err
		}
		return volume.Count(tx, shop.ID, told.Bytes)
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, status := range []int{503, 200} {
		sending, err := store.Claim(ctx, told.Messages[0].Subject)
		if err != nil {
			log.Fatal(err)
		}
		settled, err := store.Settle(ctx, sending, webhook.Result{Started: hand.Now(), Status: status})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(sending.Event, sending.Attempt, status, settled.State)
		if !settled.Next.IsZero() {
			fmt.Println("again after", settled.Next.Sub(hand.Now()))
		}
		hand.Add(time.Minute)
	}
	fmt.Println(len(told.Messages), "delivery: nobody wants the other event")
	// Output:
	// invoice.created 1 503 pending
	// again after 1m0s
	// invoice.created 2 200 delivered
	// 1 delivery: nobody wants the other event
}
