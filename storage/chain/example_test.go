package chain_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// Spanish invoices are registered one behind the other, each record with the hash of the one before. The same invoice once more adds nothing.
func ExampleStore_Append() {
	database, done := dbtest.Temporary()
	defer done()
	ctx, hand := context.Background(), clock.NewHand(time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC))
	accounts, err := account.New(account.Config{Clock: hand}, database)
	if err != nil {
		log.Fatal(err)
	}
	seller, err := accounts.CreateAccount(ctx, "Ejemplo Talleres SL")
	if err != nil {
		log.Fatal(err)
	}
	store := chain.New(hand, database)
	for _, number := range []string{"FE-13", "FE-14", "FE-14"} {
		entry := chain.Entry{Number: number, Day: "05-03-2026", Content: number, Make: func(last *chain.Record, at time.Time) (chain.Record, error) {
			r := chain.Record{Generated: at.Format(time.RFC3339), Type: "F1", Tax: "21.00", Total: "121.00", Document: []byte("<RegistroAlta/>")}
			if last != nil {
				r.Previous = last.Hash
			}
			sum := sha256.Sum256([]byte(number + r.Tax + r.Total + r.Previous + r.Generated)) // the law says what is hashed; see core/verifactu
			r.Hash = hex.EncodeToString(sum[:])
			return r, nil
		}}
		err := database.Write(ctx, func(tx *db.Tx) error {
			record, appended, err := store.Append(tx, chain.Owner{Account: seller.ID, Mode: account.Live, Issuer: "B12345674", Installation: "1"}, entry)
			if err == nil {
				fmt.Printf("%d %s %t: %.6s after %.6q\n", record.Position, record.Number, appended, record.Hash, record.Previous)
			}
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1 FE-13 true: f06a95 after ""
	// 2 FE-14 true: 45a020 after "f06a95"
	// 2 FE-14 false: 45a020 after "f06a95"
}
