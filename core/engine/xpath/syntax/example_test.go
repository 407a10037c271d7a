package syntax_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
)

// Rule BR-CO-15 of EN 16931 on UBL as a tree: Print shows how its operators are grouped, and spells out what was abbreviated.
func ExampleParse() {
	rule, err := syntax.Parse("cbc:TaxInclusiveAmount = cbc:TaxExclusiveAmount + sum(../cac:TaxTotal/cbc:TaxAmount)")
	if err != nil {
		log.Fatal(err)
	}
	comparison := rule.(*syntax.Binary)
	fmt.Println(syntax.Print(comparison.Left))
	fmt.Println(comparison.Op)
	fmt.Println(syntax.Print(comparison.Right))

	_, err = syntax.Parse("sum(//cac:InvoiceLine/cbc:LineExtensionAmount")
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		fmt.Println("at byte", wrong.Offset, wrong.Reason)
	}
	// Output:
	// child::cbc:TaxInclusiveAmount
	// =
	// (child::cbc:TaxExclusiveAmount) + sum(parent::node()/child::cac:TaxTotal/child::cbc:TaxAmount)
	// at byte 45 found the end where ')' is expected
}
