package ubl

import (
	"strconv"

	m "github.com/einvoiced/einvoiced/core/mapping"
)

// The bank assigned creditor identifier (BT-90) is an identification of the payee or the seller with the scheme SEPA.
const (
	sepaIdentification  = "cac:PartyIdentification[cbc:ID/@schemeID='SEPA']"
	otherIdentification = "cac:PartyIdentification[cbc:ID/@schemeID!='SEPA']"
)

// A party's VAT registration and its other tax registration share one element, told apart by the tax scheme.
const (
	vatRegistration   = "cac:PartyTaxScheme[cac:TaxScheme/cbc:ID='VAT']"
	otherRegistration = "cac:PartyTaxScheme[cac:TaxScheme/cbc:ID!='VAT']"
)

var seller = []row{
	{Term: "BT-27", Card: m.One, Field: "name", Path: "cac:PartyLegalEntity/cbc:RegistrationName"},
	{Term: "BT-28", Field: "tradingName", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-29", Card: m.Many, Field: "identifiers[]", Path: otherIdentification, Rows: []row{
		{Term: "BT-29", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeID("BT-29-1", "schemeId")},
		{Term: "BT-29", Field: "id", Path: "cbc:ID", Type: m.Identifier, In: PintOM, Attrs: []m.Attr{{Name: "schemeName", Term: "BTOM-015", Field: "schemeName"}}},
	}},
	{Term: "BT-30", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, Attrs: schemeID("BT-30-1", "registrationScheme")},
	{Term: "BT-30", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, In: PintAE, Attrs: []m.Attr{
		{Name: "schemeAgencyID", Term: "BTAE-15", Field: "registrationType"}, {Name: "schemeAgencyName", Term: "BTAE-12 BTAE-18", Field: "registrationIssuer"}}},
	{Term: "BT-31", Field: "vatId", Path: vatRegistration + "/cbc:CompanyID", Type: m.Identifier},
	{Term: "BT-32", Field: "taxId", Path: otherRegistration + "/cbc:CompanyID", Type: m.Identifier},
	{Const: "FC", Path: otherRegistration + "/cac:TaxScheme/cbc:ID"},
	{Const: "TAX", Path: otherRegistration + "/cac:TaxScheme/cbc:ID", In: Peppol}, // Peppol BIS Billing 3.0, NO-R-002
	{Term: "BT-33", Field: "legalInformation", Path: "cac:PartyLegalEntity/cbc:CompanyLegalForm"},
	{Term: "BT-34", Field: "electronicAddress.id", Path: "cbc:EndpointID", Type: m.Identifier, Attrs: schemeID("BT-34-1", "electronicAddress.schemeId")},
	{Term: "BT-90", Field: "/directDebitMandate.creditorId", Path: sepaIdentification + "/cbc:ID", Type: m.Identifier, When: withoutPayee},
	{Term: "BG-5", Card: m.One, Path: "cac:PostalAddress", Rows: address(35, 162)},
	{Term: "BG-6", Field: "contact", Path: "cac:Contact", Rows: []row{
		{Term: "BT-41", Field: "name", Path: "cbc:Name"},
		{Term: "BT-42", Field: "phone", Path: "cbc:Telephone"},
		{Term: "BT-43", Field: "email", Path: "cbc:ElectronicMail"},
	}},
}

var buyer = []row{
	{Term: "BT-44", Card: m.One, Field: "name", Path: "cac:PartyLegalEntity/cbc:RegistrationName"},
	{Term: "BT-45", Field: "tradingName", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-46", Card: m.Many, Field: "identifiers[]", Path: "cac:PartyIdentification", Rows: []row{
		{Term: "BT-46", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeID("BT-46-1", "schemeId")},
		{Term: "BT-46", Field: "id", Path: "cbc:ID", Type: m.Identifier, In: PintOM, Attrs: []m.Attr{{Name: "schemeName", Term: "BTOM-018", Field: "schemeName"}}},
	}},
	{Term: "BT-47", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, Attrs: schemeID("BT-47-1", "registrationScheme")},
	{Term: "BT-47", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, In: PintAE, Attrs: []m.Attr{
		{Name: "schemeAgencyID", Term: "BTAE-16", Field: "registrationType"}, {Name: "schemeAgencyName", Term: "BTAE-11 BTAE-19", Field: "registrationIssuer"}}},
	{Term: "BT-48", Field: "vatId", Path: vatRegistration + "/cbc:CompanyID", Type: m.Identifier},
	{Term: "BT-49", Field: "electronicAddress.id", Path: "cbc:EndpointID", Type: m.Identifier, Attrs: schemeID("BT-49-1", "electronicAddress.schemeId")},
	{Term: "BG-8", Card: m.One, Path: "cac:PostalAddress", Rows: address(50, 163)},
	{Term: "BG-9", Field: "contact", Path: "cac:Contact", Rows: []row{
		{Term: "BT-56", Field: "name", Path: "cbc:Name"},
		{Term: "BT-57", Field: "phone", Path: "cbc:Telephone"},
		{Term: "BT-58", Field: "email", Path: "cbc:ElectronicMail"},
	}},
}

var payee = []row{
	{Term: "BT-59", Card: m.One, Field: "name", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-60", Card: m.Many, Field: "identifiers[]", Path: otherIdentification, Rows: []row{
		{Term: "BT-60", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeID("BT-60-1", "schemeId")},
	}},
	{Term: "BT-61", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, Attrs: schemeID("BT-61-1", "registrationScheme")},
	{Term: "BT-90", Field: "/directDebitMandate.creditorId", Path: sepaIdentification + "/cbc:ID", Type: m.Identifier},
}

var taxRepresentative = []row{
	{Term: "BT-62", Card: m.One, Field: "name", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-63", Card: m.One, Field: "vatId", Path: vatRegistration + "/cbc:CompanyID", Type: m.Identifier},
	{Term: "BG-12", Card: m.One, Path: "cac:PostalAddress", Rows: address(64, 164)},
}

// address are the members of an address: of the seller (BT-35 to BT-40, BT-162), the buyer (BT-50 to BT-55, BT-163), the tax
// representative (BT-64 to BT-69, BT-164) and of delivery (BT-75 to BT-80, BT-165). Their terms count on from the street; the third
// line, which the standard got last, has a number of its own.
func address(street, thirdLine int) []row {
	term := func(n int) string { return "BT-" + strconv.Itoa(n) }
	return []row{
		{Term: term(street), Field: "street", Path: "cbc:StreetName"},
		{Term: term(street + 1), Field: "additionalStreet", Path: "cbc:AdditionalStreetName"},
		{Term: term(thirdLine), Field: "addressLine3", Path: "cac:AddressLine/cbc:Line"},
		{Term: term(street + 2), Field: "city", Path: "cbc:CityName"},
		{Term: term(street + 3), Field: "postalCode", Path: "cbc:PostalZone"},
		{Term: term(street + 4), Field: "state", Path: "cbc:CountrySubentity"},
		{Term: term(street + 5), Card: m.One, Field: "countryCode", Path: "cac:Country/cbc:IdentificationCode", Type: m.Code},
	}
}

// withoutPayee keeps the creditor identifier with the seller unless there is a payee to carry it.
func withoutPayee(s scope) bool { return s.Invoice.Payee == nil }
