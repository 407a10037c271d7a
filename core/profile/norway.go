package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// norway: the organisation number is the registration number (BT-30) under 0192; who is in the register of business enterprises says so
// in the place of the tax registration (BT-32; Peppol BIS Billing 3.0, NO-R-002).
var norway = &nation{words: norwegian, keys: []Step{
	registered(orgnr, "0192", digits),
	taxRegistration("foretaksregisteret", func(cs *invoice.CountrySpecific) **bool { return &cs.Foretaksregisteret }, "Foretaksregisteret"),
}}

// orgnr is the key of the registers of Norway and Sweden.
var orgnr = key{"orgnr", func(cs *invoice.CountrySpecific) *string { return &cs.Orgnr }}

var norwegian = &words{
	dueNow: "Betales straks.", dueDays: "Betales innen %d dager fra fakturadato.", dueOn: "Betales senest %s.",
	retention: "Tilbakeholdt sikkerhet", of: "av", payable: "forfaller",
	discountDays: "%s %% kontantrabatt ved betaling innen %d dager fra fakturadato", day: dotted,
}
