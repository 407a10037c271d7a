package profile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// vatSchemes are the schemes of VAT identifiers as electronic addresses, by the prefix of the identifier (EAS, Electronic Address Scheme
// code list of the European Commission).
var vatSchemes = map[string]string{
	"AD": "9922", "AL": "9923", "AT": "9914", "BA": "9924", "BE": "9925", "BG": "9926", "CH": "9927", "CY": "9928", "CZ": "9929", "DE": "9930",
	"EE": "9931", "EL": "9933", "ES": "9920", "FI": "0213", "FR": "9957", "GB": "9932", "GR": "9933", "HR": "9934", "HU": "9910", "IE": "9935",
	"IT": "0211", "LI": "9936", "LT": "9937", "LU": "9938", "LV": "9939", "MC": "9940", "ME": "9941", "MK": "9942", "MT": "9943", "NL": "9944",
	"PL": "9945", "PT": "9946", "RO": "9947", "RS": "9948", "SI": "9949", "SK": "9950", "SM": "9951", "TR": "9952", "VA": "9953",
}

// vatAddresses: where the format demands an electronic address (BT-34, BT-49) and a party has neither one nor an e-mail address, it is the
// VAT identifier (supplement §1, rule 12).
var vatAddresses = Step{
	Name: "VAT identifiers as electronic addresses",
	Copies: []Move{
		{"seller.vatId", "seller.electronicAddress.id"}, {"seller.vatId", "seller.electronicAddress.schemeId"},
		{"buyer.vatId", "buyer.electronicAddress.id"}, {"buyer.vatId", "buyer.electronicAddress.schemeId"},
	},
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil || p.ElectronicAddress != nil || p.VATID == "" {
				continue
			}
			if scheme := vatScheme(p); scheme != "" {
				p.ElectronicAddress = &invoice.ElectronicAddress{ID: p.VATID, SchemeID: scheme}
			}
		}
	},
}

// vatScheme is the scheme of a party's VAT identifier: by its prefix, else by the country; empty where the list has none.
func vatScheme(p *invoice.Party) string {
	if len(p.VATID) > 2 {
		if scheme, ok := vatSchemes[strings.ToUpper(p.VATID[:2])]; ok {
			return scheme
		}
	}
	return vatSchemes[strings.ToUpper(p.CountryCode)]
}

// registeredAddresses are how the numbers of VAT identifiers stand as electronic addresses in countries whose VAT scheme Peppol does not
// take (code list EAS of Peppol, release 2026.5), or that have none: the number of the register, which the identifier has in it.
var registeredAddresses = []struct {
	vat            *regexp.Regexp
	scheme, before string
}{
	{regexp.MustCompile(`^DK([0-9]{8})$`), "0184", ""},
	{regexp.MustCompile(`^FI([0-9]{8})$`), "0216", "0037"}, // OVT: 0037 and the business identifier
	{regexp.MustCompile(`^NO([0-9]{9})(MVA)?$`), "0192", ""},
	{regexp.MustCompile(`^SE([0-9]{10})[0-9]{2}$`), "0007", ""},
}

// registerSchemes are the schemes of registration numbers that are schemes of electronic addresses as well.
var registerSchemes = []string{"0002", "0007", "0009", "0060", "0088", "0106", "0130", "0183", "0184", "0188", "0190", "0191", "0192", "0195", "0196", "0199", "0200", "0204",
	"0208", "0218"}

// networkAddresses: Peppol delivers to what is registered there, and has no scheme for e-mail addresses. A party that states no electronic
// address (BT-34, BT-49) is known by its VAT identifier, else by its registration number.
var networkAddresses = Step{
	Name: "addresses in the network",
	Copies: slices.Concat(vatAddresses.Copies, []Move{
		{"seller.registrationNumber", "seller.electronicAddress.id"}, {"seller.registrationNumber", "seller.electronicAddress.schemeId"},
		{"buyer.registrationNumber", "buyer.electronicAddress.id"}, {"buyer.registrationNumber", "buyer.electronicAddress.schemeId"},
	}),
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p != nil && p.ElectronicAddress == nil {
				p.ElectronicAddress = networkAddress(p)
			}
		}
	},
}

// networkAddress is that of a party; nil where it has no number that is one.
func networkAddress(p *invoice.Party) *invoice.ElectronicAddress {
	if p.VATID != "" {
		for _, r := range registeredAddresses {
			if m := r.vat.FindStringSubmatch(p.VATID); m != nil {
				return &invoice.ElectronicAddress{ID: r.before + m[1], SchemeID: r.scheme}
			}
		}
		if scheme := vatScheme(p); scheme != "" && scheme != finnishVAT {
			return &invoice.ElectronicAddress{ID: p.VATID, SchemeID: scheme}
		}
	}
	if p.RegistrationNumber != "" && slices.Contains(registerSchemes, p.RegistrationScheme) {
		return &invoice.ElectronicAddress{ID: p.RegistrationNumber, SchemeID: p.RegistrationScheme}
	}
	return nil
}

// finnishVAT is the scheme of Finnish VAT identifiers, which Peppol does not take.
const finnishVAT = "0213"
