package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// luxembourg: the number in the register of commerce is the registration number (BT-30), for which ISO 6523 has no scheme: 0240 is another
// register. Its laws are in French.
var luxembourg = &nation{words: french, keys: []Step{registered(key{"rcsNumber", func(cs *invoice.CountrySpecific) *string { return &cs.RCSNumber }}, "", nil)}}
