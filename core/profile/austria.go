package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// austria: the number of the order and that of the supplier, which federal authorities ask for (E-Rechnungsverordnung, § 4), are the
// order reference (BT-13) and an identifier of the seller that the buyer gave (BT-29). The other keys are those of ebInterface alone.
var austria = &nation{words: german, keys: []Step{
	twin(key{"orderReference", func(cs *invoice.CountrySpecific) *string { return &cs.OrderReference }}, "orderNumber", orderNumberOf),
	sellerIdentified(key{"supplierNumber", func(cs *invoice.CountrySpecific) *string { return &cs.SupplierNumber }}, ""),
}}
