package id_test

import (
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/id"
)

// Ids sort by the time of their making.
func Example() {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	first, second := id.New("job", now), id.New("job", now.Add(time.Millisecond))
	fmt.Println(first < second, id.Valid("job", first), id.Valid("dlv", first))
	// Output: true true false
}
