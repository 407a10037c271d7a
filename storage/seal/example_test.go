package seal_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/storage/seal"
)

// Sealed bytes open for the row that they were made for, and for no other.
func Example() {
	sealer, err := seal.Open(seal.Config{Key: seal.NewKey()})
	if err != nil {
		log.Fatal(err)
	}
	sealed := sealer.Seal([]byte("whsec_…"), "endpoint we_1")
	plain, err := sealer.Open(sealed, "endpoint we_1")
	fmt.Println(string(plain), err)
	_, err = sealer.Open(sealed, "endpoint we_2")
	fmt.Println(err != nil, errors.Is(err, seal.ErrUnknownKey))
	// Output:
	// whsec_… <nil>
	// true false
}
