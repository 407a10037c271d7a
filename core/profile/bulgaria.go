package profile

// bulgarian is the language of Bulgaria, whose keys stand on paper only.
var bulgarian = &words{
	dueNow: "Плаща се незабавно, без отстъпка.", dueDays: "Плаща се в срок от %d дни от датата на фактурата.", dueOn: "Плаща се до %s.",
	retention: "Гаранционно задържане", of: "от", payable: "дължимо на",
	discountDays: "%s %% отстъпка при плащане в срок от %d дни от датата на фактурата", day: dotted,
}
