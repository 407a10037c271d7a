// Package format knows which formats the service has: the countries with their path tokens, and what each token stands for.
package format

import "strings"

// Country is one of the countries that the service covers.
type Country struct {
	Code   string   // ISO 3166-1 alpha-2, upper case
	Name   string   // English short name
	Tokens []string // path tokens, pdf first
}

// countries is the contract's table "Other formats per country"; every country has pdf as well.
var countries = []struct{ code, name, tokens string }{
	{"AE", "United Arab Emirates", "ubl"},
	{"AT", "Austria", "ebinterface ubl"},
	{"AU", "Australia", "ubl"},
	{"BE", "Belgium", "ubl facturx"},
	{"BG", "Bulgaria", "ubl"},
	{"CH", "Switzerland", "zugferd qr-bill"},
	{"CY", "Cyprus", "ubl"},
	{"CZ", "Czechia", "isdoc ubl"},
	{"DE", "Germany", "xrechnung zugferd"},
	{"DK", "Denmark", "ubl"},
	{"EE", "Estonia", "ubl"},
	{"ES", "Spain", "facturae ubl"},
	{"FI", "Finland", "ubl"},
	{"FR", "France", "facturx ubl"},
	{"GB", "United Kingdom", "ubl"},
	{"GR", "Greece", "mydata"},
	{"HR", "Croatia", "ubl hr-fisk"},
	{"HU", "Hungary", "nav"},
	{"IE", "Ireland", "ubl"},
	{"IS", "Iceland", "ubl"},
	{"IT", "Italy", "fatturapa"},
	{"JP", "Japan", "ubl"},
	{"LI", "Liechtenstein", "qr-bill ubl"},
	{"LT", "Lithuania", "ubl"},
	{"LU", "Luxembourg", "ubl"},
	{"LV", "Latvia", "ubl"},
	{"MT", "Malta", "ubl"},
	{"NL", "Netherlands", "ubl"},
	{"NO", "Norway", "ubl"},
	{"NZ", "New Zealand", "ubl"},
	{"OM", "Oman", "ubl"},
	{"PL", "Poland", "ksef ubl peppol-ubl"},
	{"PT", "Portugal", "ubl peppol-ubl"},
	{"RO", "Romania", "ubl peppol-ubl efactura"},
	{"SE", "Sweden", "ubl"},
	{"SI", "Slovenia", "ubl"},
	{"SK", "Slovakia", "ubl"},
}

// outsideEurope are the countries without the parse-only tokens of the European syntaxes.
const outsideEurope = "AE AU JP NZ OM"

// Countries lists the countries in the order of their codes.
func Countries() []Country {
	list := make([]Country, len(countries))
	for i := range countries {
		list[i] = country(i)
	}
	return list
}

func country(i int) Country {
	c := &countries[i]
	tokens := append([]string{"pdf"}, strings.Fields(c.tokens)...)
	if !strings.Contains(outsideEurope, c.code) {
		tokens = addOnce(addOnce(tokens, "ubl"), "cii")
	}
	return Country{Code: c.code, Name: c.name, Tokens: tokens}
}

func addOnce(tokens []string, token string) []string {
	for _, t := range tokens {
		if t == token {
			return tokens
		}
	}
	return append(tokens, token)
}

// Find gives a country by its code in any case.
func Find(code string) (Country, bool) {
	for i := range countries {
		if strings.EqualFold(countries[i].code, code) {
			return country(i), true
		}
	}
	return Country{}, false
}
