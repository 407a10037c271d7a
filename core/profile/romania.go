package profile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// CIUSRO is the specification identifier (BT-24) of CIUS-RO 1.0.1 (Ministerul Finanțelor).
const CIUSRO = "urn:cen.eu:en16931:2017#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.1"

// Romania is CIUS-RO 1.0.1.
func Romania() *Profile {
	steps := replaced(CommonSteps(), map[string][]Step{taxCurrency.Name: {accountedIn("RON", true, false)}}) // BR-RO-030
	return New(Profile{
		Token: "ubl", Country: "RO", Specification: CIUSRO, TypeCodes: []string{"380", "381", "384", "389", "751"}, TypeRule: "BR-RO-020",
		Refused: map[invoice.Type]string{invoice.TypeProforma: "CIUS-RO has no pro forma invoice; send it as pdf"},
		Steps:   slices.Concat([]Step{romanianNumbers, romanianPlaces}, steps, []Step{termsSentence, retention, discountSentence}),
	})
}

// romanianNumbers: the fiscal code is the VAT identifier (BT-31) where it has the prefix RO, else the other tax registration (BT-32;
// BR-RO-065); the entry in the trade register is the legal registration (BT-30).
var romanianNumbers = Step{
	Name: "numbers of the seller",
	Moves: []Move{
		{"countrySpecific.cui", "seller.vatId"}, {"countrySpecific.cui", "seller.taxId"}, {"countrySpecific.tradeRegister", "seller.registrationNumber"},
	},
	Derive: func(d *Draft) {
		s, cs := d.Invoice.Seller, specificOf(d.Invoice)
		if s == nil {
			return
		}
		switch {
		case cs.CUI == "":
		case strings.HasPrefix(cs.CUI, "RO"), s.VATID == "RO"+cs.CUI:
			takeNumber(d, "RO", &cs.CUI)
		default:
			moveInto(&s.TaxID, &cs.CUI)
		}
		moveInto(&s.RegistrationNumber, &cs.TradeRegister)
	},
}

// romanianPlaces: the county of a place in Romania is a code of ISO 3166-2 (BR-RO-110 to 212), and the city of one in Bucharest its
// sector (BR-RO-100 to 202). The seller's county has a national twin.
var romanianPlaces = Step{
	Name:  "counties and sectors",
	Moves: []Move{{"countrySpecific.county", "seller.state"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if s := inv.Seller; s != nil {
			cs.County = countyCode("RO", cs.County)
			s.State = countyCode(s.CountryCode, s.State)
			moveInto(&s.State, &cs.County)
			s.City = sector(s.CountryCode, s.State, s.City)
		}
		if b := inv.Buyer; b != nil {
			b.State = countyCode(b.CountryCode, b.State)
			b.City = sector(b.CountryCode, b.State, b.City)
		}
		if r := inv.TaxRepresentative; r != nil {
			r.State = countyCode(r.CountryCode, r.State)
			r.City = sector(r.CountryCode, r.State, r.City)
		}
		if inv.Delivery != nil && inv.Delivery.Address != nil {
			a := inv.Delivery.Address
			a.State = countyCode(a.CountryCode, a.State)
			a.City = sector(a.CountryCode, a.State, a.City)
		}
	},
}

// shortCounty is a code of a county without that of the country.
var shortCounty = regexp.MustCompile(`^[A-Z]{1,2}$`)

func countyCode(country, county string) string {
	if country == "RO" && shortCounty.MatchString(county) {
		return "RO-" + county
	}
	return county
}

// sectorName is a sector of Bucharest as it is written otherwise: Sector 3, Sectorul 3, București, sector 3.
var sectorName = regexp.MustCompile(`(?i)^(?:bucure[sșş]ti[, ]+)?sector(?:ul)? ?([1-6])$`)

func sector(country, county, city string) string {
	if found := sectorName.FindStringSubmatch(city); found != nil && country == "RO" && county == "RO-B" {
		return "SECTOR" + found[1]
	}
	return city
}
