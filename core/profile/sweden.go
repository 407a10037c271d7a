package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// sweden: the organisation number is the registration number (BT-30) under 0007; who is approved for F-tax says so in the place of the tax
// registration (BT-32; Peppol BIS Billing 3.0, SE-R-005).
var sweden = &nation{words: swedish, keys: []Step{
	registered(orgnr, "0007", digits),
	taxRegistration("fSkatt", func(cs *invoice.CountrySpecific) **bool { return &cs.FSkatt }, "Godkänd för F-skatt"),
}}

var swedish = &words{
	dueNow: "Betalas omgående.", dueDays: "Betalas inom %d dagar från fakturadatum.", dueOn: "Betalas senast %s.",
	retention: "Innehållen säkerhet", of: "av", payable: "förfaller",
	discountDays: "%s %% kassarabatt vid betalning inom %d dagar från fakturadatum", day: isoDay,
}
