package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// iceland: the kennitala is the registration number (BT-30) under 0196 (Peppol BIS Billing 3.0, IS-R-002).
var iceland = &nation{words: icelandic, keys: []Step{registered(key{"kennitala", func(cs *invoice.CountrySpecific) *string { return &cs.Kennitala }}, "0196", digits)}}

var icelandic = &words{
	dueNow: "Greiðist strax.", dueDays: "Greiðist innan %d daga frá dagsetningu reiknings.", dueOn: "Greiðist eigi síðar en %s.",
	retention: "Tryggingarfé haldið eftir", of: "af", payable: "til greiðslu",
	discountDays: "%s %% afsláttur við greiðslu innan %d daga frá dagsetningu reiknings", day: dotted,
}
