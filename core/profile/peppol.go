package profile

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// The specification identifiers (BT-24) of Peppol BIS Billing 3.0, of its variant for self-billing, and of NLCIUS 1.0.
const (
	PeppolBilling     = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
	PeppolSelfBilling = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0"
	nlcius            = "urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0"
)

// PeppolBIS is Peppol BIS Billing 3.0 (OpenPeppol, release 3.0.21). The type codes are those of PEPPOL-EN16931-P0100 and P0101; 326 and 384
// are for German sellers with German buyers (P0112).
func PeppolBIS(token string) *Profile {
	return national(func(n nation) Profile {
		p := peppol(token, n)
		p.Specification, p.BusinessProcess = PeppolBilling, "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
		p.TypeCodes = strings.Fields("71 80 81 82 83 84 102 218 219 326 331 380 381 382 383 384 386 388 393 395 396 532 553 575 623 780 817 870 875 876 877")
		p.Domestic = map[string]string{"326": "DE", "384": "DE"}
		return p
	})
}

// PeppolSelfBilled is the variant of Peppol BIS Billing 3.0 for invoices that the buyer issues.
func PeppolSelfBilled(token string) *Profile {
	return national(func(n nation) Profile {
		p := peppol(token, n)
		p.Specification, p.BusinessProcess = PeppolSelfBilling, "urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0"
		p.TypeCodes = selfBillingCodes
		return p
	})
}

// peppol is what the two have in common. The terms of payment are written first and only where there is no text, so that
// retention and discount are added to them as further lines.
func peppol(token string, n nation) Profile {
	return Profile{
		Token:    token,
		TypeRule: "PEPPOL-EN16931-P0100",
		Refused:  map[invoice.Type]string{invoice.TypeProforma: "Peppol BIS Billing has no pro forma invoice; send it as pdf"},
		Steps: slices.Concat([]Step{businessProcess, buyerReference, registers}, n.keys, commonSteps(networkAddresses), n.steps,
			[]Step{sellerIdentifier, oneNote, termsSentence, retention, discountSentence}),
	}
}

// NLCIUS is the Dutch core invoice usage specification (NEN, NLCIUS 1.0.3), for sellers and buyers in the Netherlands. The type codes are
// those of BR-NL-7, which has the one of self-billing among them.
func NLCIUS(token string) *Profile {
	return national(func(n nation) Profile {
		return Profile{
			Token:           token,
			Specification:   nlcius,
			BusinessProcess: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
			TypeCodes:       []string{"380", "381", "384", "389"},
			TypeRule:        "BR-NL-7",
			Refused:         map[invoice.Type]string{invoice.TypeProforma: "NLCIUS has no pro forma invoice; send it as pdf"},
			Steps: slices.Concat([]Step{businessProcess, buyerReference, registers}, n.keys, CommonSteps(), n.steps,
				[]Step{vatAddresses, sellerIdentifier, oneNote, termsSentence, retention, discountSentence}),
		}
	})
}

// selfBillingCodes are those of documents that the buyer issues (UNTDID 1001): invoice, credit note and debit note.
var selfBillingCodes = []string{"261", "389", "527"}

// SelfBilled tells whether an invoice is one that the buyer issues, by its type or the code of that.
func SelfBilled(inv *invoice.Invoice) bool {
	return inv.Type == invoice.TypeSelfBilled || inv.CountrySpecific != nil && slices.Contains(selfBillingCodes, inv.CountrySpecific.InvoiceTypeCode)
}

// NotSelfBilled is the contrary of SelfBilled.
func NotSelfBilled(inv *invoice.Invoice) bool { return !SelfBilled(inv) }

// Dutch tells whether seller and buyer of an invoice are in the Netherlands, and NLCIUS has its code: those of self-billing it has not but for
// the invoice.
func Dutch(inv *invoice.Invoice) bool {
	if cs := inv.CountrySpecific; cs != nil && cs.InvoiceTypeCode != "389" && slices.Contains(selfBillingCodes, cs.InvoiceTypeCode) {
		return false
	}
	return within("NL", inv.Seller) && within("NL", inv.Buyer)
}

// registers: where the rules of a country prescribe the scheme of a registration number (BT-30-1, BT-47-1), one that has the form of its
// register is of that (Peppol BIS Billing 3.0, DK-R-014, DK-R-017, IS-R-002, IS-R-004, NL-R-003, NL-R-005; NLCIUS, BR-NL-1).
var registers = Step{
	Name: "registers",
	Copies: []Move{
		{"seller.registrationNumber", "seller.registrationScheme"}, {"buyer.registrationNumber", "buyer.registrationScheme"},
	},
	Derive: func(d *Draft) {
		for _, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			if p == nil || p.RegistrationNumber == "" || p.RegistrationScheme != "" {
				continue
			}
			if number := digits(p.RegistrationNumber); number == p.RegistrationNumber {
				p.RegistrationScheme = prescribed[p.CountryCode][len(number)]
			}
		}
	},
}

// prescribed are the schemes of registers by country and number of digits.
var prescribed = map[string]map[int]string{"DK": {8: "0184"}, "IS": {10: "0196"}, "NL": {8: "0106", 20: "0190"}}

// oneNote: the invoice has one note (PEPPOL-EN16931-R002), so that several are the paragraphs of one; those after the first keep their
// subject code between number signs, as UBL writes it. The rule leaves out invoices between German organisations.
var oneNote = Step{
	Name:  "one note",
	Moves: []Move{{"noteEntries[].text", "noteEntries[0].text"}, {"noteEntries[].subjectCode", "noteEntries[0].text"}},
	Derive: func(d *Draft) {
		notes := d.Invoice.NoteEntries
		if len(notes) < 2 || within("DE", d.Invoice.Seller) && within("DE", d.Invoice.Buyer) {
			return
		}
		for _, note := range notes[1:] {
			text := note.Text
			if note.SubjectCode != "" {
				text = "#" + note.SubjectCode + "#" + text
			}
			notes[0].Text = paragraph(notes[0].Text, text)
		}
		d.Invoice.NoteEntries = notes[:1]
	},
}
