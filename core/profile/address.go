package profile

import (
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
