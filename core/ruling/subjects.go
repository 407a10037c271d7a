package ruling

import "regexp"

// contractFields are the members that the contract's table of XRechnung rules names.
var contractFields = map[string]string{
	"BR-DE-1":  "paymentMethods",
	"BR-DE-15": "countrySpecific.leitwegId",
	"BR-DE-17": "type",
	"BR-16":    "items",
	"BR-61":    "seller.bankAccount.iban",
	"BR-CL-23": "items[].unit",
}

// subjects are the business terms that rules are about, where their context is another one and their text begins with another
// one. Of several the one counts that is nearest to the context, of those alike the first; -BT-1 counts where the document lacks
// the term, +BT-1 where it has it. Rules that compare members of a group are about the group. What begins with a slash is a
// member of the invoice.
var subjects = map[string]string{
	// EN 16931.
	"BR-29":     "/servicePeriod",
	"BR-30":     "BG-26",
	"BR-53":     "BT-111",
	"BR-62":     "BT-34-1",
	"BR-63":     "BT-49-1",
	"BR-64":     "BT-157-1",
	"BR-65":     "BT-158-1",
	"BR-CO-09":  "BT-31 BT-48 BT-63",
	"BR-CO-19":  "/servicePeriod",
	"BR-CO-20":  "BG-26",
	"BR-CO-17":  "BG-23",
	"BR-CO-26":  "BT-31",
	"BR-IC-11":  "BT-72",
	"BR-IC-12":  "BT-80",
	"BR-O-11":   "BG-23",
	"BR-O-12":   "BT-151",
	"BR-O-13":   "BT-95",
	"BR-O-14":   "BT-102",
	"BR-CL-03":  "BT-5",
	"BR-CL-07":  "BT-18-1 BT-128-1",
	"BR-CL-10":  "BT-29-1 BT-46-1 BT-60-1",
	"BR-CL-11":  "BT-30-1 BT-47-1 BT-61-1",
	"BR-CL-13":  "BT-158-1",
	"BR-CL-21":  "BT-157-1",
	"BR-CL-24":  "BT-125-1",
	"BR-CL-25":  "BT-34-1 BT-49-1",
	"BR-CL-26":  "BT-71-1",
	"UBL-SR-44": "BT-83",
	"UBL-SR-46": "BT-82",
	"UBL-SR-47": "/paymentMethods",
	"UBL-SR-53": "BT-31 BT-48 BT-63",
	// XRechnung.
	"BR-DE-2":      "BG-6",
	"BR-DE-14":     "BT-119",
	"BR-DE-16":     "BT-31",
	"BR-DE-18":     "BT-20",
	"BR-DE-19":     "BT-84",
	"BR-DE-20":     "BT-91",
	"BR-DE-22":     "/attachments",
	"BR-DE-23-a":   "BT-84",
	"BR-DE-23-b":   "+BT-87 +BT-89 BT-81",
	"BR-DE-24-a":   "BT-87",
	"BR-DE-24-b":   "+BT-84 +BT-89 BT-81",
	"BR-DE-25-a":   "BT-89",
	"BR-DE-25-b":   "+BT-84 +BT-87 BT-81",
	"BR-DE-26":     "BG-3",
	"BR-DE-30":     "BT-90",
	"BR-DE-31":     "BT-91",
	"BR-DE-TMP-32": "BT-72",
	"BR-DEX-01":    "BT-125-1",
	"BR-DEX-02":    "BG-25",
	"BR-DEX-04":    "BT-29-1 BT-46-1 BT-60-1",
	"BR-DEX-05":    "BT-30-1 BT-47-1 BT-61-1",
	"BR-DEX-06":    "BT-157-1",
	"BR-DEX-07":    "BT-34-1 BT-49-1",
	"BR-DEX-08":    "BT-71-1",
	"BR-DEX-09":    "BT-115",
	// Peppol BIS Billing, of which XRechnung has some.
	"PEPPOL-EN16931-R001": "BT-23",
	"PEPPOL-EN16931-R005": "BT-6",
	"PEPPOL-EN16931-R007": "BT-23",
	"PEPPOL-EN16931-R010": "BT-49",
	"PEPPOL-EN16931-R020": "BT-34",
	"PEPPOL-EN16931-R040": "BG-20 BG-27 BG-28",
	"PEPPOL-EN16931-R041": "BT-93 BT-137 BT-142",
	"PEPPOL-EN16931-R042": "BT-94 BT-138 BT-143",
	"PEPPOL-EN16931-R046": "BG-29",
	"PEPPOL-EN16931-R053": "BG-23",
	"PEPPOL-EN16931-R054": "BT-111",
	"PEPPOL-EN16931-R055": "BT-111",
	"PEPPOL-EN16931-R061": "BT-89",
	"PEPPOL-EN16931-R101": "BT-128",
	"PEPPOL-EN16931-R110": "BT-134",
	"PEPPOL-EN16931-R111": "BT-135",
	"PEPPOL-EN16931-R120": "BG-25",
	"PEPPOL-EN16931-R121": "BT-149",
	"PEPPOL-EN16931-R130": "BT-150",
}

// categoryRule is the form of the rules that each VAT category has (EN 16931-1, 6.4.3).
var categoryRule = regexp.MustCompile(`^BR-(S|Z|E|AE|IC|G|O|AF|AG|IG|IP|B)-0*([0-9]+)$`)

// categorySubjects are the subjects of the rules of VAT categories by number; those of one category count before those of all.
var categorySubjects = map[string]map[string]string{
	"": {
		"1": "BG-23", "2": "BT-31", "3": "BT-31", "4": "BT-31",
		"5": "BG-30", "6": "BG-20", "7": "BG-21", "8": "BG-23", "9": "BG-23", "10": "BT-120",
	},
	"AE": {"2": "-BT-31 -BT-48 BT-31", "3": "-BT-31 -BT-48 BT-31", "4": "-BT-31 -BT-48 BT-31"},
	"IC": {"2": "-BT-31 -BT-48 BT-31", "3": "-BT-31 -BT-48 BT-31", "4": "-BT-31 -BT-48 BT-31"},
	"O":  {"2": "+BT-31 +BT-63 +BT-48 BT-31", "3": "+BT-31 +BT-63 +BT-48 BT-31", "4": "+BT-31 +BT-63 +BT-48 BT-31"},
	"S":  {"10": "+BT-120 +BT-121 BT-120"},
	"Z":  {"10": "+BT-120 +BT-121 BT-120"},
}

// subjectOf gives the subject of a rule; empty where its text or its context tells it.
func subjectOf(rule string) string {
	if subject := subjects[rule]; subject != "" {
		return subject
	}
	m := categoryRule.FindStringSubmatch(rule)
	if m == nil {
		return ""
	}
	if subject := categorySubjects[m[1]][m[2]]; subject != "" {
		return subject
	}
	return categorySubjects[""][m[2]]
}
