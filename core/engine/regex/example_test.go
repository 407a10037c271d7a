package regex_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/regex"
)

// The pattern of an XML Schema type matches the whole value, that of fn:matches any part of it.
func Example() {
	country, err := regex.CompileSchema(`[A-Z]{2}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(country.Match("DE"), country.Match("DEU"))

	reference, err := regex.Compile(`(\d+)-(\d+)`, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reference.Match("order 04011000-12345 of today"))
	fmt.Println(reference.Replace("04011000-12345", "$2/$1"))
	// Output:
	// true false
	// true
	// 12345/04011000 <nil>
}
