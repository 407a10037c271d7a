package peppol_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/storage/seal"
)

// An invoice on its way to Sweden: its document is handed over by the run of a job, the receipt comes, and after that no later run sends it once
// more. The log has each step.
func Example() {
	database, done := dbtest.Temporary()
	defer done()
	ctx, hand := context.Background(), clock.NewHand(time.Date(2026, 9, 1, 8, 30, 0, 0, time.UTC))
	accounts, err := account.New(account.Config{Clock: hand}, database)
	if err != nil {
		log.Fatal(err)
	}
	seller, err := accounts.CreateAccount(ctx, "Exempel AB")
	if err != nil {
		log.Fatal(err)
	}
	sealer, err := seal.Open(seal.Config{Key: seal.NewKey()})
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "documents")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	blobs, err := blob.OpenFolder(folder)
	if err != nil {
		log.Fatal(err)
	}
	defer blobs.Close()
	store, err := peppol.New(peppol.Config{Clock: hand}, database, blobs, sealer)
	if err != nil {
		log.Fatal(err)
	}
	sent := peppol.Transmission{ID: store.NewID(), Account: seller.ID, Mode: account.Live, MessageID: "3739db04-7e4e-4c89-b170-c543dd252249", JobID: "job_1",
		Sender: "0007:5567321707", Recipient: "0088:7315458756324", InvoiceNumber: "TOSL108", Created: store.Now()}
	document, err := store.Keep(ctx, seller.ID, sent.ID, []byte("<StandardBusinessDocument/>"))
	if err != nil {
		log.Fatal(err)
	}
	err = database.Write(ctx, func(tx *db.Tx) error { return store.Insert(tx, sent, document) })
	if err != nil {
		log.Fatal(err)
	}
	attempt, err := store.Begin(ctx, sent.ID, "job_1", 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(attempt.InvoiceNumber, string(attempt.Document))
	for _, state := range []peppol.State{peppol.Sent, peppol.Delivered} {
		if err := store.Settle(ctx, attempt, peppol.Outcome{State: state}); err != nil {
			log.Fatal(err)
		}
	}
	_, err = store.Begin(ctx, sent.ID, "job_1", 2)
	fmt.Println(errors.Is(err, peppol.ErrSettled))
	events, err := store.Events(ctx, seller.ID, account.Live, sent.ID)
	for _, e := range events {
		fmt.Println(e.Number, e.Type)
	}
	fmt.Println(err)
	// Output:
	// TOSL108 <StandardBusinessDocument/>
	// true
	// 1 queued
	// 2 sending
	// 3 sent
	// 4 delivered
	// <nil>
}
