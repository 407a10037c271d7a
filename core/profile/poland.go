package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// poland: the NIP is the tax number (BT-32), unless it is the VAT identifier without PL. What Polish law wants said on an invoice (art. 106e
// ustawy o VAT) is its note (BT-22). The other keys are those of FA(3).
var poland = &nation{words: polish, keys: []Step{
	sellerTaxID(key{"nip", func(cs *invoice.CountrySpecific) *string { return &cs.NIP }}),
	mentioned("splitPayment", func(cs *invoice.CountrySpecific) **bool { return &cs.SplitPayment }, "Mechanizm podzielonej płatności"),
	mentioned("cashMethod", func(cs *invoice.CountrySpecific) **bool { return &cs.CashMethod }, "Metoda kasowa"),
	mentioned("selfBilling", func(cs *invoice.CountrySpecific) **bool { return &cs.SelfBilling }, "Samofakturowanie"),
}}

var polish = &words{
	dueNow: "Płatne natychmiast, bez skonta.", dueDays: "Płatne w ciągu %d dni od daty wystawienia faktury.", dueOn: "Płatne do %s.",
	retention: "Kaucja gwarancyjna", of: "od", payable: "płatna",
	discountDays: "Skonto %s %% przy płatności w ciągu %d dni od daty wystawienia faktury", day: dotted,
}
