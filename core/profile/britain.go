package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// britain: the number at Companies House is the registration number (BT-30), for which ISO 6523 has no scheme.
var britain = &nation{words: english, keys: []Step{registered(companyNumber, "", nil)}}

// companyNumber is the key of the registers of the United Kingdom and Malta.
var companyNumber = key{"companyNumber", func(cs *invoice.CountrySpecific) *string { return &cs.CompanyNumber }}

// english is the language of the United Kingdom, and that of business in Ireland and Malta.
var english = &words{
	dueNow: "Payable immediately, without discount.", dueDays: "Payable within %d days of the invoice date.", dueOn: "Payable by %s.",
	retention: "Retention", of: "of", payable: "payable on",
	discountDays: "%s %% discount for payment within %d days of the invoice date", day: slashed,
}
