package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// belgium: the enterprise number is that of the register (BT-30) under 0208 (Crossroads Bank for Enterprises), the structured communication of transfers the
// remittance information (BT-83).
var belgium = &nation{words: dutch, keys: []Step{
	registered(key{"enterpriseNumber", func(cs *invoice.CountrySpecific) *string { return &cs.EnterpriseNumber }}, "0208", digits),
	twin(key{"structuredCommunication", func(cs *invoice.CountrySpecific) *string { return &cs.StructuredCommunication }}, "paymentReference", paymentReferenceOf),
}}
