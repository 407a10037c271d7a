package db_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/einvoiced/einvoiced/storage/db"
)

// Two rows that belong together are written together or not at all, on SQLite as on PostgreSQL.
func Example() {
	folder, err := os.MkdirTemp("", "einvoiced-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	ctx := context.Background()
	database, err := db.Open(ctx, db.Config{Path: filepath.Join(folder, "einvoiced.db")}) // with URL it is PostgreSQL
	if err != nil {
		log.Fatal(err)
	}
	defer database.Close()

	write := func(number string, total int, then error) error { // amounts in cents
		return database.Write(ctx, func(tx *db.Tx) error {
			if err := tx.Later("CREATE TABLE IF NOT EXISTS example (number TEXT, total INTEGER)"); err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT INTO example (number, total) VALUES (?, ?)", number, total); err != nil {
				return err
			}
			return then
		})
	}
	fmt.Println(write("2026-0117", 11900, nil))
	fmt.Println(write("2026-0118", 5950, errors.New("the invoice was withdrawn")))
	var rows []struct {
		Number string `db:"number"`
		Total  int    `db:"total"`
	}
	err = database.Select(ctx, &rows, "SELECT number, total FROM example")
	fmt.Println(rows, err)
	// Output:
	// <nil>
	// the invoice was withdrawn
	// [{2026-0117 11900}] <nil>
}
