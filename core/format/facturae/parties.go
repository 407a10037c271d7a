package facturae

import (
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

func term(n int) string { return "BT-" + strconv.Itoa(n) }

// terms are those of a party: the number, the registration, the identifier, the first of the address and of the contact, and the third line.
var terms = map[string]struct{ number, registration, identifier, address, contact, third string }{
	"seller": {"BT-31", "BT-30", "BT-29", "35", "41", "162"},
	"buyer":  {"BT-48", "BT-47", "BT-46", "50", "56", "163"},
}

// party are the members of seller or buyer, who is a company (LegalEntity) or a person (Individual). The terms count on from the name's.
func party(of, element string, name int) []row {
	told, path := terms[of], "Parties/"+element+"/"
	legal := func(s scope) bool { return !profile.FacturaePerson(s.Invoice, of) }
	person := func(s scope) bool { return profile.FacturaePerson(s.Invoice, of) }
	identification := []row{derived(path + "TaxIdentification/PersonTypeCode"), derived(path + "TaxIdentification/ResidenceTypeCode")}
	return slices.Concat(identification, []row{
		{Term: told.number, Card: m.One, Field: of + ".vatId", Path: path + "TaxIdentification/TaxIdentificationNumber", Convert: taxNumber},
		{Term: told.identifier, Card: m.Many, Field: of + ".identifiers[]", Path: path + "PartyIdentification", Rows: []row{
			{Term: told.identifier, Field: "id", Path: ".", Convert: partyNumber},
		}},
		{Path: path + "LegalEntity", Rows: slices.Concat([]row{
			{Term: term(name), Card: m.One, Field: of + ".name", Path: "CorporateName", When: legal},
			{Term: term(name + 1), Field: of + ".tradingName", Path: "TradeName", When: legal},
			{Term: told.registration, Field: of + ".registrationNumber", Path: "RegistrationData/AdditionalRegistrationData", When: legal, Convert: upTo(20)},
		}, addresses(of, number(told.address), partyOf(of), legal), contact(of, number(told.contact), legal))},
		{Path: path + "Individual", Rows: slices.Concat([]row{
			{Term: term(name), Path: "Name", Codec: nameOfPerson(of, 0)},
			{Term: term(name), Path: "FirstSurname", Codec: nameOfPerson(of, 1)},
			{Term: term(name), Path: "SecondSurname", Codec: nameOfPerson(of, 2)},
		}, addresses(of, number(told.address), partyOf(of), person), contact(of, number(told.contact), person))},
	})
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // of a table above
	return n
}

// nameOfPerson is a part of the name of a party that is a person: a name, a first and a second surname.
func nameOfPerson(of string, part int) *m.Codec {
	return &m.Codec{
		Fields: []string{of + ".name"},
		Format: func(group any) string {
			inv := group.(*invoice.Invoice)
			p := *partyIn(inv, of)
			if p == nil || !profile.FacturaePerson(inv, of) {
				return ""
			}
			if parts := profile.SpanishName(p.Name); parts != nil {
				return parts[part]
			}
			return ""
		},
		Parse: func(text string, group any) {
			p := partyIn(group.(*invoice.Invoice), of)
			if *p == nil {
				*p = &invoice.Party{}
			}
			(*p).Name = profile.SpanishNameOf([]string{(*p).Name, strings.TrimSpace(text)})
		},
	}
}

// partyIn is the place of a party in an invoice.
func partyIn(inv *invoice.Invoice, name string) **invoice.Party {
	if name == "buyer" {
		return &inv.Buyer
	}
	return &inv.Seller
}

// place is what an address in other countries joins: the postcode and the city.
type place struct{ postalCode, city *string }

// partyOf and representative find the address of a party in the invoice; make makes the party where there is none.
func partyOf(name string) func(inv *invoice.Invoice, make bool) *place {
	return func(inv *invoice.Invoice, make bool) *place {
		p := partyIn(inv, name)
		if *p == nil && make {
			*p = &invoice.Party{}
		}
		if *p == nil {
			return nil
		}
		return &place{&(*p).PostalCode, &(*p).City}
	}
}

func representative(inv *invoice.Invoice, make bool) *place {
	if inv.TaxRepresentative == nil && make {
		inv.TaxRepresentative = &invoice.TaxRepresentative{}
	}
	if r := inv.TaxRepresentative; r != nil {
		return &place{&r.PostalCode, &r.City}
	}
	return nil
}

// addresses are the rows of an address: in Spain, or elsewhere, where postcode and town are one text.
func addresses(of string, street int, find func(*invoice.Invoice, bool) *place, when func(scope) bool) []row {
	spanish := func(s scope) bool { return (when == nil || when(s)) && profile.FacturaeCountry(s.Invoice, of) == "ES" }
	foreign := func(s scope) bool { return (when == nil || when(s)) && profile.FacturaeCountry(s.Invoice, of) != "ES" }
	country := row{Term: term(street + 5), Field: of + ".countryCode", Path: "CountryCode", Convert: countries}
	return []row{
		{Path: "AddressInSpain", Rows: []row{
			{Term: term(street), Field: of + ".street", Path: "Address", When: spanish},
			{Term: term(street + 3), Field: of + ".postalCode", Path: "PostCode", When: spanish},
			{Term: term(street + 2), Field: of + ".city", Path: "Town", When: spanish},
			{Term: term(street + 4), Field: of + ".state", Path: "Province", When: spanish},
			with(country, spanish),
		}},
		{Path: "OverseasAddress", Rows: []row{
			{Term: term(street), Field: of + ".street", Path: "Address", When: foreign, Required: true},
			{Term: term(street+3) + " " + term(street+2), Path: "PostCodeAndTown", When: foreign, Codec: postCodeAndTown(of, find), Required: true},
			{Term: term(street + 4), Field: of + ".state", Path: "Province", When: foreign, Required: true},
			with(country, foreign),
		}},
	}
}

func with(r row, when func(scope) bool) row {
	r.When = when
	return r
}

// contact are the rows of the contact point of a party.
func contact(of string, first int, when func(scope) bool) []row {
	return []row{{Path: "ContactDetails", Rows: []row{
		{Term: term(first + 1), Field: of + ".contact.phone", Path: "Telephone", When: when, Convert: telephone},
		{Field: of + ".website", Path: "WebAddress", When: when, Convert: upTo(60)},
		{Term: term(first + 2), Field: of + ".contact.email", Path: "ElectronicMail", When: when, Convert: upTo(60)},
		{Term: term(first), Field: of + ".contact.name", Path: "ContactPersons", When: when},
	}}}
}

// postCodeAndTown joins the two members of an address that is not in Spain.
func postCodeAndTown(of string, find func(*invoice.Invoice, bool) *place) *m.Codec {
	return &m.Codec{
		Fields: []string{of + ".postalCode", of + ".city"},
		Format: func(group any) string {
			at := find(group.(*invoice.Invoice), false)
			if at == nil {
				return ""
			}
			return profile.PostCodeAndTown(*at.postalCode, *at.city)
		},
		Parse: func(text string, group any) {
			at := find(group.(*invoice.Invoice), true)
			*at.postalCode, *at.city = profile.PostCodeAndTownApart(text)
		},
	}
}
