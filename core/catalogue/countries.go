package catalogue

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/format"
)

// countriesTable is the contract's table "Other formats per country"; every country has pdf as well. What is read only is by the
// supplement §2: the syntaxes of EN 16931 in all European countries, and Romania's own name of its format.
var countriesTable = []struct{ code, name, tokens, readOnly string }{
	{"AE", "United Arab Emirates", "ubl", ""},
	{"AT", "Austria", "ebinterface ubl", "cii"},
	{"AU", "Australia", "ubl", ""},
	{"BE", "Belgium", "ubl facturx", "cii"},
	{"BG", "Bulgaria", "ubl", "cii"},
	{"CH", "Switzerland", "zugferd qr-bill", "ubl cii"},
	{"CY", "Cyprus", "ubl", "cii"},
	{"CZ", "Czechia", "isdoc ubl", "cii"},
	{"DE", "Germany", "xrechnung zugferd", "ubl cii"},
	{"DK", "Denmark", "ubl", "cii"},
	{"EE", "Estonia", "ubl", "cii"},
	{"ES", "Spain", "facturae ubl", "cii"},
	{"FI", "Finland", "ubl", "cii"},
	{"FR", "France", "facturx ubl", "cii"},
	{"GB", "United Kingdom", "ubl", "cii"},
	{"GR", "Greece", "mydata", "ubl cii"},
	{"HR", "Croatia", "ubl hr-fisk", "cii"},
	{"HU", "Hungary", "nav", "ubl cii"},
	{"IE", "Ireland", "ubl", "cii"},
	{"IS", "Iceland", "ubl", "cii"},
	{"IT", "Italy", "fatturapa", "ubl cii"},
	{"JP", "Japan", "ubl", ""},
	{"LI", "Liechtenstein", "qr-bill ubl", "cii"},
	{"LT", "Lithuania", "ubl", "cii"},
	{"LU", "Luxembourg", "ubl", "cii"},
	{"LV", "Latvia", "ubl", "cii"},
	{"MT", "Malta", "ubl", "cii"},
	{"NL", "Netherlands", "ubl", "cii"},
	{"NO", "Norway", "ubl", "cii"},
	{"NZ", "New Zealand", "ubl", ""},
	{"OM", "Oman", "ubl", ""},
	{"PL", "Poland", "ksef ubl peppol-ubl", "cii"},
	{"PT", "Portugal", "ubl peppol-ubl", "cii"},
	{"RO", "Romania", "ubl peppol-ubl", "efactura cii"},
	{"SE", "Sweden", "ubl", "cii"},
	{"SI", "Slovenia", "ubl", "cii"},
	{"SK", "Slovakia", "ubl", "cii"},
}

// frameworks are the invoicing frameworks (BT-23) of the French reform: of goods, services or both, and of what is billed (AFNOR XP Z12-012,
// BR-FR-08).
var frameworks = map[string][]string{
	"FR": strings.Fields("S1 S2 S3 S4 S5 S6 S7 S8 S9 B1 B2 B4 B7 B8 B9 M1 M2 M4 M8 M9"),
}

// Countries lists the countries in the order of their codes.
func Countries() []format.Country {
	list := make([]format.Country, len(countriesTable))
	for i, c := range countriesTable {
		list[i] = format.Country{Code: c.code, Name: c.name, Tokens: slices.Concat([]string{"pdf"}, strings.Fields(c.tokens)), ReadOnly: strings.Fields(c.readOnly), Frameworks: frameworks[c.code]}
	}
	return list
}
