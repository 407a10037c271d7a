package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// ireland: the number at the Companies Registration Office is the registration number (BT-30), for which ISO 6523 has no scheme.
var ireland = &nation{words: english, keys: []Step{registered(key{"croNumber", func(cs *invoice.CountrySpecific) *string { return &cs.CRONumber }}, "", nil)}}
