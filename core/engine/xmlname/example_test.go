package xmlname_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmlname"
)

func ExampleSplitQName() {
	fmt.Println(xmlname.SplitQName("cbc:ID"))
	fmt.Println(xmlname.SplitQName("cbc:"))
	// Output:
	// cbc ID true
	// cbc  false
}
