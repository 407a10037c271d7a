package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// slovakia: the IČO is the registration number (BT-30) under 0158, the DIČ the tax number (BT-32), the IČ DPH the VAT identifier (BT-31).
var slovakia = &nation{words: slovak, keys: []Step{
	registered(key{"ico", func(cs *invoice.CountrySpecific) *string { return &cs.ICO }}, "0158", nil),
	twin(key{"icDph", func(cs *invoice.CountrySpecific) *string { return &cs.ICDPH }}, "seller.vatId", sellerVATID),
	sellerTaxID(key{"dic", func(cs *invoice.CountrySpecific) *string { return &cs.DIC }}),
}}

var slovak = &words{
	dueNow: "Splatné ihneď, bez zľavy.", dueDays: "Splatné do %d dní od dátumu vyhotovenia.", dueOn: "Splatné do %s.",
	retention: "Zádržné", of: "z", payable: "splatné dňa",
	discountDays: "Skonto %s %% pri platbe do %d dní od dátumu vyhotovenia", day: dotted,
}
