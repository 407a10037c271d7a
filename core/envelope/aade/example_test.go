package aade_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/aade"
)

// What the authority answers becomes the document that its invoices are.
func ExampleUnwrap() {
	answer := `<RequestedDoc xmlns="http://www.aade.gr/myDATA/invoice/v1.0"><invoicesDoc><invoice><mark>400001</mark></invoice></invoicesDoc>` +
		`<cancelledInvoicesDoc><cancelledInvoice><invoiceMark>400000</invoiceMark></cancelledInvoice></cancelledInvoicesDoc></RequestedDoc>`
	doc, err := xmltree.Parse([]byte(answer), xmltree.Options{})
	if err != nil {
		panic(err)
	}
	defer doc.Release()
	invoices, beside, err := aade.Unwrap(doc)
	fmt.Printf("%s\n%s %v\n", invoices, beside, err)
	// Output:
	// <InvoicesDoc xmlns="http://www.aade.gr/myDATA/invoice/v1.0"><invoice><mark>400001</mark></invoice></InvoicesDoc>
	// [cancelledInvoicesDoc] <nil>
}
