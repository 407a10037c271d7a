package standard

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/einvoiced/einvoiced/core/country"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// nameTax calls the tax and the numbers of the parties as the country does, in each language of the document.
func (d *data) nameTax() {
	for name, of := range map[string]func(country.Tax) string{
		"tax": func(t country.Tax) string { return t.Name }, "rate": func(t country.Tax) string { return t.Name },
		"vatId": func(t country.Tax) string { return t.Number }, "taxId": func(t country.Tax) string { return t.Other },
	} {
		var said []string
		for _, language := range d.languages() {
			if word := of(d.of.Tax[language]); word != "" && !slices.Contains(said, word) {
				said = append(said, word)
			}
		}
		if both := len(d.languages()) > 1; len(said) > 0 && (!both || name == "vatId" || name == "taxId") { // in two languages the name of the tax takes too much room
			d.labels[name] = capital(strings.Join(said, " / "))
		}
	}
}

// capital begins a label with a capital letter, as the names of taxes do not in some languages.
func capital(label string) string {
	first, size := utf8.DecodeRuneInString(label)
	return string(unicode.ToUpper(first)) + label[size:]
}

// place is the line of an address with its place, in the order of the address's own country, and the name of the country where that is another than
// the document's.
func (d *data) place(p *invoice.Party) (place, land string) {
	members := map[string]string{"postalCode": p.PostalCode, "city": p.City, "state": p.State}
	order := []string{"postalCode", "city"}
	if of, known := d.facts.Country(p.CountryCode); known {
		order = of.Address
	}
	var parts []string
	for _, member := range order {
		parts = append(parts, members[member])
	}
	if !slices.Contains(order, "state") && p.State != p.CountryCode {
		parts = append(parts, p.State)
	}
	if p.CountryCode != d.of.Code {
		land = d.land(p.CountryCode)
	}
	return joined(" ", parts...), land
}

// land is the name of a country in the languages of the document (Unicode CLDR); its code where there is none.
func (d *data) land(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	var names []string
	for _, spoken := range d.languages() {
		name := ""
		if namer := display.Regions(language.Make(spoken)); namer != nil {
			name = namer.Name(region)
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return code
	}
	return strings.Join(names, " / ")
}

// numbers are the numbers that a party is registered under. What a member of countrySpecific says of the seller is said in its words alone.
func (d *data) numbers(p *invoice.Party) []string {
	var own []country.Printed
	if p == d.inv.Seller {
		own = d.printedAt(country.AtSeller)
	}
	var list []string
	for _, n := range []struct{ label, value string }{{"vatId", p.VATID}, {"taxId", p.TaxID}, {"registration", p.RegistrationNumber}} {
		if !slices.ContainsFunc(own, func(o country.Printed) bool { return o.Value == n.value }) {
			list = append(list, d.labelled(n.label, n.value))
		}
	}
	for _, o := range own {
		list = append(list, o.Line)
	}
	return slices.DeleteFunc(list, func(line string) bool { return line == "" })
}

// printedAt is what the members of countrySpecific say at a place, in each language of the document.
func (d *data) printedAt(place string) []country.Printed {
	var list []country.Printed
	for _, language := range d.languages() {
		for _, p := range d.of.PrintedOf(d.inv, language) {
			if p.Place == place && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

func (d *data) printed(place string) []string {
	var lines []string
	for _, p := range d.printedAt(place) {
		lines = append(lines, p.Line)
	}
	return lines
}

// representative is who is liable for the tax in place of the seller (VAT Directive art. 226(15)).
func (d *data) representative() string {
	r := d.inv.TaxRepresentative
	if r == nil {
		return ""
	}
	place, land := d.place(&invoice.Party{PostalCode: r.PostalCode, City: r.City, State: r.State, CountryCode: r.CountryCode})
	return joined(", ", d.labelled("representative", r.Name), r.Street, r.AdditionalStreet, r.AddressLine3, place, land, d.labelled("vatId", r.VATID))
}

// buyerReference is that of the invoice, else one of its national twins (supplement §1c).
func (d *data) buyerReference() string {
	reference := d.inv.BuyerReference
	if cs := d.inv.CountrySpecific; cs != nil {
		reference = cmp.Or(reference, cs.BuyerReference, cs.LeitwegID)
	}
	return reference
}

// danishCard is the line of a Danish payment card as people type it in: the kind of card, the identifier of the payment, and the number of the
// creditor or the giro account (OCR line of Betalingsservice, FI-kort).
func (d *data) danishCard() string {
	cs := d.inv.CountrySpecific
	if cs == nil || cs.FIK == nil || d.of.Code != "DK" {
		return ""
	}
	return "+" + cs.FIK.CardType + "<" + cs.FIK.PaymentID + "+" + cmp.Or(cs.FIK.CreditorNumber, cs.GiroAccount) + "<"
}

// closing is what stands below all else.
func (d *data) closing() []string {
	lines := d.printed(country.AtEnd)
	cs := d.inv.CountrySpecific
	switch {
	case cs != nil && d.of.Code == "PT":
		if lines = d.certified(cs); d.official().Content != "" { // which has them beside it
			lines = nil
		}
	case cs != nil && d.of.Code == "FR" && cs.Notes != nil:
		for _, note := range []string{cs.Notes.PMT, cs.Notes.PMD, cs.Notes.AAB} {
			if note != "" && !slices.Contains(lines, note) {
				lines = append(lines, note)
			}
		}
	}
	return lines
}
