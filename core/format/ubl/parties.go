package ubl

import m "einvoiced/core/mapping"

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

var seller = []m.Row{
	{Term: "BT-27", Field: "name", Path: "cac:PartyLegalEntity/cbc:RegistrationName"},
	{Term: "BT-28", Field: "tradingName", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-29", Field: "identifiers[]", Path: otherIdentification, Rows: []m.Row{
		{Term: "BT-29", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeID("schemeId")}, // BT-29-1
	}},
	{Term: "BT-30", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, Attrs: schemeID("registrationScheme")}, // BT-30-1
	{Term: "BT-31", Field: "vatId", Path: vatRegistration + "/cbc:CompanyID", Type: m.Identifier},
	{Term: "BT-32", Field: "taxId", Path: otherRegistration + "/cbc:CompanyID", Type: m.Identifier},
	{Const: "FC", Path: otherRegistration + "/cac:TaxScheme/cbc:ID"},
	{Term: "BT-33", Field: "legalInformation", Path: "cac:PartyLegalEntity/cbc:CompanyLegalForm"},
	{Term: "BT-34", Field: "electronicAddress.id", Path: "cbc:EndpointID", Type: m.Identifier, Attrs: schemeID("electronicAddress.schemeId")}, // BT-34-1
	{Term: "BT-90", Field: "/directDebitMandate.creditorId", Path: sepaIdentification + "/cbc:ID", Type: m.Identifier, When: withoutPayee},
	// Address (BG-5).
	{Term: "BT-35", Field: "street", Path: "cac:PostalAddress/cbc:StreetName"},
	{Term: "BT-36", Field: "additionalStreet", Path: "cac:PostalAddress/cbc:AdditionalStreetName"},
	{Term: "BT-162", Field: "addressLine3", Path: "cac:PostalAddress/cac:AddressLine/cbc:Line"},
	{Term: "BT-37", Field: "city", Path: "cac:PostalAddress/cbc:CityName"},
	{Term: "BT-38", Field: "postalCode", Path: "cac:PostalAddress/cbc:PostalZone"},
	{Term: "BT-39", Field: "state", Path: "cac:PostalAddress/cbc:CountrySubentity"},
	{Term: "BT-40", Field: "countryCode", Path: "cac:PostalAddress/cac:Country/cbc:IdentificationCode", Type: m.Code},
	// Contact (BG-6).
	{Term: "BT-41", Field: "contact.name", Path: "cac:Contact/cbc:Name"},
	{Term: "BT-42", Field: "contact.phone", Path: "cac:Contact/cbc:Telephone"},
	{Term: "BT-43", Field: "contact.email", Path: "cac:Contact/cbc:ElectronicMail"},
}

var buyer = []m.Row{
	{Term: "BT-44", Field: "name", Path: "cac:PartyLegalEntity/cbc:RegistrationName"},
	{Term: "BT-45", Field: "tradingName", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-46", Field: "identifiers[]", Path: "cac:PartyIdentification", Rows: []m.Row{
		{Term: "BT-46", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeID("schemeId")}, // BT-46-1
	}},
	{Term: "BT-47", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, Attrs: schemeID("registrationScheme")}, // BT-47-1
	{Term: "BT-48", Field: "vatId", Path: vatRegistration + "/cbc:CompanyID", Type: m.Identifier},
	{Term: "BT-49", Field: "electronicAddress.id", Path: "cbc:EndpointID", Type: m.Identifier, Attrs: schemeID("electronicAddress.schemeId")}, // BT-49-1
	// Address (BG-8).
	{Term: "BT-50", Field: "street", Path: "cac:PostalAddress/cbc:StreetName"},
	{Term: "BT-51", Field: "additionalStreet", Path: "cac:PostalAddress/cbc:AdditionalStreetName"},
	{Term: "BT-163", Field: "addressLine3", Path: "cac:PostalAddress/cac:AddressLine/cbc:Line"},
	{Term: "BT-52", Field: "city", Path: "cac:PostalAddress/cbc:CityName"},
	{Term: "BT-53", Field: "postalCode", Path: "cac:PostalAddress/cbc:PostalZone"},
	{Term: "BT-54", Field: "state", Path: "cac:PostalAddress/cbc:CountrySubentity"},
	{Term: "BT-55", Field: "countryCode", Path: "cac:PostalAddress/cac:Country/cbc:IdentificationCode", Type: m.Code},
	// Contact (BG-9).
	{Term: "BT-56", Field: "contact.name", Path: "cac:Contact/cbc:Name"},
	{Term: "BT-57", Field: "contact.phone", Path: "cac:Contact/cbc:Telephone"},
	{Term: "BT-58", Field: "contact.email", Path: "cac:Contact/cbc:ElectronicMail"},
}

var payee = []m.Row{
	{Term: "BT-59", Field: "name", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-60", Field: "identifiers[]", Path: otherIdentification, Rows: []m.Row{
		{Term: "BT-60", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeID("schemeId")}, // BT-60-1
	}},
	{Term: "BT-61", Field: "registrationNumber", Path: "cac:PartyLegalEntity/cbc:CompanyID", Type: m.Identifier, Attrs: schemeID("registrationScheme")}, // BT-61-1
	{Term: "BT-90", Field: "/directDebitMandate.creditorId", Path: sepaIdentification + "/cbc:ID", Type: m.Identifier},
}

var taxRepresentative = []m.Row{
	{Term: "BT-62", Field: "name", Path: "cac:PartyName/cbc:Name"},
	{Term: "BT-63", Field: "vatId", Path: vatRegistration + "/cbc:CompanyID", Type: m.Identifier},
	// Address (BG-12).
	{Term: "BT-64", Field: "street", Path: "cac:PostalAddress/cbc:StreetName"},
	{Term: "BT-65", Field: "additionalStreet", Path: "cac:PostalAddress/cbc:AdditionalStreetName"},
	{Term: "BT-164", Field: "addressLine3", Path: "cac:PostalAddress/cac:AddressLine/cbc:Line"},
	{Term: "BT-66", Field: "city", Path: "cac:PostalAddress/cbc:CityName"},
	{Term: "BT-67", Field: "postalCode", Path: "cac:PostalAddress/cbc:PostalZone"},
	{Term: "BT-68", Field: "state", Path: "cac:PostalAddress/cbc:CountrySubentity"},
	{Term: "BT-69", Field: "countryCode", Path: "cac:PostalAddress/cac:Country/cbc:IdentificationCode", Type: m.Code},
}

// withoutPayee keeps the creditor identifier with the seller unless there is a payee to carry it.
func withoutPayee(s m.Scope) bool { return s.Invoice.Payee == nil }
