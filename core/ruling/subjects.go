package ruling

// contractFields are the members that the contract's table of XRechnung rules names.
var contractFields = map[string]string{
	"BR-DE-1":  "paymentMethods",
	"BR-DE-15": "countrySpecific.leitwegId",
	"BR-DE-17": "type",
	"BR-16":    "items",
	"BR-61":    "seller.bankAccount.iban",
	"BR-CL-23": "items[].unit",
}

// subjects are the business terms that rules are about whose context is another one, and whose text begins with another one.
// Of several the first that the syntax has counts.
var subjects = map[string]string{}
