package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// finland: the business identifier (Y-tunnus) is the registration number (BT-30) under 0212.
var finland = &nation{words: finnish, keys: []Step{registered(key{"businessId", func(cs *invoice.CountrySpecific) *string { return &cs.BusinessID }}, "0212", nil)}}

var finnish = &words{
	dueNow: "Maksettava heti.", dueDays: "Maksettava %d päivän kuluessa laskun päiväyksestä.", dueOn: "Maksettava viimeistään %s.",
	retention: "Vakuuspidätys", of: "summasta", payable: "erääntyy",
	discountDays: "Käteisalennus %s %%, jos maksu suoritetaan %d päivän kuluessa laskun päiväyksestä", day: dotted,
}
