package profile

// malta: the number at the Business Registry is the registration number (BT-30), for which ISO 6523 has no scheme.
var malta = &nation{words: english, keys: []Step{registered(companyNumber, "", nil)}}
