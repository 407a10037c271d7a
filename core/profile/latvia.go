package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// latvia: the unified registration number is the registration number (BT-30) under 0218.
var latvia = &nation{words: latvian, keys: []Step{registered(registrationNumber, "0218", nil)}}

// registrationNumber is the key of the registers of Latvia and Slovenia.
var registrationNumber = key{"registrationNumber", func(cs *invoice.CountrySpecific) *string { return &cs.RegistrationNumber }}

var latvian = &words{
	dueNow: "Apmaksājams nekavējoties.", dueDays: "Apmaksājams %d dienu laikā no rēķina datuma.", dueOn: "Apmaksājams līdz %s.",
	retention: "Garantijas ieturējums", of: "no", payable: "maksājams",
	discountDays: "Atlaide %s %%, apmaksājot %d dienu laikā no rēķina datuma", day: dotted,
}
