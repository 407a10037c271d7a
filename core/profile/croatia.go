package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// croatia: the OIB is the tax number (BT-32), unless it is the VAT identifier without HR. The other keys are those of HR-FISK.
var croatia = &nation{words: croatian, keys: []Step{sellerTaxID(key{"oib", func(cs *invoice.CountrySpecific) *string { return &cs.OIB }})}}

var croatian = &words{
	dueNow: "Plativo odmah, bez popusta.", dueDays: "Plativo u roku od %d dana od datuma računa.", dueOn: "Plativo do %s.",
	retention: "Zadržani iznos jamstva", of: "od", payable: "dospijeva",
	discountDays: "Popust %s %% za plaćanje u roku od %d dana od datuma računa", day: dotted,
}
