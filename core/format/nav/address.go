package nav

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// address are the members of an address, wherever it stands.
type address struct{ street, additional, line3, city, postalCode, state, country *string }

func partyAddress(p *invoice.Party) address {
	return address{&p.Street, &p.AdditionalStreet, &p.AddressLine3, &p.City, &p.PostalCode, &p.State, &p.CountryCode}
}

func sellerAddress(inv *invoice.Invoice, make bool) address {
	if inv.Seller == nil && !make {
		return partyAddress(&invoice.Party{})
	}
	return partyAddress(made(&inv.Seller))
}

func buyerAddress(inv *invoice.Invoice, make bool) address {
	if inv.Buyer == nil && !make {
		return partyAddress(&invoice.Party{})
	}
	return partyAddress(made(&inv.Buyer))
}

func representativeAddress(inv *invoice.Invoice, make bool) address {
	r := inv.TaxRepresentative
	if r == nil && !make {
		r = &invoice.TaxRepresentative{}
	} else if r == nil {
		r = made(&inv.TaxRepresentative)
	}
	return address{&r.Street, &r.AdditionalStreet, &r.AddressLine3, &r.City, &r.PostalCode, &r.State, &r.CountryCode}
}

// simpleAddress are the rows of an address whose street is one text.
func simpleAddress(member string, of func(*invoice.Invoice, bool) address) []row {
	return []row{
		{Field: member + "countryCode", Path: "base:countryCode", Type: m.Code},
		{Field: member + "state", Path: "base:region"},
		{Field: member + "postalCode", Path: "base:postalCode", Type: m.Identifier},
		{Field: member + "city", Path: "base:city"},
		{Path: "base:additionalAddressDetail", Codec: &m.Codec{
			Fields: []string{member + "street", member + "additionalStreet", member + "addressLine3"},
			Format: func(group any) string {
				a := of(group.(*invoice.Invoice), false)
				var lines []string
				for _, line := range []string{*a.street, *a.additional, *a.line3} {
					if line != "" {
						lines = append(lines, line)
					}
				}
				return strings.Join(lines, ", ")
			},
			Parse: func(text string, group any) { *of(group.(*invoice.Invoice), true).street = text },
		}},
	}
}

// detailedAddress are the rows of an address in parts, which is read only: street, kind of public place and number are the street, what
// follows stands behind it.
func detailedAddress(of func(*invoice.Invoice, bool) address) []row {
	part := func(path string, put func(a address, text string)) row {
		return row{Path: "base:" + path, Codec: &m.Codec{
			Format: func(any) string { return "" },
			Parse:  func(text string, group any) { put(of(group.(*invoice.Invoice), true), strings.TrimSpace(text)) },
		}}
	}
	street := func(after string) func(address, string) {
		return func(a address, text string) { *a.street = strings.TrimSpace(*a.street + " " + text + after) }
	}
	return []row{
		part("countryCode", func(a address, text string) { *a.country = text }),
		part("region", func(a address, text string) { *a.state = text }),
		part("postalCode", func(a address, text string) { *a.postalCode = text }),
		part("city", func(a address, text string) { *a.city = text }),
		part("streetName", street("")), part("publicPlaceCategory", street("")), part("number", street("")),
		part("building", street(". épület")), part("staircase", street(". lépcsőház")), part("floor", street(". emelet")),
		part("door", street(". ajtó")), part("lotNumber", street(" hrsz.")),
	}
}
