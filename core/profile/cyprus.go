package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// cyprus: the HE number is that of the register of companies (BT-30), for which ISO 6523 has no scheme.
var cyprus = &nation{words: greek, keys: []Step{registered(key{"heNumber", func(cs *invoice.CountrySpecific) *string { return &cs.HENumber }}, "", nil)}}

// greek is the language of Cyprus.
var greek = &words{
	dueNow: "Πληρωτέο άμεσα, χωρίς έκπτωση.", dueDays: "Πληρωτέο εντός %d ημερών από την ημερομηνία του τιμολογίου.", dueOn: "Πληρωτέο έως %s.",
	retention: "Κράτηση εγγύησης", of: "επί", payable: "πληρωτέο στις",
	discountDays: "Έκπτωση %s %% για πληρωμή εντός %d ημερών από την ημερομηνία του τιμολογίου", day: slashed,
}
