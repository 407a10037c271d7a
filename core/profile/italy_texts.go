package profile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// reaNumber is an entry in the register of companies: the province and the number (REA).
var reaNumber = regexp.MustCompile(`^([A-Z]{2})[- ]?([0-9]{1,20})$`)

// italianParties: the register number is that of the REA, the lines of an address are one, and postcodes are those of Italy.
// CAP is mandatory and has five digits, so that addresses abroad have 00000 there.
var italianParties = Step{
	Name: "parties",
	Moves: []Move{{"seller.registrationNumber", "countrySpecific.rea.number"}, {"seller.registrationNumber", "countrySpecific.rea.office"},
		{"seller.additionalStreet", "seller.street"}, {"buyer.additionalStreet", "buyer.street"}, {"seller.addressLine3", "seller.street"}, {"buyer.addressLine3", "buyer.street"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, italianKeys(d.Invoice)
		d.keepFirst(inv.Seller, "seller", "BT-29")
		for _, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if p == nil {
				continue
			}
			addressLines(p)
			d.foreignPlace(p, map[bool]string{true: "seller", false: "buyer"}[p == inv.Seller])
		}
		if s := inv.Seller; s != nil && cs.REA == nil {
			if found := reaNumber.FindStringSubmatch(s.RegistrationNumber); found != nil {
				cs.REA = &invoice.REA{Office: found[1], Number: found[2]}
				s.RegistrationNumber = ""
			}
		}
		if dl := inv.Delivery; dl != nil && dl.Address != nil && (dl.Address.Street == "" || dl.Address.City == "" || dl.Address.CountryCode == "") {
			d.warn(finding.FieldNotWritten, "delivery.address", "delivery.address is not written: FatturaPA wants its street, city and country")
			dl.Address = nil
		}
		if r := inv.TaxRepresentative; r != nil && r.CountryCode == countryOfVATID(r.VATID) {
			r.CountryCode = "" // the identifier says it
		}
		if n := inv.DeliveryNote; n != nil && n.Number != "" && n.Date == "" {
			n.Date = inv.IssueDate
			if inv.Delivery != nil && inv.Delivery.Date != "" {
				n.Date = inv.Delivery.Date
			}
			d.warn(finding.ValueAssumed, "deliveryNote.date", "deliveryNote.date is missing: %s is written, since FatturaPA wants the day of a delivery note (DataDDT)", n.Date)
		}
	},
	Restore: func(d *Draft) {
		if r := d.Invoice.TaxRepresentative; r != nil {
			r.CountryCode = countryOfVATID(r.VATID)
		}
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p != nil && p.PostalCode == "00000" && p.CountryCode != "IT" {
				p.PostalCode = ""
			}
		}
	},
}

// countryOfVATID is the country of a VAT identifier; Greece has EL there.
func countryOfVATID(id string) string {
	switch {
	case len(id) < 2:
		return ""
	case id[:2] == "EL":
		return "GR"
	}
	return id[:2]
}

// foreignPlace takes off what only addresses in Italy have a place for.
func (d *Draft) foreignPlace(p *invoice.Party, name string) {
	if p.CountryCode == "IT" || p.CountryCode == "" {
		return
	}
	if p.PostalCode != "" {
		if joined := strings.TrimSpace(p.PostalCode + " " + p.City); utf8.RuneCountInString(joined) <= 60 && p.City != "" {
			p.City = joined
		}
		d.warn(finding.FieldNotWritten, name+".postalCode", "%s.postalCode is written before the city: FatturaPA has places for postcodes of Italy only", name)
		p.PostalCode = ""
	}
	if p.State != "" {
		d.warn(finding.FieldNotWritten, name+".state", "%s.state is not written: FatturaPA has places for provinces of Italy only", name)
		p.State = ""
	}
}

// The most characters of texts.
const (
	mostName     = 80
	mostPlace    = 60
	mostGoods    = 1000
	mostCausale  = 200
	mostCategory = 100
)

// italianTexts: texts are of Latin letters (Latin-1) and have limits; notes go on in further ones.
var italianTexts = Step{
	Name:  "texts",
	Moves: []Move{{"paymentTerms.description", "noteEntries[].text"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		for _, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if p == nil {
				continue
			}
			name := map[bool]string{true: "seller", false: "buyer"}[p == inv.Seller]
			d.latin(&p.Name, mostName, name+".name")
			d.latin(&p.Street, mostPlace, name+".street")
			d.latin(&p.City, mostPlace, name+".city")
		}
		if inv.Payee != nil {
			d.latin(&inv.Payee.Name, mostCausale, "payee.name")
		}
		if inv.TaxRepresentative != nil {
			d.latin(&inv.TaxRepresentative.Name, mostName, "taxRepresentative.name")
		}
		for i := range inv.Items {
			it := &inv.Items[i]
			d.latinOf(&it.Description, mostGoods, i, "items[%d].description")
			d.latinOf(&it.Note, mostPlace, i, "items[%d].note")
			d.latinOf(&it.Unit, 10, i, "items[%d].unit")
		}
		for i := range inv.TaxSummary {
			d.latinOf(&inv.TaxSummary[i].ExemptionReason, mostCategory, i, "taxSummary[%d].exemptionReason")
		}
		for i := range inv.Attachments {
			d.latinOf(&inv.Attachments[i].Filename, mostPlace, i, "attachments[%d].filename")
			d.latinOf(&inv.Attachments[i].Description, mostCategory, i, "attachments[%d].description")
		}
		d.splitNotes()
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.Attachments {
			a := &d.Invoice.Attachments[i]
			if a.MimeType == "" {
				a.MimeType = mediaTypeOf(a.Filename)
			}
		}
	},
}

// latinOf is latin for a member of an entry of a list, whose name is made where something is said of it.
func (d *Draft) latinOf(text *string, most, i int, name string) {
	if plainText(*text) && len(*text) <= most {
		return
	}
	d.latin(text, most, fmt.Sprintf(name, i))
}

func plainText(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// latin brings a text into Latin-1 and to its length. What has no Latin letter is refused, what is cut off is told.
func (d *Draft) latin(text *string, most int, field string) {
	if !plainText(*text) {
		latin, changed, ok := toLatin(*text)
		switch {
		case !ok:
			d.refuse(finding.InvalidCharacter, field, "%s has letters that FatturaPA cannot hold: its texts are of Latin letters (ISO 8859-1)", field)
		case changed:
			d.warn(finding.TextTransliterated, field, "%s is written as %q: texts of FatturaPA are of Latin letters (ISO 8859-1)", field, clipText(latin, 80))
		}
		*text = latin
	}
	if utf8.RuneCountInString(*text) > most {
		d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: field, Maximum: int64(most),
			Message: fmt.Sprintf("%s has %d characters: its first %d are written, for FatturaPA has no room for more", field, utf8.RuneCountInString(*text), most)})
		*text = strings.TrimRight(clipText(*text, most), " ")
	}
}

// clipText gives the first characters of a text, and looks no further: what is left may be very long.
func clipText(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

// replacements are what stands for characters beyond Latin-1 that are no letters with marks.
var replacements = map[rune]string{
	'€': "EUR", '–': "-", '—': "-", '‑': "-", '‐': "-", '−': "-", '’': "'", '‘': "'", '‚': ",", '“': `"`, '”': `"`, '„': `"`, '…': "...", '•': "-", '™': "(TM)",
	'œ': "oe", 'Œ': "OE", 'ł': "l", 'Ł': "L", 'đ': "d", 'Đ': "D", 'ı': "i", 'ħ': "h", 'Ħ': "H", 'ß': "ß", 'ẞ': "SS", '‹': "<", '›': ">", '\u00A0': " ",
	'\u2009': " ", '\u202F': " ", '′': "'", '″': `"`, '№': "N.",
}

// toLatin gives a text in Latin-1, whether it differs, and whether every letter has a counterpart there.
func toLatin(text string) (latin string, changed, ok bool) {
	var b strings.Builder
	ok = true
	for _, r := range norm.NFC.String(text) {
		switch other, known := replacements[r]; {
		case r < 0x80 || r >= 0xA0 && r <= 0xFF:
			b.WriteRune(r)
		case known:
			b.WriteString(other)
		default:
			base := strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFKD.String(string(r)))
			for _, part := range base {
				ok = ok && part <= 0xFF
			}
			b.WriteString(base)
		}
	}
	return b.String(), b.String() != text, ok
}

// splitNotes takes long notes apart, at blanks.
func (d *Draft) splitNotes() {
	inv := d.Invoice
	long := slices.ContainsFunc(inv.NoteEntries, func(n invoice.Note) bool { return len(n.Text) > mostCausale || !plainText(n.Text) })
	if !long {
		return
	}
	var notes []invoice.Note
	for i, n := range inv.NoteEntries {
		text := n.Text
		d.latin(&text, 1<<20, fmt.Sprintf("noteEntries[%d].text", i))
		for part := clipText(text, mostCausale); len(part) < len(text); part = clipText(text, mostCausale) {
			if at := strings.LastIndexAny(part, " \n"); at > mostCausale/2 {
				part = part[:at]
			}
			notes = append(notes, invoice.Note{Text: strings.TrimSpace(part), SubjectCode: n.SubjectCode})
			text = strings.TrimSpace(text[len(part):])
		}
		notes = append(notes, invoice.Note{Text: text, SubjectCode: n.SubjectCode})
	}
	inv.NoteEntries = notes
}
