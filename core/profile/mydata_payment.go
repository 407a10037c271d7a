package profile

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// paymentPath is where the payments of a document stand.
const paymentPath = "invoice/paymentMethods/paymentMethodDetails"

// The kinds of payment (AADE, paymentMethodDetails/type).
const (
	paidDomestic = "1"
	paidAbroad   = "2"
	paidOnCredit = "5"
)

// greekPayments are the kinds of payment by the codes of UNTDID 4461; for a kind that several codes stand for, the one to read it as comes
// first. IRIS (8) has no code.
var greekPayments = []struct{ kind, code string }{
	{paidDomestic, "30"}, {paidAbroad, "42"}, {"3", "10"}, {"4", "20"}, {paidOnCredit, "1"}, {"6", "68"}, {"7", "48"}, {"8", "ZZZ"},
	{paidDomestic, "31"}, {paidDomestic, "58"}, {paidDomestic, "49"}, {paidDomestic, "59"}, {"4", "21"}, {"4", "22"}, {"4", "23"}, {"7", "54"}, {"7", "55"},
}

// ibanText and bicText begin what the information on a payment says of its account.
const (
	ibanText = "IBAN "
	bicText  = "BIC "
)

// greekPayment: a payment has a kind, its amount, and information, which holds the account and the security retained. Of several methods,
// which are alternatives, one is written.
var greekPayment = Step{
	Name: "payment",
	Moves: []Move{{"paymentMethods[].account.id", "paymentMethods[].details"}, {"paymentMethods[].account.bic", "paymentMethods[].details"},
		{"retention.amount", "paymentMethods[0].details"}, {"retention.reason", "paymentMethods[0].details"}},
	Derive:  deriveGreekPayment,
	Restore: restoreGreekPayment,
}

func deriveGreekPayment(d *Draft) {
	inv := d.Invoice
	if inv.Retention != nil && len(inv.PaymentMethods) == 0 {
		d.refuse(finding.RetentionNotCarried, "retention", "retention is not carried: myDATA has a place for it in the information on a payment only; give paymentMethods")
	}
	if several := hasPrefix(specificOf(inv).National, paymentPath+"[2]"); len(inv.PaymentMethods) > 1 && !several {
		d.warn(finding.FieldNotWritten, "paymentMethods[1]", "paymentMethods[1] and what follows it is not written: in myDATA several payments are parts of one total")
		inv.PaymentMethods = inv.PaymentMethods[:1]
	}
	for i := range inv.PaymentMethods {
		m := &inv.PaymentMethods[i]
		var parts []string
		kind := greekKind(m.Code)
		if a := m.Account; a != nil {
			if kind == paidDomestic && isForeign(a.ID) {
				kind = paidAbroad
			}
			parts = appendText(appendText(parts, ibanText, &a.ID), bicText, &a.BIC)
		}
		parts = appendText(parts, "", &m.Details)
		if r := inv.Retention; r != nil && i == 0 {
			parts = append(parts, d.words().retained(r, inv.Currency))
			inv.Retention = nil
		}
		m.Details, m.Code = strings.Join(parts, "; "), kind
	}
}

// appendText takes a text, with what stands before it.
func appendText(parts []string, before string, text *string) []string {
	if *text == "" {
		return parts
	}
	parts = append(parts, before+*text)
	*text = ""
	return parts
}

// isForeign tells whether an account is an IBAN of another country.
func isForeign(id string) bool { return invoice.ValidIBAN(id) && !strings.HasPrefix(id, "GR") }

func greekKind(code string) string {
	for _, p := range greekPayments {
		if p.code == code {
			return p.kind
		}
	}
	return paidOnCredit
}

func restoreGreekPayment(d *Draft) {
	inv := d.Invoice
	for i := range inv.PaymentMethods {
		m := &inv.PaymentMethods[i]
		for _, p := range greekPayments {
			if p.kind == m.Code {
				m.Code = p.code
				break
			}
		}
		if !strings.HasPrefix(m.Details, ibanText) {
			continue
		}
		account, rest, _ := strings.Cut(m.Details, "; ")
		if id := strings.TrimPrefix(account, ibanText); invoice.ValidIBAN(id) {
			m.Account, m.Details = &invoice.PaymentAccount{ID: id}, rest
			if m.Code == "42" && isForeign(id) {
				m.Code = "30" // the account says that it is abroad
			}
			if bank, after, _ := strings.Cut(rest, "; "); strings.HasPrefix(bank, bicText) {
				m.Account.BIC, m.Details = strings.TrimPrefix(bank, bicText), after
			}
		}
	}
}
