package peppol_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/peppol"
)

// A participant is found under the path of its identifier.
func Example() {
	buyer, err := peppol.ParseParticipant("iso6523-actorid-upis::0088:7315458756324")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(buyer.Scheme, buyer.ID)
	fmt.Println(peppol.GroupPath(buyer))
	// Output:
	// 0088 7315458756324
	// /iso6523-actorid-upis%3A%3A0088%3A7315458756324
}
