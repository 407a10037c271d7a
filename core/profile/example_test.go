package profile_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// XRechnung asks for a buyer reference: the Leitweg-ID of the caller is it.
func ExampleProfile_Derive() {
	inv := &invoice.Invoice{CountrySpecific: &invoice.CountrySpecific{LeitwegID: "04011000-12345-03"}}
	draft := profile.XRechnung().Derive(inv)
	fmt.Println(draft.Invoice.BuyerReference, draft.Original("buyerReference"))
	// Output: 04011000-12345-03 countrySpecific.leitwegId
}
