package ebinterface

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// withoutVATID stands where a party has no VAT identifier, which the schema demands.
const withoutVATID = "00000000"

var biller = append([]row{
	{Term: "BT-31", Field: "vatId", Path: "VATIdentificationNumber", Type: m.Identifier, Fill: withoutVATID, Required: true},
	{Term: "BT-30", Field: "registrationNumber", Path: "FurtherIdentification[@IdentificationType='FN']", Type: m.Identifier},
	{Term: "BT-32", Field: "taxId", Path: "FurtherIdentification[@IdentificationType='FASTNR']", Type: m.Identifier},
	{Term: "BT-12", Field: "/contractNumber", Path: "FurtherIdentification[@IdentificationType='Contract']", Type: m.Identifier},
	{Term: "BT-14", Field: "/salesOrderNumber", Path: "OrderReference/OrderID", Type: m.Identifier},
}, party("BT-29", "InvoiceRecipientsBillerID", 27, 35, 162, 41)...)

var recipient = append([]row{
	{Term: "BT-48", Field: "vatId", Path: "VATIdentificationNumber", Type: m.Identifier, Fill: withoutVATID, Required: true},
	{Term: "BT-47", Field: "registrationNumber", Path: "FurtherIdentification[@IdentificationType='FN']", Type: m.Identifier},
	{Field: "taxId", Path: "FurtherIdentification[@IdentificationType='FASTNR']", Type: m.Identifier},
	{Term: "BT-13", Field: "/orderNumber", Path: "OrderReference/OrderID", Type: m.Identifier},
	{Term: "BT-19", Field: "/buyerAccountingReference", Path: "AccountingArea", Convert: upTo(20)},
	{Field: "/countrySpecific.govtSubOrganization", Path: "SubOrganizationID"},
}, party("BT-46", "BillersInvoiceRecipientID", 44, 50, 163, 56)...)

// party are the rows that seller and buyer share: their identifiers, of which the other party's is an element by itself, the address and
// the contact. Terms count on from the given ones.
func party(identifier, own string, name, street, third, contact int) []row {
	term := func(n int) string { return "BT-" + strconv.Itoa(n) }
	return []row{
		{Term: identifier, Card: m.Many, Field: "identifiers[]", Path: "Address/AddressIdentifier[@AddressIdentifierType='GLN']", When: of(glnScheme), Codec: identified(glnScheme)},
		{Term: identifier, Card: m.Many, Field: "identifiers[]", Path: "Address/AddressIdentifier[@AddressIdentifierType='DUNS']", When: of(dunsScheme), Codec: identified(dunsScheme)},
		{Term: identifier, Card: m.Many, Field: "identifiers[]", Path: own, Rows: []row{{Term: identifier, Field: "id", Path: ".", Type: m.Identifier}}},
		{Term: term(name), Card: m.One, Field: "name", Path: "Address/Name", Required: true},
		{Term: term(name + 1), Field: "tradingName", Path: "Address/TradingName"},
		{Term: term(street) + " " + term(street+1) + " " + term(third), Path: "Address/Street", Codec: partyStreet},
		{Term: term(street + 2), Field: "city", Path: "Address/Town", Required: true},
		{Term: term(street + 3), Field: "postalCode", Path: "Address/ZIP", Required: true},
		in("Address/", country(term(street+5), "countryCode")),
		{Field: "phone", Path: "Address/Phone"},
		{Field: "email", Path: "Address/Email"},
		{Field: "contact", Path: "Contact", Rows: []row{
			{Term: term(contact), Field: "name", Path: "Name", Required: true},
			{Term: term(contact + 1), Field: "phone", Path: "Phone"},
			{Term: term(contact + 2), Field: "email", Path: "Email"},
		}},
	}
}

// in puts a row below another path.
func in(path string, r row) row {
	r.Path = path + r.Path
	return r
}

// of tells the identifiers of a scheme.
func of(scheme string) func(scope) bool {
	return func(s scope) bool { return s.Group.(*invoice.Identifier).SchemeID == scheme }
}

// identified is for identifiers whose scheme the element tells.
func identified(scheme string) *m.Codec {
	return &m.Codec{
		Fields: []string{"id", "schemeId"},
		Format: func(group any) string { return group.(*invoice.Identifier).ID },
		Parse: func(text string, group any) {
			*group.(*invoice.Identifier) = invoice.Identifier{ID: text, SchemeID: scheme}
		},
	}
}

var partyStreet = &m.Codec{
	Fields: []string{"street", "additionalStreet", "addressLine3"},
	Format: func(group any) string {
		p := group.(*invoice.Party)
		return joined(p.Street, p.AdditionalStreet, p.AddressLine3)
	},
	Parse: func(text string, group any) {
		p := group.(*invoice.Party)
		p.Street, p.AdditionalStreet, p.AddressLine3 = streetLines(text)
	},
}

// country is the row of a country: its name, which derives from the code, and the code.
func country(term, field string) row {
	return row{Term: term, Field: field, Path: "Country", Type: m.Code, Convert: countryNames, Attrs: []m.Attr{{Name: "CountryCode", Term: term, Field: field}}}
}

// countryNames puts the German name of a country in the place of its code. Of a country that is not listed the code is its name.
var countryNames = &m.Converter{
	Write: func(code string) (string, bool) {
		if named := namesOf[code]; named[0] != "" {
			return named[0], true
		}
		return code, true
	},
	Read: func(text string) (string, bool) {
		if code := codesOf[text]; code != "" {
			return code, true
		}
		return text, len(text) == 2
	},
}

// namesOf are countries that invoices of Austria go to or come from, in German and English (ISO 3166-1).
var namesOf = map[string][2]string{
	"AT": {"Österreich", "Austria"}, "BE": {"Belgien", "Belgium"}, "BG": {"Bulgarien", "Bulgaria"}, "CH": {"Schweiz", "Switzerland"},
	"CY": {"Zypern", "Cyprus"}, "CZ": {"Tschechien", "Czechia"}, "DE": {"Deutschland", "Germany"}, "DK": {"Dänemark", "Denmark"},
	"EE": {"Estland", "Estonia"}, "ES": {"Spanien", "Spain"}, "FI": {"Finnland", "Finland"}, "FR": {"Frankreich", "France"},
	"GB": {"Vereinigtes Königreich", "United Kingdom"}, "GR": {"Griechenland", "Greece"}, "HR": {"Kroatien", "Croatia"}, "HU": {"Ungarn", "Hungary"},
	"IE": {"Irland", "Ireland"}, "IS": {"Island", "Iceland"}, "IT": {"Italien", "Italy"}, "LI": {"Liechtenstein", "Liechtenstein"},
	"LT": {"Litauen", "Lithuania"}, "LU": {"Luxemburg", "Luxembourg"}, "LV": {"Lettland", "Latvia"}, "MT": {"Malta", "Malta"},
	"NL": {"Niederlande", "Netherlands"}, "NO": {"Norwegen", "Norway"}, "PL": {"Polen", "Poland"}, "PT": {"Portugal", "Portugal"},
	"RO": {"Rumänien", "Romania"}, "RS": {"Serbien", "Serbia"}, "SE": {"Schweden", "Sweden"}, "SI": {"Slowenien", "Slovenia"},
	"SK": {"Slowakei", "Slovakia"}, "TR": {"Türkei", "Türkiye"}, "US": {"Vereinigte Staaten", "United States"},
}

// codesOf are the codes by these names.
var codesOf = func() map[string]string {
	codes := map[string]string{}
	for code, names := range namesOf {
		codes[names[0]], codes[names[1]] = code, code
	}
	return codes
}()
