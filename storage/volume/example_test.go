package volume_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// An account may have 1,000 bytes stored: it is asked before they come, and they are counted in the transaction that stores them.
func Example() {
	ctx := context.Background()
	database, done := dbtest.Temporary()
	defer done()
	accounts, err := account.New(account.Config{}, database)
	if err != nil {
		log.Fatal(err)
	}
	shop, err := accounts.CreateAccount(ctx, "Muster Uhren AG")
	if err != nil {
		log.Fatal(err)
	}
	limit := volume.NewLimit(database, clock.System{}, 1000)
	for _, bytes := range []int64{400, 500, 200} {
		err := limit.Admit(ctx, shop.ID, bytes)
		var full *volume.ExceededError
		if errors.As(err, &full) {
			fmt.Println(bytes, "bytes are refused:", full)
			continue
		}
		if err == nil {
			err = database.Write(ctx, func(tx *db.Tx) error { return volume.Count(tx, shop.ID, bytes) })
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(bytes, "bytes are stored")
	}
	// Output:
	// 400 bytes are stored
	// 500 bytes are stored
	// 200 bytes are refused: 900 of 1000 bytes are stored
}
