package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// denmark: the CVR number is the registration number (BT-30) under 0184 (Peppol BIS Billing 3.0, DK-R-014). Payments between Danish parties
// have codes and references of their own (DK-R-005 to DK-R-011).
var denmark = &nation{words: danish, keys: []Step{
	registered(key{"cvr", func(cs *invoice.CountrySpecific) *string { return &cs.CVR }}, "0184", digits),
	danishCards, danishTransfers,
}, steps: []Step{danishAccounts}}

var danish = &words{
	dueNow: "Betales straks uden fradrag.", dueDays: "Betales inden %d dage fra fakturadatoen.", dueOn: "Betales senest %s.",
	retention: "Tilbageholdt sikkerhed", of: "af", payable: "forfalder",
	discountDays: "%s %% kontantrabat ved betaling inden %d dage fra fakturadatoen", day: hyphened,
}

// The codes of Danish means of payment (UNTDID 4461 as Peppol BIS Billing 3.0 uses them in Denmark): by payment card (FIK), by giro, to an
// account with its registration number, to an IBAN with its BIC.
const (
	byCard, byGiro, toAccount, toIBAN = "93", "50", "42", "31"
	sepa                              = "58"
)

// danishCards: a payment card is its kind and the identifier of the payment, joined by # (BT-83), and the number of the creditor or the
// giro account (BT-84). The kinds 01, 04 and 15 are paid by giro.
var danishCards = Step{
	Name: "Danish payment cards",
	Moves: []Move{
		{"countrySpecific.fik.cardType", "paymentReference"}, {"countrySpecific.fik.paymentId", "paymentReference"},
		{"countrySpecific.fik.creditorNumber", "paymentMethods[].account.id"}, {"countrySpecific.giroAccount", "paymentMethods[].account.id"},
		{"countrySpecific.fik.cardType", "paymentMethods[].code"}, {"countrySpecific.giroAccount", "paymentMethods[].code"},
	},
	Derive: func(d *Draft) {
		cs := d.Invoice.CountrySpecific
		if cs == nil || cs.FIK == nil && cs.GiroAccount == "" {
			return
		}
		card := invoice.FIK{CardType: "01"}
		if cs.FIK != nil {
			card = *cs.FIK
		}
		code, typ, account := byCard, invoice.PayDanishFIK, card.CreditorNumber
		if cs.GiroAccount != "" && slices.Contains([]string{"01", "04", "15"}, card.CardType) {
			code, typ, account = byGiro, invoice.PayGiro, cs.GiroAccount
			cs.GiroAccount = ""
		}
		m := d.methodOf(code, typ)
		if m.Account != nil || d.Invoice.PaymentReference != "" {
			return
		}
		d.Invoice.PaymentReference = card.CardType + "#" + card.PaymentID
		m.Account, cs.FIK = &invoice.PaymentAccount{ID: account}, nil
	},
}

// methodOf is the first payment method of a code or type, which is added where there is none.
func (d *Draft) methodOf(code string, typ invoice.PaymentMethodType) *invoice.PaymentMethod {
	inv := d.Invoice
	i := slices.IndexFunc(inv.PaymentMethods, func(m invoice.PaymentMethod) bool { return cmp.Or(m.Code, codeOfMethod(m.Type)) == code })
	if i < 0 {
		inv.PaymentMethods = append(inv.PaymentMethods, invoice.PaymentMethod{Type: typ})
		i = len(inv.PaymentMethods) - 1
	}
	return &inv.PaymentMethods[i]
}

// danishTransfers: between Danish parties a transfer is no code 30 (DK-R-005): to an account with a BIC it is 31, to a Danish IBAN alone 42,
// in euros 58.
var danishTransfers = Step{
	Name: "Danish transfers",
	Derive: func(d *Draft) {
		inv := d.Invoice
		if !within("DK", inv.Seller) || !within("DK", inv.Buyer) {
			return
		}
		for i := range inv.PaymentMethods {
			m := &inv.PaymentMethods[i]
			if m.Code != "" || m.Type != invoice.PayCreditTransfer && m.Type != invoice.PayBankTransfer {
				continue
			}
			bank := bankOf(inv)
			iban, bic := bank.IBAN, bank.BIC
			if m.Account != nil {
				iban, bic = cmp.Or(m.Account.IBAN, m.Account.ID), m.Account.BIC
			}
			switch {
			case bic != "":
				m.Code = toIBAN
			case danishIBAN(invoice.PlainIBAN(iban)):
				m.Code = toAccount
			case inv.Currency == "EUR":
				m.Code = sepa
			}
		}
	},
}

// danishAccounts: an account that is paid to under 42 is its number, and the registration number of the bank (BT-86), which a Danish
// IBAN has in one (DK-R-006).
var danishAccounts = Step{
	Name:  "Danish accounts",
	Moves: []Move{{"paymentMethods[].account.id", "paymentMethods[].account.bic"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.PaymentMethods {
			m := &d.Invoice.PaymentMethods[i]
			if a := m.Account; m.Code == toAccount && a != nil && a.BIC == "" && danishIBAN(a.ID) {
				a.ID, a.BIC = a.ID[8:], a.ID[4:8]
			}
		}
	},
}

// danishIBAN tells whether an IBAN is Danish: DK, two check digits, four digits of the bank, ten of the account.
func danishIBAN(iban string) bool {
	return len(iban) == 18 && strings.HasPrefix(iban, "DK") && invoice.ValidIBAN(iban)
}
