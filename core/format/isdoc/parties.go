package isdoc

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

func term(n int) string { return "BT-" + strconv.Itoa(n) }

// party are the rows of a seller or buyer; street and contact are the numbers of the terms that the others follow, known rows of what the
// other party knows it by.
func party(street int, registration, vat, tax string, contact int, known ...row) []row {
	return []row{
		{Path: "PartyIdentification", Required: true, Rows: append(known, []row{
			{Card: m.Many, Field: "identifiers[]", Path: "CatalogFirmIdentification", Rows: []row{{Field: "id", Path: ".", Type: m.Identifier, Convert: gln}}},
			{Term: registration, Field: "registrationNumber", Path: "ID", Type: m.Identifier, Required: true},
		}...)},
		{Path: "PartyName", Required: true, Rows: []row{{Term: term(27 + 17*(street/50)), Card: m.One, Field: "name", Path: "Name", Required: true}}},
		{Path: "PostalAddress", Required: true, Rows: []row{
			{Term: term(street) + " " + term(street+1) + " " + term(162+street/50), Path: "StreetName", Required: true, Codec: street1(false)},
			{Term: term(street), Path: "BuildingNumber", Required: true, Codec: street1(true)},
			{Term: term(street + 2), Field: "city", Path: "CityName", Required: true},
			{Term: term(street + 3), Field: "postalCode", Path: "PostalZone", Required: true},
			{Path: "Country", Required: true, Rows: []row{
				{Term: term(street + 5), Card: m.One, Field: "countryCode", Path: "IdentificationCode", Type: m.Code, Required: true},
				{Term: term(street + 5), Path: "Name", Required: true, Computed: partyCountry},
			}},
		}},
		{Term: vat, Field: "vatId", Path: "PartyTaxScheme[TaxScheme='VAT']/CompanyID", Type: m.Identifier},
		{Term: tax, Field: "taxId", Path: "PartyTaxScheme[TaxScheme='TIN']/CompanyID", Type: m.Identifier},
		{Term: term(contact), Field: "contact.name", Path: "Contact/Name"},
		{Term: term(contact + 1), Field: "contact.phone", Path: "Contact/Telephone"},
		{Term: term(contact + 2), Field: "contact.email", Path: "Contact/ElectronicMail"},
	}
}

// houseNumber is a street with a number at its end, such as Na Příkopě 33/12.
var houseNumber = regexp.MustCompile(`^(.*\S)\s+([0-9][0-9A-Za-z/-]*)$`)

// streetOf gives the lines of an address in one, and the house number, which an address with more than a street has none of.
func streetOf(street, additional, third string) (name, number string) {
	if additional == "" && third == "" {
		if parts := houseNumber.FindStringSubmatch(street); parts != nil {
			return parts[1], parts[2]
		}
		return street, ""
	}
	var lines []string
	for _, line := range []string{street, additional, third} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, ", "), ""
}

func piece(number bool, street, additional, third string) string {
	name, house := streetOf(street, additional, third)
	if number {
		return house
	}
	return name
}

// street1 is the street of a party, or the number of its house.
func street1(number bool) *m.Codec {
	return &m.Codec{
		Fields: []string{"street", "additionalStreet", "addressLine3"},
		Format: func(group any) string {
			p := group.(*invoice.Party)
			return piece(number, p.Street, p.AdditionalStreet, p.AddressLine3)
		},
		Parse: func(text string, group any) {
			p := group.(*invoice.Party)
			p.Street = strings.TrimSpace(p.Street + " " + strings.TrimSpace(text))
		},
	}
}

func deliveryStreet(number bool) *m.Codec {
	return &m.Codec{
		Fields: []string{"delivery.address.street", "delivery.address.additionalStreet", "delivery.address.addressLine3"},
		Format: func(group any) string {
			if d := group.(*invoice.Invoice).Delivery; d != nil && d.Address != nil {
				return piece(number, d.Address.Street, d.Address.AdditionalStreet, d.Address.AddressLine3)
			}
			return ""
		},
		Parse: func(text string, group any) {
			a := deliveryAddress(group.(*invoice.Invoice))
			a.Street = strings.TrimSpace(a.Street + " " + strings.TrimSpace(text))
		},
	}
}

// deliveryAddress gives the place of delivery, which is made where there is none.
func deliveryAddress(inv *invoice.Invoice) *invoice.Address {
	if inv.Delivery == nil {
		inv.Delivery = &invoice.Delivery{}
	}
	if inv.Delivery.Address == nil {
		inv.Delivery.Address = &invoice.Address{}
	}
	return inv.Delivery.Address
}

// partyCountry is the name of a party's country.
var partyCountry = &computed{
	Of:   []string{"countryCode"},
	Text: func(s scope) string { return countryNames[s.Group.(*invoice.Party).CountryCode] },
	Take: func(stated string, s scope) bool {
		p := s.Group.(*invoice.Party)
		if p.CountryCode == "" {
			p.CountryCode = countryNamed(stated)
		}
		return p.CountryCode != ""
	},
}

var deliveryCountry = &computed{
	Of: []string{"delivery.address.countryCode"},
	Text: func(s scope) string {
		if d := s.Invoice.Delivery; d != nil && d.Address != nil {
			return countryNames[d.Address.CountryCode]
		}
		return ""
	},
}

func countryNamed(text string) string {
	for code, name := range countryNames {
		if strings.EqualFold(name, text) {
			return code
		}
	}
	return ""
}

// countryNames are the Czech names of countries that invoices of Czechia go to or come from (ISO 3166-1).
var countryNames = map[string]string{
	"AT": "Rakousko", "BE": "Belgie", "BG": "Bulharsko", "CH": "Švýcarsko", "CY": "Kypr", "CZ": "Česká republika", "DE": "Německo", "DK": "Dánsko", "EE": "Estonsko",
	"ES": "Španělsko", "FI": "Finsko", "FR": "Francie", "GB": "Spojené království", "GR": "Řecko", "HR": "Chorvatsko", "HU": "Maďarsko", "IE": "Irsko", "IS": "Island",
	"IT": "Itálie", "LI": "Lichtenštejnsko", "LT": "Litva", "LU": "Lucembursko", "LV": "Lotyšsko", "MT": "Malta", "NL": "Nizozemsko", "NO": "Norsko", "PL": "Polsko",
	"PT": "Portugalsko", "RO": "Rumunsko", "RS": "Srbsko", "SE": "Švédsko", "SI": "Slovinsko", "SK": "Slovensko", "TR": "Turecko", "UA": "Ukrajina", "US": "Spojené státy",
}

// countryOf gives the members of a country, which are made where there are none.
func countryOf(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	return inv.CountrySpecific
}
