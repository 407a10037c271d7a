package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// netherlands: the number at the chamber of commerce (KVK) or that of an authority (OIN) is the registration number (BT-30), under 0106 or 0190 (BR-NL-1).
var netherlands = &nation{words: dutch, keys: []Step{
	registered(key{"kvk", func(cs *invoice.CountrySpecific) *string { return &cs.KVK }}, "0106", digits),
	registered(key{"oin", func(cs *invoice.CountrySpecific) *string { return &cs.OIN }}, "0190", digits),
}}

// dutch is the language of the Netherlands, and the first one of Belgium.
var dutch = &words{
	dueNow: "Onmiddellijk te betalen, zonder korting.", dueDays: "Te betalen binnen %d dagen na factuurdatum.", dueOn: "Te betalen uiterlijk op %s.",
	retention: "Garantie-inhouding", of: "op", payable: "te betalen op",
	discountDays: "%s %% korting bij betaling binnen %d dagen na factuurdatum", day: slashed,
}
