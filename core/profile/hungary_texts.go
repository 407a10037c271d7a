package profile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The most characters of texts: names and descriptions of lines, places and streets, reasons.
const (
	navNameLimit        = 512
	navDescriptionLimit = 255
	navReasonLimit      = 200
)

// Additional data has a coded name and words. The names of members of the invoice begin like those that the authority lets everybody make.
const (
	navNote        = "X00001_NOTE Megjegyzés"
	navTerms       = "X00001_TERMS Fizetési feltételek"
	navRemittance  = "X00001_REMITTANCE Közlemény"
	navBuyerRef    = "X00001_BUYER_REFERENCE Vevő hivatkozása"
	navDescription = "X00001_DESCRIPTION Leírás"
	navAttribute   = "X00001_ATTRIBUTE "
)

// navDataName is the form of names of additional data (DataNameType), with the words behind them.
var navDataName = regexp.MustCompile(`^[A-Z][0-9]{5}_[_A-Z0-9]{1,249} \S`)

const navExtra = "invoiceMain/invoice/invoiceHead/invoiceDetail/additionalInvoiceData"

// navTexts: notes, terms of payment and references are additional data of the invoice. What others have there stays in national.
var navTexts = Step{
	Name: "texts",
	Moves: []Move{{"notes", "noteEntries[].text"}, {"paymentTerms.description", "noteEntries[].text"}, {"paymentReference", "noteEntries[].text"},
		{"buyerReference", "noteEntries[].text"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		var entries []invoice.Note
		add := func(name string, text *string) {
			for _, part := range textParts(*text, navNameLimit) {
				entries = append(entries, invoice.Note{SubjectCode: name, Text: part})
			}
			*text = ""
		}
		add(navNote, &inv.Notes)
		for i := range inv.NoteEntries {
			n := &inv.NoteEntries[i]
			if n.SubjectCode != "" {
				field := entry("noteEntries", i)() + ".subjectCode"
				d.warn(finding.FieldNotWritten, field, "%s is not written: NAV has no subjects of notes", field)
			}
			add(navNote, &n.Text)
		}
		if inv.PaymentTerms != nil {
			add(navTerms, &inv.PaymentTerms.Description)
		}
		add(navRemittance, &inv.PaymentReference)
		add(navBuyerRef, &inv.BuyerReference)
		for _, g := range groupsOf(inv, navExtra) {
			entries = append(entries, invoice.Note{SubjectCode: g["dataName"] + " " + g["dataDescription"], Text: g["dataValue"]})
		}
		inv.NoteEntries = entries
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		var rest []group
		for _, n := range inv.NoteEntries {
			switch n.SubjectCode {
			case navNote:
				inv.Notes = joined(inv.Notes, n.Text, "\n")
			case navTerms:
				termsOf(inv).Description = joined(termsOf(inv).Description, n.Text, "\n")
			case navRemittance:
				inv.PaymentReference = joined(inv.PaymentReference, n.Text, " ")
			case navBuyerRef:
				inv.BuyerReference = joined(inv.BuyerReference, n.Text, " ")
			default:
				name, words, _ := strings.Cut(n.SubjectCode, " ")
				rest = append(rest, group{"dataName": name, "dataDescription": words, "dataValue": n.Text})
			}
		}
		inv.NoteEntries = nil
		putGroups(inv, navExtra, rest)
	},
}

// navLineTexts: descriptions and notes of lines are additional data like their attributes, whose names may be those of additional data.
var navLineTexts = Step{
	Name:  "texts of lines",
	Moves: []Move{{"items[].itemDescription", "items[].attributes[].value"}, {"items[].note", "items[].attributes[].value"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			var data []invoice.Attribute
			add := func(name, text string) {
				for _, part := range textParts(text, navNameLimit) {
					data = append(data, invoice.Attribute{Name: name, Value: part})
				}
			}
			add(navDescription, it.ItemDescription)
			add(navNote, it.Note)
			for j := range it.Attributes {
				name := it.Attributes[j].Name
				if !navDataName.MatchString(name) {
					field := entry(entry("items", i)()+".attributes", j)() + ".name"
					d.shorten(&name, navDescriptionLimit, field, "dataDescription")
					name = navAttribute + name
				}
				add(name, it.Attributes[j].Value)
			}
			it.ItemDescription, it.Note, it.Attributes = "", "", data
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Items {
			it := &d.Invoice.Items[i]
			data := it.Attributes
			it.Attributes = nil
			for _, a := range data {
				plain, ours := strings.CutPrefix(a.Name, navAttribute)
				switch {
				case a.Name == navDescription:
					it.ItemDescription = joined(it.ItemDescription, a.Value, " ")
				case a.Name == navNote:
					it.Note = joined(it.Note, a.Value, " ")
				case ours:
					it.Attributes = append(it.Attributes, invoice.Attribute{Name: plain, Value: a.Value})
				default:
					it.Attributes = append(it.Attributes, a)
				}
			}
		}
	},
}

// navLongTexts: texts are not longer than their elements.
var navLongTexts = Step{
	Name: "long texts",
	Derive: func(d *Draft) {
		inv := d.Invoice
		for i := range inv.Items {
			it := &inv.Items[i]
			if oneLine(&it.Description); len(it.Description) > navNameLimit {
				d.shorten(&it.Description, navNameLimit, entry("items", i)()+".description", "lineDescription")
			}
		}
		for i, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if p == nil {
				continue
			}
			party := []string{"seller", "buyer"}[i]
			for _, text := range []*string{&p.Name, &p.City, &p.Street, &p.AdditionalStreet, &p.AddressLine3, &p.State} {
				oneLine(text)
			}
			d.shorten(&p.Name, navNameLimit, party+".name", []string{"supplierName", "customerName"}[i])
			d.shorten(&p.City, navDescriptionLimit, party+".city", "city")
			d.shortStreet(p, party)
			navLocations(d, p, party)
		}
	},
	Restore: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil {
				continue
			}
			for i := range p.Identifiers {
				p.Identifiers[i].SchemeID = glnScheme
			}
		}
	},
}

// oneLine makes white space in a text single blanks: most texts are of one line.
func oneLine(text *string) {
	if strings.ContainsAny(*text, "\r\n\t") {
		*text = strings.Join(strings.Fields(*text), " ")
	}
}

// shortStreet cuts a street that is too long with what belongs to it.
func (d *Draft) shortStreet(p *invoice.Party, party string) {
	all := strings.Join(set(p.Street, p.AdditionalStreet, p.AddressLine3), ", ")
	if len(all) <= navDescriptionLimit {
		return
	}
	d.shorten(&all, navDescriptionLimit, party+".street", "additionalAddressDetail")
	p.Street, p.AdditionalStreet, p.AddressLine3 = all, "", ""
}

// navLocations leaves the location numbers of a party, which alone have a place.
func navLocations(d *Draft, p *invoice.Party, party string) {
	p.Identifiers = slices.Clone(p.Identifiers)
	kept := p.Identifiers[:0]
	for i, id := range p.Identifiers {
		if id.SchemeID == glnScheme {
			kept = append(kept, invoice.Identifier{ID: id.ID, SchemeName: id.SchemeName})
			continue
		}
		field := entry(party+".identifiers", i)()
		d.warn(finding.FieldNotWritten, field, "%s is not written: NAV has location numbers of parties (glnNumber, scheme %s)", field, glnScheme)
	}
	if p.Identifiers = kept; len(kept) == 0 {
		p.Identifiers = nil
	}
}
