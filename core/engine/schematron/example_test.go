package schematron_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// A rule set is read, compiled once, and asked about documents; a message says what was found.
func Example() {
	files := fstest.MapFS{"rules.sch": {Data: []byte(`<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
	  <pattern><rule context="line">
	    <assert id="L-1" flag="fatal" test="number(@amount) ge 0">The amount is <value-of select="@amount"/>; it must not be negative.</assert>
	  </rule></pattern></schema>`)}}
	rules, err := schematron.Read(files, "rules.sch", schematron.Options{})
	if err != nil {
		log.Fatal(err)
	}
	program, err := schematron.Compile(rules, files, schematron.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse([]byte(`<order><line amount="3"/><line amount="-2"/></order>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	verdict, err := program.Evaluate(context.Background(), doc, schematron.EvaluateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range verdict.Fired {
		fmt.Println(f.Assertion.ID, f.Count, f.Messages[0])
	}
	// Output: L-1 1 The amount is -2; it must not be negative.
}
