package profile

// slovenia: the number in the business register is the registration number (BT-30), for which ISO 6523 has no scheme.
var slovenia = &nation{words: slovene, keys: []Step{registered(registrationNumber, "", nil)}}

var slovene = &words{
	dueNow: "Plačljivo takoj, brez popusta.", dueDays: "Plačljivo v %d dneh od datuma računa.", dueOn: "Plačljivo do %s.",
	retention: "Zadržana sredstva", of: "od", payable: "zapade",
	discountDays: "%s %% popusta ob plačilu v %d dneh od datuma računa", day: dotted,
}
