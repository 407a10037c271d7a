package templates_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/templates"
)

// The letterhead of a shop is changed: the version before stays, so that an invoice can be made again as it was. Who has changed that one
// meanwhile is not written over.
func ExampleStore_Update() {
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
	store, owner := templates.New(database, hand), templates.Owner{Account: shop.ID, Mode: account.Live}
	made, err := store.Create(ctx, owner, templates.Change{Name: "Letterhead", Text: []byte(`{"name": "Rue du Lac 12b"}`)})
	if err != nil {
		log.Fatal(err)
	}
	change := templates.Change{Name: "Letterhead", Text: []byte(`{"name": "Marktgasse 20"}`), Of: made.Version}
	changed, err := store.Update(ctx, owner, made.ID, change)
	fmt.Println(changed.Version, err)
	_, err = store.Update(ctx, owner, made.ID, change)
	fmt.Println(errors.Is(err, templates.ErrChanged))
	for _, version := range []int{1, 0} { // 0 is the present one
		got, err := store.Get(ctx, owner, made.ID, version)
		fmt.Println(got.Version, string(got.Text), err)
	}
	// Output:
	// 2 <nil>
	// true
	// 1 {"name": "Rue du Lac 12b"} <nil>
	// 2 {"name": "Marktgasse 20"} <nil>
}
