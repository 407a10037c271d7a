package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// lithuania: the code of the legal entity is the registration number (BT-30) under 0200.
var lithuania = &nation{words: lithuanian, keys: []Step{registered(key{"companyCode", func(cs *invoice.CountrySpecific) *string { return &cs.CompanyCode }}, "0200", nil)}}

var lithuanian = &words{
	dueNow: "Apmokėti nedelsiant.", dueDays: "Apmokėti per %d d. nuo sąskaitos datos.", dueOn: "Apmokėti iki %s.",
	retention: "Garantinis sulaikymas", of: "nuo", payable: "mokėtina",
	discountDays: "%s %% nuolaida apmokėjus per %d d. nuo sąskaitos datos", day: isoDay,
}
