package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The most characters of names and addresses (TextMax types of Facturae).
const (
	mostAddress  = 80
	mostTown     = 50
	mostProvince = 20
	mostTrading  = 40
	mostContact  = 40
	mostTitle    = 80
)

// spanishPostcode is a postcode of Spain.
var spanishPostcode = regexp.MustCompile(`^[0-9]{5}$`)

// facturaeParties: a party has a tax number, whose form tells a person, and an address that is complete in Spain.
var facturaeParties = Step{
	Name: "parties",
	Moves: []Move{{"seller.taxId", "seller.vatId"}, {"buyer.taxId", "buyer.vatId"}, {"seller.additionalStreet", "seller.street"}, {"buyer.additionalStreet", "buyer.street"},
		{"seller.addressLine3", "seller.street"}, {"buyer.addressLine3", "buyer.street"}},
	Copies: []Move{{"seller.postalCode", "seller.state"}, {"buyer.postalCode", "buyer.state"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		d.keepFirst(inv.Seller, "seller", "BT-29")
		d.oneOf(cs.PersonType, "countrySpecific.personType", "J", "F")
		d.oneOf(cs.ResidenceType, "countrySpecific.residenceType", "R", "U", "E")
		for _, at := range partiesOf(inv) {
			d.facturaeParty(at.party, at.name)
		}
		if r := inv.TaxRepresentative; r != nil {
			a := invoice.Party{Street: r.Street, AdditionalStreet: r.AdditionalStreet, AddressLine3: r.AddressLine3, City: r.City, PostalCode: r.PostalCode, State: r.State, CountryCode: r.CountryCode}
			d.facturaeAddress(&a, "taxRepresentative")
			r.Street, r.AdditionalStreet, r.AddressLine3, r.City, r.PostalCode, r.State = a.Street, a.AdditionalStreet, a.AddressLine3, a.City, a.PostalCode, a.State
		}
	},
	Restore: restoreFacturaeParties,
}

// namedParty is a party with the name of its member.
type namedParty struct {
	name  string
	party *invoice.Party
}

// partiesOf are seller and buyer, where they are there.
func partiesOf(inv *invoice.Invoice) []namedParty {
	var all []namedParty
	for _, at := range []namedParty{{"seller", inv.Seller}, {"buyer", inv.Buyer}} {
		if at.party != nil {
			all = append(all, at)
		}
	}
	return all
}

// withPayee are those with the payee, whom the claim is assigned to.
func withPayee(inv *invoice.Invoice) []namedParty {
	all := partiesOf(inv)
	if inv.Payee != nil {
		all = append(all, namedParty{"payee", inv.Payee})
	}
	return all
}

func (d *Draft) oneOf(text, field string, allowed ...string) {
	if text == "" {
		return
	}
	for _, one := range allowed {
		if one == text {
			return
		}
	}
	d.refuse(finding.InvalidValue, field, "%s is %s: it is one of %s", field, text, strings.Join(allowed, ", "))
}

func (d *Draft) facturaeParty(p *invoice.Party, name string) {
	if oneNumber(p); p.VATID == "" {
		d.refuse(finding.MissingField, name+".vatId", "%s.vatId is required, or %s.taxId: Facturae identifies both parties by their tax number", name, name)
	}
	if a := p.ElectronicAddress; a != nil && (a.ID == p.Email || a.ID == p.VATID || p.Contact != nil && a.ID == p.Contact.Email) {
		p.ElectronicAddress = nil // another member says it
	}
	d.facturaeAddress(p, name)
}

// oneNumber has the tax number of a party in one place: the VAT identifier, else the other one.
func oneNumber(p *invoice.Party) {
	if p.VATID == "" || PlainNIF(p.TaxID) == PlainNIF(p.VATID) {
		p.VATID, p.TaxID = cmp.Or(p.VATID, p.TaxID), ""
	}
}

func (d *Draft) facturaeAddress(p *invoice.Party, name string) {
	plainAddress(p)
	if p.CountryCode != "" && CountryOfFacturae(p.CountryCode) == "" {
		d.refuse(finding.InvalidValue, name+".countryCode", "%s.countryCode is %s, a country that Facturae does not have", name, p.CountryCode)
	}
	if p.CountryCode != "ES" {
		return
	}
	if !spanishPostcode.MatchString(p.PostalCode) {
		d.refuse(finding.InvalidValue, name+".postalCode", "%s.postalCode is %q: a postcode of Spain has five digits, and Facturae demands it", name, p.PostalCode)
	}
	if p.Street == "" {
		d.refuse(finding.MissingField, name+".street", "%s.street is required: Facturae demands it of addresses in Spain", name)
	}
	if p.City == "" {
		d.refuse(finding.MissingField, name+".city", "%s.city is required: Facturae demands it of addresses in Spain", name)
	}
}

// plainAddress has the street in one line as far as there is room for it, and in Spain the postcode without its country, and the province.
func plainAddress(p *invoice.Party) {
	for _, more := range []*string{&p.AdditionalStreet, &p.AddressLine3} {
		if joined := strings.TrimPrefix(p.Street+", "+*more, ", "); *more != "" && utf8.RuneCountInString(joined) <= mostAddress {
			p.Street, *more = joined, ""
		}
	}
	if p.CountryCode == "ES" {
		p.PostalCode = strings.TrimPrefix(strings.TrimPrefix(p.PostalCode, "ES-"), "E-")
		p.State = cmp.Or(p.State, provinceOf(p.PostalCode), p.City)
	}
}

// restoreFacturaeParties gives the numbers of taxpayers of Spain the form of VAT identifiers; numbers that are none are tax numbers.
func restoreFacturaeParties(d *Draft) {
	inv := d.Invoice
	for _, at := range withPayee(inv) {
		p := at.party
		if p.VATID = spanishVATID(p.VATID, p.CountryCode); countryOfVATID(p.VATID) != p.CountryCode {
			p.TaxID, p.VATID = p.VATID, ""
		}
	}
	if r := inv.TaxRepresentative; r != nil {
		r.VATID = spanishVATID(r.VATID, r.CountryCode)
	}
}

func spanishVATID(number, country string) string {
	if plain := PlainNIF(number); country == "ES" && nifForm.MatchString(plain) {
		return "ES" + plain
	}
	return number
}

// facturaeTextLimits cuts off what is too long, and tells it.
var facturaeTextLimits = Step{
	Name: "text limits",
	Derive: func(d *Draft) {
		inv := d.Invoice
		for _, at := range withPayee(inv) {
			p, name := at.party, at.name
			d.fits(&p.Name, mostTitle, name+".name")
			d.fits(&p.TradingName, mostTrading, name+".tradingName")
			d.fits(&p.Street, mostAddress, name+".street")
			d.fits(&p.City, mostTown, name+".city")
			d.fits(&p.State, mostProvince, name+".state")
			// Abroad they are one element (PostCodeAndTown).
			if joined := PostCodeAndTown(p.PostalCode, p.City); p.CountryCode != "ES" && utf8.RuneCountInString(joined) > mostTown {
				d.fits(&p.PostalCode, mostTown/2, name+".postalCode")
				d.fits(&p.City, mostTown-1-utf8.RuneCountInString(p.PostalCode), name+".city")
			}
			if p.Contact != nil {
				d.fits(&p.Contact.Name, mostContact, name+".contact.name")
			}
		}
		if r := inv.TaxRepresentative; r != nil {
			d.fits(&r.Name, mostTitle, "taxRepresentative.name")
			d.fits(&r.Street, mostAddress, "taxRepresentative.street")
			d.fits(&r.PostalCode, mostTown/2, "taxRepresentative.postalCode")
			d.fits(&r.City, mostTown-1-utf8.RuneCountInString(r.PostalCode), "taxRepresentative.city")
			d.fits(&r.State, mostProvince, "taxRepresentative.state")
		}
		d.facturaeNumbers()
		for i := range inv.Items {
			it := &inv.Items[i]
			d.fitsIn(&it.Description, longestText, i, "description")
			d.fitsIn(&it.ItemDescription, longestText, i, "itemDescription")
			// It stands in one element with the description, behind a mark of its own (AdditionalLineItemInformation).
			d.fitsIn(&it.Note, longestText-len(it.ItemDescription)-10, i, "note")
			d.fitsIn(&it.TaxExemptionReason, longestText, i, "taxExemptionReason")
		}
		d.fits(&inv.Notes, longestText, "notes")
		if inv.PaymentTerms != nil {
			d.fits(&inv.PaymentTerms.Description, longestText, "paymentTerms.description")
		}
	},
}

// facturaeNumbers refuses numbers that are too long: they are not cut off.
func (d *Draft) facturaeNumbers() {
	inv := d.Invoice
	for _, number := range [][2]string{{"invoiceNumber", inv.InvoiceNumber}, {"countrySpecific.invoiceSeries", countryOf(inv).InvoiceSeries}} {
		if n := utf8.RuneCountInString(number[1]); n > longestNumber {
			d.refuse(finding.InvalidValue, number[0], "%s has %d characters, and Facturae has room for %d; a series of its own can go to countrySpecific.invoiceSeries", number[0], n, longestNumber)
		}
	}
}

func (d *Draft) fitsIn(text *string, most, i int, member string) {
	if len(*text) > most {
		d.fits(text, max(0, most), fmt.Sprintf("items[%d].%s", i, member))
	}
}

// fits cuts a text off at its length, and tells it.
func (d *Draft) fits(text *string, most int, field string) {
	n := utf8.RuneCountInString(*text)
	if n <= most {
		return
	}
	d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: field, Maximum: int64(most),
		Message: fmt.Sprintf("%s has %d characters: its first %d are written, for Facturae has no room for more", field, n, most)})
	*text = strings.TrimRight(clipText(*text, most), " ")
}

// centreList is the path of the offices of a buyer.
const centreList = "Parties/BuyerParty/AdministrativeCentres/AdministrativeCentre"

// centreRoles are the offices of DIR3 with their roles (RoleTypeCode).
var centreRoles = []struct {
	role string
	of   func(*invoice.DIR3) *string
}{
	{"01", func(o *invoice.DIR3) *string { return &o.AccountingOffice }},
	{"02", func(o *invoice.DIR3) *string { return &o.ManagingBody }},
	{"03", func(o *invoice.DIR3) *string { return &o.ProcessingUnit }},
	{"04", func(o *invoice.DIR3) *string { return &o.ProposingBody }},
}

// facturaeCentres: the offices of a public buyer (DIR3) are its administrative centres, with its address.
var facturaeCentres = Step{
	Name: "administrative centres",
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if cs.DIR3 == nil || inv.Buyer == nil {
			return
		}
		d.warn(finding.UnsignedFacturae, "countrySpecific.dir3", "the document is not signed: public administrations take Facturae with a signature only (XAdES, policy of Facturae 3.1)")
		groups := groupsOf(inv, centreList)
		for _, r := range centreRoles {
			code := *r.of(cs.DIR3)
			if code == "" {
				continue
			}
			centre := centreWith(groups, r.role)
			if centre == nil {
				centre = group{"RoleTypeCode": r.role}
				for name, text := range centreAddress(inv.Buyer) {
					centre[name] = text
				}
				groups = append(groups, centre)
			}
			centre["CentreCode"] = code
		}
		putGroups(inv, centreList, groups)
		cs.DIR3 = nil
	},
	Restore: restoreCentres,
}

func centreWith(groups []group, role string) group {
	for _, g := range groups {
		if g["RoleTypeCode"] == role {
			return g
		}
	}
	return nil
}

// centreAddress are the elements of the address of a buyer.
func centreAddress(p *invoice.Party) group {
	country := CountryOfFacturae(p.CountryCode)
	if p.CountryCode == "ES" {
		return group{"AddressInSpain/Address": clipText(p.Street, mostAddress), "AddressInSpain/PostCode": p.PostalCode, "AddressInSpain/Town": clipText(p.City, mostTown),
			"AddressInSpain/Province": clipText(p.State, mostProvince), "AddressInSpain/CountryCode": country}
	}
	return group{"OverseasAddress/Address": clipText(p.Street, mostAddress), "OverseasAddress/PostCodeAndTown": clipText(PostCodeAndTown(p.PostalCode, p.City), mostTown),
		"OverseasAddress/Province": clipText(p.State, mostProvince), "OverseasAddress/CountryCode": country}
}

// restoreCentres gives the key the codes of the offices. Offices of which nothing else is said than the buyer's address go from national.
func restoreCentres(d *Draft) {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	groups := groupsOf(inv, centreList)
	if len(groups) == 0 || inv.Buyer == nil {
		putGroups(inv, centreList, groups)
		return
	}
	offices, plain, seen := &invoice.DIR3{}, true, map[string]bool{}
	address := centreAddress(inv.Buyer)
	for _, g := range groups {
		known := false
		for _, r := range centreRoles {
			if g["RoleTypeCode"] == r.role && !seen[r.role] && g["CentreCode"] != "" {
				*r.of(offices), known, seen[r.role] = g["CentreCode"], true, true
			}
		}
		plain = plain && known && len(g) == 2+len(address)
		for name, text := range address {
			plain = plain && g[name] == text
		}
	}
	if *offices != (invoice.DIR3{}) {
		cs.DIR3 = offices
	}
	if !plain {
		putGroups(inv, centreList, groups)
	}
}
