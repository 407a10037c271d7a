package country_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/country"
)

// The facts of all countries ship with the program.
func Example() {
	set, err := country.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	c, known := set.Country("CZ")
	fmt.Println(c.Code, known, set.Language("cs"))
	// Output: CZ true Czech
}
