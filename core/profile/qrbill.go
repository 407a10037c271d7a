package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// QRBill is the payload of the Swiss QR code (SIX, Swiss Implementation Guidelines QR-bill, version 2.3), in Switzerland and Liechtenstein.
// The payee of the canonical invoice is the creditor.
func QRBill() *Profile {
	return New(Profile{
		Token:    "qr-bill",
		Lineless: true,
		Steps:    []Step{nationalHome, swissCreditor, swissDebtor, swissReference, swissInformation, swissTexts},
	})
}

// swissKeys is countrySpecific, made where there is none.
func swissKeys(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	return inv.CountrySpecific
}

// The house codes of what a creditor has to have (contract, QR-Bill).
const (
	creditorPostalCode = "CH_ADDR_004"
	creditorCity       = "CH_ADDR_005"
	creditorCountry    = "CH_ADDR_006"
	creditorIBAN       = "CH_IBAN_003"
)

// swissCreditor: the payee is the creditor, with an account of its own; without one the seller is.
var swissCreditor = Step{
	Name: "creditor",
	Moves: []Move{
		{"seller.name", "payee.name"}, {"seller.street", "payee.street"}, {"seller.postalCode", "payee.postalCode"}, {"seller.city", "payee.city"},
		{"seller.countryCode", "payee.countryCode"}, {"seller.bankAccount.iban", "payee.bankAccount.iban"},
		{"paymentMethods[].account.iban", "payee.bankAccount.iban"}, {"paymentMethods[].account.id", "payee.bankAccount.iban"},
	},
	Derive: func(d *Draft) {
		inv, name := d.Invoice, "payee"
		if inv.Type == invoice.TypeCreditNote || inv.Total.Sign() < 0 {
			d.refuse(finding.TypeNotPermitted, "type", "type is %s, with a total of %s: a QR-bill asks for a payment; send what gives money back as pdf", inv.Type, inv.Total)
		}
		if inv.Payee == nil {
			name = "seller"
			inv.Payee = creditorOf(inv)
		}
		p := inv.Payee
		for _, need := range []struct{ code, value, field, what string }{
			{creditorPostalCode, p.PostalCode, ".postalCode", "the postal code"}, {creditorCity, p.City, ".city", "the town"}, {creditorCountry, p.CountryCode, ".countryCode", "the country"},
		} {
			if need.value == "" {
				d.refuse(need.code, name+need.field, "%s is missing: a QR-bill needs %s of its creditor", name+need.field, need.what)
			}
		}
		if p.BankAccount == nil || p.BankAccount.IBAN == "" {
			d.refuse(creditorIBAN, name+".bankAccount.iban", "%s.bankAccount.iban is missing: a QR-bill needs the account of its creditor, with an IBAN of CH or LI", name)
			return
		}
		p.BankAccount.IBAN = invoice.PlainIBAN(p.BankAccount.IBAN)
		p.CountryCode = strings.ToUpper(p.CountryCode)
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		inv.Seller, inv.Payee = inv.Payee, nil
	},
}

// creditorOf takes the seller's name, address and account.
func creditorOf(inv *invoice.Invoice) *invoice.Party {
	p, s := &invoice.Party{}, inv.Seller
	if s == nil {
		return p
	}
	for _, m := range [][2]*string{{&p.Name, &s.Name}, {&p.Street, &s.Street}, {&p.PostalCode, &s.PostalCode}, {&p.City, &s.City}, {&p.CountryCode, &s.CountryCode}} {
		moveInto(m[0], m[1])
	}
	p.BankAccount = &invoice.BankAccount{}
	if s.BankAccount != nil {
		moveInto(&p.BankAccount.IBAN, &s.BankAccount.IBAN)
	}
	for i := range inv.PaymentMethods {
		if a := inv.PaymentMethods[i].Account; a != nil && SwissIBAN(cmp.Or(a.IBAN, a.ID)) {
			moveInto(&p.BankAccount.IBAN, &a.IBAN)
			moveInto(&p.BankAccount.IBAN, &a.ID)
		}
	}
	return p
}

// SwissIBAN tells whether an account can be that of a QR-bill: it is in Switzerland or Liechtenstein.
func SwissIBAN(iban string) bool {
	plain := invoice.PlainIBAN(iban)
	return len(plain) == 21 && (plain[:2] == "CH" || plain[:2] == "LI") && invoice.ValidIBAN(plain)
}

// swissDebtor: the debtor is whole or left out, so that who pays can fill it in.
var swissDebtor = Step{
	Name: "debtor",
	Derive: func(d *Draft) {
		b := d.Invoice.Buyer
		if b == nil {
			return
		}
		b.CountryCode = strings.ToUpper(b.CountryCode)
		for _, need := range [][2]string{{b.Name, "name"}, {b.PostalCode, "postalCode"}, {b.City, "city"}, {b.CountryCode, "countryCode"}} {
			if need[0] == "" {
				d.warn(finding.FieldNotWritten, "buyer", "buyer is not written: a QR-bill has a debtor with name, postal code, town and country, or none, and buyer.%s is missing", need[1])
				d.Invoice.Buyer = nil
				return
			}
		}
	},
}

// The kinds of reference (guidelines §4.2.2, Tp).
const (
	refQRR  = "QRR"  // with a QR-IBAN
	refSCOR = "SCOR" // of ISO 11649
	refNone = "NON"
)

// swissReference: the kind of reference follows from the account and the reference. A reference that is none of the two forms is a message
// for people; where there is none, it is made of the invoice number.
var swissReference = Step{
	Name: "reference",
	Moves: []Move{{"countrySpecific.qrReference", "paymentReference"}, {"paymentReference", "countrySpecific.unstructuredMessage"},
		{"invoiceNumber", "paymentReference"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, swissKeys(d.Invoice)
		asked := cs.QRReference
		moveInto(&inv.PaymentReference, &cs.QRReference)
		if plain := strings.ToUpper(strings.Join(strings.Fields(inv.PaymentReference), "")); ValidQRReference(plain) || validCreditorReference(plain) {
			inv.PaymentReference = plain
		}
		qr := inv.Payee != nil && inv.Payee.BankAccount != nil && QRIBAN(inv.Payee.BankAccount.IBAN)
		if asked == "" && !qr && cs.ReferenceType == "" && !validCreditorReference(inv.PaymentReference) {
			moveInto(&cs.UnstructuredMessage, &inv.PaymentReference)
		}
		cs.ReferenceType = strings.ToUpper(cs.ReferenceType)
		if inv.PaymentReference == "" && cs.ReferenceType != refNone {
			inv.PaymentReference = madeReference(inv.InvoiceNumber, cs.ReferenceType == refQRR || cs.ReferenceType == "" && qr)
		}
		if cs.ReferenceType == "" {
			cs.ReferenceType = kindOfReference(inv.PaymentReference, qr)
		}
	},
}

func kindOfReference(reference string, qr bool) string {
	switch {
	case qr:
		return refQRR
	case reference != "":
		return refSCOR
	}
	return refNone
}

// madeReference makes a reference of the invoice number.
func madeReference(number string, qr bool) string {
	if qr {
		return QRReference(number)
	}
	return CreditorReference(number)
}

// textMember is a text that the payload has, and how long it may be.
type textMember struct {
	text  *string
	most  int
	field string
}

// swissTexts: texts are of the characters of the guidelines, in one line, and have limits.
var swissTexts = Step{
	Name: "texts",
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, swissKeys(d.Invoice)
		d.leaveOutForeignDebtor()
		texts := []textMember{{&cs.UnstructuredMessage, 140, "countrySpecific.unstructuredMessage"}}
		for i, p := range []*invoice.Party{inv.Payee, inv.Buyer} {
			if p == nil {
				continue
			}
			name := []string{"payee", "buyer"}[i]
			texts = append(texts, textMember{&p.Name, 70, name + ".name"}, textMember{&p.Street, 70, name + ".street"}, textMember{&p.PostalCode, 16, name + ".postalCode"},
				textMember{&p.City, 35, name + ".city"})
		}
		for _, t := range texts {
			d.swissText(t)
		}
		for i := range cs.AlternativeSchemes[min(2, len(cs.AlternativeSchemes)):] {
			d.warn(finding.FieldNotWritten, "countrySpecific.alternativeSchemes", "countrySpecific.alternativeSchemes[%d] is not written: a QR-bill has two", i+2)
		}
	},
}

// leaveOutForeignDebtor leaves out a debtor whose letters a QR-bill cannot hold, so that who pays can fill it in.
func (d *Draft) leaveOutForeignDebtor() {
	b := d.Invoice.Buyer
	if b == nil {
		return
	}
	for _, text := range [][2]string{{b.Name, "name"}, {b.Street, "street"}, {b.PostalCode, "postalCode"}, {b.City, "city"}} {
		if _, _, ok := inCharacterSet(text[0]); !ok {
			d.warn(finding.FieldNotWritten, "buyer", "buyer is not written: buyer.%s has letters that a QR-bill cannot hold, whose texts are of Latin letters", text[1])
			d.Invoice.Buyer = nil
			return
		}
	}
}

// swissText brings a text into the characters and the length that a QR-bill has.
func (d *Draft) swissText(t textMember) {
	*t.text = strings.Join(strings.Fields(*t.text), " ")
	field := d.Original(t.field)
	if text, changed, ok := inCharacterSet(*t.text); changed {
		if !ok {
			d.refuse(finding.InvalidCharacter, field, "%s has letters that a QR-bill cannot hold: its texts are of Latin letters", field)
		} else {
			d.warn(finding.TextTransliterated, field, "%s is written as %q: texts of a QR-bill are of Latin letters", field, clipText(text, 80))
		}
		*t.text = text
	}
	if n := len([]rune(*t.text)); n > t.most {
		d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: field, Maximum: int64(t.most),
			Message: field + " is longer than a QR-bill has room for: it is written as " + clipText(*t.text, t.most)})
		*t.text = strings.TrimRight(clipText(*t.text, t.most), " ")
	}
}

// inCharacterSet gives a text in the characters of the guidelines (§4.1.1, with the extended set of version 2.3), whether it differs, and whether
// every character has a counterpart there.
func inCharacterSet(text string) (plain string, changed, ok bool) {
	if !slices.ContainsFunc([]rune(text), func(r rune) bool { return !inSwissSet(r) }) {
		return text, false, true
	}
	var b strings.Builder
	ok = true
	for _, r := range text {
		if inSwissSet(r) {
			b.WriteRune(r)
			continue
		}
		other, _, latin := toLatin(string(r))
		ok = ok && latin
		b.WriteString(other)
	}
	return b.String(), true, ok
}

func inSwissSet(r rune) bool {
	return r >= 0x20 && r <= 0x7E || r >= 0xA0 && r <= 0x17F || r >= 0x218 && r <= 0x21B || r == 0x20AC
}

// AsksForSwissTransfer tells whether an invoice asks for a transfer in francs or euros to an account in Switzerland or Liechtenstein. It is the
// caller's invoice, before any step.
func AsksForSwissTransfer(inv *invoice.Invoice) bool {
	if inv.Type == invoice.TypeCreditNote || inv.Total.Sign() < 0 || inv.Currency != "CHF" && inv.Currency != "EUR" {
		return false
	}
	transfers := len(inv.PaymentMethods) == 0
	iban := ""
	for _, p := range []*invoice.Party{inv.Payee, inv.Seller} {
		if p != nil && p.BankAccount != nil {
			iban = cmp.Or(iban, p.BankAccount.IBAN)
		}
	}
	for i := range inv.PaymentMethods {
		m := &inv.PaymentMethods[i]
		if !slices.Contains(transferCodes, cmp.Or(m.Code, codeOfMethod(m.Type))) {
			continue
		}
		transfers = true
		if m.Account != nil {
			iban = cmp.Or(iban, m.Account.IBAN, m.Account.ID)
		}
	}
	return transfers && SwissIBAN(iban)
}
