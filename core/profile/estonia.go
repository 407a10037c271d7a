package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// estonia: the code of the business register is the registration number (BT-30) under 0191.
var estonia = &nation{words: estonian, keys: []Step{registered(key{"registryCode", func(cs *invoice.CountrySpecific) *string { return &cs.RegistryCode }}, "0191", nil)}}

var estonian = &words{
	dueNow: "Tasuda kohe.", dueDays: "Tasuda %d päeva jooksul alates arve kuupäevast.", dueOn: "Tasuda hiljemalt %s.",
	retention: "Kinnipeetud tagatis", of: "summast", payable: "tasumise tähtaeg",
	discountDays: "Allahindlus %s %%, kui tasutakse %d päeva jooksul alates arve kuupäevast", day: dotted,
}
