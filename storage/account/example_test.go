package account_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// A till gets a key that makes invoices of any country and does nothing else. Its secret is changed without a break: the old one works on for
// an hour.
func ExampleStore() {
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
	key, before, err := accounts.Create(ctx, account.NewKey{AccountID: shop.ID, Mode: account.Live, Name: "till", Entitlements: []string{"e-invoice:*:*:create"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Entitled(key.Entitlements, "e-invoice:ch:qr-bill:create"), account.Entitled(key.Entitlements, "e-invoice:ch:qr-bill:parse"))

	_, after, err := accounts.Rotate(ctx, shop.ID, account.Live, key.ID, time.Hour)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		_, errBefore := accounts.Verify(ctx, before)
		found, errAfter := accounts.Verify(ctx, after)
		fmt.Println(errors.Is(errBefore, account.ErrUnauthorized), found.Name, errAfter)
		hand.Add(2 * time.Hour)
	}
	// Output:
	// true false
	// false till <nil>
	// true till <nil>
}
