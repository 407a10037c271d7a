package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// czechia: the IČO is the registration number (BT-30) under 0154, the variable symbol the remittance information (BT-83). The DIČ of a
// payer of VAT is the VAT identifier (BT-31), that of others a tax number (BT-32). EN 16931 has no place for further symbols.
var czechia = &nation{words: czech, keys: []Step{
	registered(key{"ico", func(cs *invoice.CountrySpecific) *string { return &cs.ICO }}, "0154", nil),
	czechTaxNumber,
	twin(key{"variableSymbol", func(cs *invoice.CountrySpecific) *string { return &cs.VariableSymbol }}, "paymentReference", paymentReferenceOf),
}}

var czech = &words{
	dueNow: "Splatné ihned, bez skonta.", dueDays: "Splatné do %d dnů od data vystavení.", dueOn: "Splatné do %s.",
	retention: "Zádržné", of: "z", payable: "splatné dne",
	discountDays: "Skonto %s %% při platbě do %d dnů od data vystavení", day: dotted,
}

// czechTaxNumber puts the DIČ in its place.
var czechTaxNumber = Step{
	Name:  "Czech tax number",
	Moves: []Move{{"countrySpecific.dic", "seller.vatId"}, {"countrySpecific.dic", "seller.taxId"}, {"countrySpecific.vatPayer", "seller.vatId"}},
	Derive: func(d *Draft) {
		cs, seller := d.Invoice.CountrySpecific, d.Invoice.Seller
		if cs == nil || seller == nil || cs.DIC == "" {
			return
		}
		if cs.VATPayer != nil && !*cs.VATPayer {
			moveInto(&seller.TaxID, &cs.DIC)
		} else {
			moveInto(&seller.VATID, &cs.DIC)
		}
		if cs.DIC == "" {
			cs.VATPayer = nil
		}
	},
}
