package cii

import (
	"slices"
	"strconv"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// A party's registrations share one element, told apart by the scheme: VA for VAT, FC for others (UNTDID 1153).
const (
	vatRegistration   = "ram:SpecifiedTaxRegistration[ram:ID/@schemeID='VA']/ram:ID"
	otherRegistration = "ram:SpecifiedTaxRegistration[ram:ID/@schemeID='FC']/ram:ID"
)

var seller = slices.Concat(identifiers("BT-29"), []row{
	{Term: "BT-27", Card: m.One, Field: "name", Path: "ram:Name"},
	{Term: "BT-33", Field: "legalInformation", Path: "ram:Description", In: EN16931},
	{Term: "BT-30", Field: "registrationNumber", Path: "ram:SpecifiedLegalOrganization/ram:ID", Type: m.Identifier, Attrs: schemeID("BT-30-1", "registrationScheme")},
	{Term: "BT-28", Field: "tradingName", Path: "ram:SpecifiedLegalOrganization/ram:TradingBusinessName"},
	{Term: "BG-6", Field: "contact", Path: "ram:DefinedTradeContact", In: EN16931, Rows: contact(41)},
	{Term: "BG-5", Card: m.One, Path: "ram:PostalTradeAddress", Rows: address(35, 162)},
	{Term: "BT-34", Field: "electronicAddress.id", Path: "ram:URIUniversalCommunication/ram:URIID", Type: m.Identifier, Attrs: schemeID("BT-34-1", "electronicAddress.schemeId")},
	{Term: "BT-31", Field: "vatId", Path: vatRegistration, Type: m.Identifier},
	{Term: "BT-32", Field: "taxId", Path: otherRegistration, Type: m.Identifier},
})

var buyer = slices.Concat(identifiers("BT-46"), []row{
	{Term: "BT-44", Card: m.One, Field: "name", Path: "ram:Name"},
	{Term: "BT-X-334", Field: "legalInformation", Path: "ram:Description", In: Extended107},
	{Term: "BT-47", Field: "registrationNumber", Path: "ram:SpecifiedLegalOrganization/ram:ID", Type: m.Identifier, Attrs: schemeID("BT-47-1", "registrationScheme")},
	{Term: "BT-45", Field: "tradingName", Path: "ram:SpecifiedLegalOrganization/ram:TradingBusinessName", In: EN16931},
	{Term: "BG-9", Field: "contact", Path: "ram:DefinedTradeContact", In: EN16931, Rows: contact(56)},
	{Term: "BG-8", Card: m.One, Path: "ram:PostalTradeAddress", Rows: address(50, 163)},
	{Term: "BT-49", Field: "electronicAddress.id", Path: "ram:URIUniversalCommunication/ram:URIID", Type: m.Identifier, Attrs: schemeID("BT-49-1", "electronicAddress.schemeId")},
	{Term: "BT-48", Field: "vatId", Path: vatRegistration, Type: m.Identifier},
	{Field: "taxId", Path: otherRegistration, Type: m.Identifier, Convert: readOnly}, // contract: not transmitted for the buyer
})

var payee = slices.Concat(identifiers("BT-60"), []row{
	{Term: "BT-59", Card: m.One, Field: "name", Path: "ram:Name"},
	{Term: "BT-61", Field: "registrationNumber", Path: "ram:SpecifiedLegalOrganization/ram:ID", Type: m.Identifier, Attrs: schemeID("BT-61-1", "registrationScheme")},
	{Field: "tradingName", Path: "ram:SpecifiedLegalOrganization/ram:TradingBusinessName", In: Extended107},
	{Path: "ram:PostalTradeAddress", In: Extended107, Rows: []row{
		{Field: "postalCode", Path: "ram:PostcodeCode"},
		{Field: "street", Path: "ram:LineOne"},
		{Field: "additionalStreet", Path: "ram:LineTwo"},
		{Field: "addressLine3", Path: "ram:LineThree"},
		{Field: "city", Path: "ram:CityName"},
		{Field: "countryCode", Path: "ram:CountryID", Type: m.Code},
		{Field: "state", Path: "ram:CountrySubDivisionName"},
	}},
	{Field: "electronicAddress.id", Path: "ram:URIUniversalCommunication/ram:URIID", Type: m.Identifier, In: Extended107,
		Attrs: schemeID("", "electronicAddress.schemeId")},
	{Field: "vatId", Path: vatRegistration, Type: m.Identifier, In: Extended107},
})

var taxRepresentative = []row{
	{Term: "BT-62", Card: m.One, Field: "name", Path: "ram:Name"},
	{Term: "BG-12", Card: m.One, Path: "ram:PostalTradeAddress", Rows: address(64, 164)},
	{Term: "BT-63", Card: m.One, Field: "vatId", Path: vatRegistration, Type: m.Identifier},
}

// identifiers are those of a party: CII has one element for those with a scheme, and another for those without.
func identifiers(term string) []row {
	return []row{
		{Term: term, Card: m.Many, Field: "identifiers[]", Path: "ram:GlobalID", When: withScheme, Rows: []row{
			{Term: term, Field: "id", Path: ".", Type: m.Identifier, Attrs: schemeID(term+"-1", "schemeId")},
		}},
		{Term: term, Card: m.Many, Field: "identifiers[]", Path: "ram:ID", Rows: []row{
			{Term: term, Field: "id", Path: ".", Type: m.Identifier, Attrs: schemeID(term+"-1", "schemeId")},
		}},
	}
}

func withScheme(s scope) bool { return s.Group.(*invoice.Identifier).SchemeID != "" }

// contact are the members of a contact point, whose terms count on from its name: of the seller (BT-41 to BT-43) and the buyer
// (BT-56 to BT-58).
func contact(name int) []row {
	return []row{
		{Term: term(name), Field: "name", Path: "ram:PersonName"},
		{Term: term(name), Path: "ram:DepartmentName", Codec: department},
		{Term: term(name + 1), Field: "phone", Path: "ram:TelephoneUniversalCommunication/ram:CompleteNumber"},
		{Term: term(name + 2), Field: "email", Path: "ram:EmailURIUniversalCommunication/ram:URIID"},
	}
}

// department is the other element for the name of a contact point. Documents are written with one of the two, that for the name of a
// person (contract, party: contact); where one has both, this one is the department.
var department = &m.Codec{
	Fields: []string{"name"},
	Format: func(any) string { return "" },
	Parse: func(text string, group any) {
		c := group.(*invoice.Contact)
		if c.Name == "" {
			c.Name = text
		} else {
			c.Department = text
		}
	},
}

// address are the members of an address: of the seller (BT-35 to BT-40, BT-162), the buyer (BT-50 to BT-55, BT-163), the tax
// representative (BT-64 to BT-69, BT-164) and of delivery (BT-75 to BT-80, BT-165). Their terms count on from the street; the third
// line, which the standard got last, has a number of its own.
func address(street, thirdLine int) []row {
	return []row{
		{Term: term(street + 3), Field: "postalCode", Path: "ram:PostcodeCode"},
		{Term: term(street), Field: "street", Path: "ram:LineOne"},
		{Term: term(street + 1), Field: "additionalStreet", Path: "ram:LineTwo"},
		{Term: term(thirdLine), Field: "addressLine3", Path: "ram:LineThree"},
		{Term: term(street + 2), Field: "city", Path: "ram:CityName"},
		{Term: term(street + 5), Card: m.One, Field: "countryCode", Path: "ram:CountryID", Type: m.Code},
		{Term: term(street + 4), Field: "state", Path: "ram:CountrySubDivisionName"},
	}
}

func term(n int) string { return "BT-" + strconv.Itoa(n) }
