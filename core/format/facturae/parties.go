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

// none are terms of members that EN 16931 has no term for.
func none(int) string { return "" }

// after are the terms that count on from a first one.
func after(first int) func(int) string { return func(n int) string { return term(first + n) } }

// terms are those of a party: the number, the registration, the identifier, and those of name, address and contact, which count on.
type terms struct {
	number, registration, identifier string
	name, address, contact           func(int) string
}

var (
	sellerTerms = terms{"BT-31", "BT-30", "BT-29", after(27), after(35), after(41)}
	buyerTerms  = terms{"BT-48", "BT-47", "BT-46", after(44), after(50), after(56)}
	payeeTerms  = terms{registration: "BT-61", name: func(n int) string { return []string{"BT-59", ""}[n] }, address: none, contact: none}
)

// party are the members of seller or buyer.
func party(of string, told terms) []row {
	path := profile.FacturaeParty(of)
	return slices.Concat(identification(of, told), []row{
		{Term: told.identifier, Card: m.Many, Field: of + ".identifiers[]", Path: path + "PartyIdentification", Rows: []row{
			{Term: told.identifier, Field: "id", Path: ".", Convert: partyNumber},
		}},
	}, entity(of, told))
}

// assignee are the members of a payee whom the claim is assigned to.
var assignee = slices.Concat(identification("payee", payeeTerms), entity("payee", payeeTerms))

// identification is the number of a party, and what it tells.
func identification(of string, told terms) []row {
	path := profile.FacturaeParty(of) + "TaxIdentification/"
	card := m.One
	if told.number == "" {
		card = m.Optional
	}
	return []row{derived(path + "PersonTypeCode"), derived(path + "ResidenceTypeCode"),
		{Term: told.number, Card: card, Field: of + ".vatId", Path: path + "TaxIdentificationNumber", Convert: taxNumber}}
}

// entity is a party as a company (LegalEntity) or as a person (Individual).
func entity(of string, told terms) []row {
	path := profile.FacturaeParty(of)
	legal := func(s scope) bool { return !profile.FacturaePerson(s.Invoice, of) }
	person := func(s scope) bool { return profile.FacturaePerson(s.Invoice, of) }
	return []row{
		{Path: path + "LegalEntity", Rows: slices.Concat([]row{
			{Term: told.name(0), Card: m.One, Field: of + ".name", Path: "CorporateName", When: legal},
			{Term: told.name(1), Field: of + ".tradingName", Path: "TradeName", When: legal},
			{Term: told.registration, Field: of + ".registrationNumber", Path: "RegistrationData/AdditionalRegistrationData", When: legal, Convert: upTo(20)},
		}, addresses(of, told.address, partyOf(of), legal), contact(of, told.contact, legal))},
		{Path: path + "Individual", Rows: slices.Concat([]row{
			{Term: told.name(0), Path: "Name", Codec: nameOfPerson(of, 0)},
			{Term: told.name(0), Path: "FirstSurname", Codec: nameOfPerson(of, 1)},
			{Term: told.name(0), Path: "SecondSurname", Codec: nameOfPerson(of, 2)},
		}, addresses(of, told.address, partyOf(of), person), contact(of, told.contact, person))},
	}
}

// nameOfPerson is a part of the name of a party that is a person: a name, a first and a second surname.
func nameOfPerson(of string, part int) *m.Codec {
	return &m.Codec{
		Fields: []string{of + ".name"},
		Format: func(group any) string {
			inv := group.(*invoice.Invoice)
			p := *profile.FacturaePartyIn(inv, of)
			if p == nil || !profile.FacturaePerson(inv, of) {
				return ""
			}
			if parts := profile.SpanishName(p.Name); parts != nil {
				return parts[part]
			}
			return ""
		},
		Parse: func(text string, group any) {
			p := profile.FacturaePartyIn(group.(*invoice.Invoice), of)
			if *p == nil {
				*p = &invoice.Party{}
			}
			(*p).Name = profile.SpanishNameOf([]string{(*p).Name, strings.TrimSpace(text)})
		},
	}
}

// place is what an address in other countries joins: the postcode and the city.
type place struct{ postalCode, city *string }

// partyOf and representative find the address of a party in the invoice; make makes the party where there is none.
func partyOf(name string) func(inv *invoice.Invoice, make bool) *place {
	return func(inv *invoice.Invoice, make bool) *place {
		p := profile.FacturaePartyIn(inv, name)
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
func addresses(of string, bt func(int) string, find func(*invoice.Invoice, bool) *place, when func(scope) bool) []row {
	spanish := func(s scope) bool { return (when == nil || when(s)) && profile.FacturaeCountry(s.Invoice, of) == "ES" }
	foreign := func(s scope) bool { return (when == nil || when(s)) && profile.FacturaeCountry(s.Invoice, of) != "ES" }
	country := row{Term: bt(5), Field: of + ".countryCode", Path: "CountryCode", Convert: countries}
	return []row{
		{Path: "AddressInSpain", Rows: []row{
			{Term: bt(0), Field: of + ".street", Path: "Address", When: spanish},
			{Term: bt(3), Field: of + ".postalCode", Path: "PostCode", When: spanish},
			{Term: bt(2), Field: of + ".city", Path: "Town", When: spanish},
			{Term: bt(4), Field: of + ".state", Path: "Province", When: spanish},
			with(country, spanish),
		}},
		{Path: "OverseasAddress", Rows: []row{
			{Term: bt(0), Field: of + ".street", Path: "Address", When: foreign, Required: true},
			{Term: strings.TrimSpace(bt(3) + " " + bt(2)), Path: "PostCodeAndTown", When: foreign, Codec: postCodeAndTown(of, find), Required: true},
			{Term: bt(4), Field: of + ".state", Path: "Province", When: foreign, Required: true},
			with(country, foreign),
		}},
	}
}

func with(r row, when func(scope) bool) row {
	r.When = when
	return r
}

// contact are the rows of the contact point of a party.
func contact(of string, bt func(int) string, when func(scope) bool) []row {
	return []row{{Path: "ContactDetails", Rows: []row{
		{Term: bt(1), Field: of + ".contact.phone", Path: "Telephone", When: when, Convert: telephone},
		{Field: of + ".website", Path: "WebAddress", When: when, Convert: upTo(60)},
		{Term: bt(2), Field: of + ".contact.email", Path: "ElectronicMail", When: when, Convert: upTo(60)},
		{Term: bt(0), Field: of + ".contact.name", Path: "ContactPersons", When: when},
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
