package fair_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/storage/fair"
)

// Of eight places, whoever asks for all gets half as long as nobody else holds any; another still finds some.
func ExampleShared() {
	places := fair.New(8, nil)
	for _, account := range []string{"busy", "other"} {
		n := 0
		for places.Take(account, 1, 0) {
			n++
		}
		fmt.Println(account, n)
	}
	// Output:
	// busy 4
	// other 2
}
