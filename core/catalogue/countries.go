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

// Countries lists the countries in the order of their codes.
func Countries() []format.Country {
	list := make([]format.Country, len(countriesTable))
	for i, c := range countriesTable {
		list[i] = format.Country{Code: c.code, Name: c.name, Tokens: slices.Concat([]string{"pdf"}, strings.Fields(c.tokens)), ReadOnly: strings.Fields(c.readOnly)}
	}
	return list
}
