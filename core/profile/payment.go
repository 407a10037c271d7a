package profile

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// methodCodes gives the code of UNTDID 4461 of each payment method (contract, paymentMethods); for a code that several
// methods share, the one to read it as comes first.
var methodCodes = []struct {
	Type invoice.PaymentMethodType
	Code string
}{
	{invoice.PayCreditTransfer, "30"},
	{invoice.PayBankTransfer, "30"},
	{invoice.PayDirectDebit, "49"},
	{invoice.PayCreditCard, "48"},
	{invoice.PayCash, "10"},
	{invoice.PayDanishFIK, "93"},
	{invoice.PayGiro, "50"},
	{invoice.PayOther, "1"},
	{invoice.PayPayPal, "1"},
}

// relatedCodes are codes of UNTDID 4461 that mean one of the methods more exactly.
var relatedCodes = []struct {
	Code string
	Type invoice.PaymentMethodType
}{
	{"31", invoice.PayCreditTransfer}, {"58", invoice.PayCreditTransfer},
	{"59", invoice.PayDirectDebit},
	{"54", invoice.PayCreditCard}, {"55", invoice.PayCreditCard},
}

// transferCodes are the codes whose payment goes to an account. In UNTDID 4461 they are credit transfer, debit transfer,
// payment to bank account, postgiro, standing agreement, SEPA credit transfer and reference giro.
var transferCodes = []string{"30", "31", "42", "50", "57", "58", "93"}

// paymentMeans: the canonical payment method states BT-81 as a code.
var paymentMeans = Step{
	Name:  "payment means",
	Moves: []Move{{"paymentMethods[].type", "paymentMethods[].code"}},
	Derive: func(d *Draft) {
		for i := range d.Invoice.PaymentMethods {
			m := &d.Invoice.PaymentMethods[i]
			m.Code, m.Type = cmp.Or(m.Code, codeOfMethod(m.Type)), ""
		}
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.PaymentMethods {
			m := &d.Invoice.PaymentMethods[i]
			m.Type = methodOf(m.Code)
			if codeOfMethod(m.Type) == m.Code {
				m.Code = ""
			}
		}
	},
}

func codeOfMethod(t invoice.PaymentMethodType) string {
	for _, row := range methodCodes {
		if row.Type == t {
			return row.Code
		}
	}
	return ""
}

func methodOf(code string) invoice.PaymentMethodType {
	for _, row := range methodCodes {
		if row.Code == code {
			return row.Type
		}
	}
	for _, row := range relatedCodes {
		if row.Code == code {
			return row.Type
		}
	}
	return invoice.PayOther
}

// plainIBANs: an IBAN is written in capitals and without spaces. What is none after that stays as it is.
var plainIBANs = Step{
	Name: "plain IBANs",
	Derive: func(d *Draft) {
		inv := d.Invoice
		for _, p := range []*invoice.Party{inv.Seller, inv.Buyer, inv.Payee} {
			if p != nil && p.BankAccount != nil {
				plainIBAN(&p.BankAccount.IBAN)
			}
		}
		for i := range inv.PaymentMethods {
			if a := inv.PaymentMethods[i].Account; a != nil {
				plainIBAN(&a.IBAN)
				plainIBAN(&a.ID)
			}
		}
		if inv.DirectDebitMandate != nil {
			plainIBAN(&inv.DirectDebitMandate.DebitAccountID)
		}
	},
}

func plainIBAN(text *string) {
	if plain := invoice.PlainIBAN(*text); invoice.ValidIBAN(plain) {
		*text = plain
	}
}

// accounts: a transfer without an account of its own goes to that of the payee, else of the seller (BG-17); a direct debit
// is drawn from the buyer's account (BT-91).
var accounts = Step{
	Name: "accounts",
	Moves: []Move{
		{"paymentMethods[].account.iban", "paymentMethods[].account.id"},
		{"payee.bankAccount.iban", "paymentMethods[].account.id"}, {"seller.bankAccount.iban", "paymentMethods[].account.id"},
		{"payee.bankAccount.bic", "paymentMethods[].account.bic"}, {"seller.bankAccount.bic", "paymentMethods[].account.bic"},
		{"payee.bankAccount.accountHolder", "paymentMethods[].account.name"}, {"seller.bankAccount.accountHolder", "paymentMethods[].account.name"},
		{"buyer.bankAccount.iban", "directDebitMandate.debitAccountId"},
	},
	Derive:  deriveAccounts,
	Restore: restoreAccounts,
}

func deriveAccounts(d *Draft) {
	inv := d.Invoice
	bank := bankOf(inv)
	given := *bank
	for i := range inv.PaymentMethods {
		m := &inv.PaymentMethods[i]
		if m.Account == nil && given.IBAN != "" && slices.Contains(transferCodes, m.Code) {
			m.Account = &invoice.PaymentAccount{IBAN: given.IBAN, Name: given.AccountHolder, BIC: given.BIC}
		}
		if m.Account != nil {
			spend(bank, given.IBAN, m.Account)
		}
	}
	if mandate := inv.DirectDebitMandate; mandate != nil && inv.Buyer != nil && inv.Buyer.BankAccount != nil {
		moveInto(&mandate.DebitAccountID, &inv.Buyer.BankAccount.IBAN)
	}
}

// spend takes off a party's account what the account of a method says already; the rest stays to be missed. The canonical
// account has its number in one member.
func spend(bank *invoice.BankAccount, iban string, used *invoice.PaymentAccount) {
	if used.IBAN != "" && used.IBAN == iban {
		bank.IBAN = ""
		moveInto(&used.BIC, &bank.BIC)
		moveInto(&used.Name, &bank.AccountHolder)
	}
	moveInto(&used.ID, &used.IBAN)
}

// bankOf is the account that is paid to; an empty one where there is none.
func bankOf(inv *invoice.Invoice) *invoice.BankAccount {
	for _, p := range []*invoice.Party{inv.Payee, inv.Seller} {
		if p != nil && p.BankAccount != nil {
			return p.BankAccount
		}
	}
	return &invoice.BankAccount{}
}

func restoreAccounts(d *Draft) {
	inv := d.Invoice
	for i := range inv.PaymentMethods {
		if a := inv.PaymentMethods[i].Account; a != nil && invoice.ValidIBAN(a.ID) {
			a.IBAN, a.ID = a.ID, ""
		}
	}
	party := inv.Seller
	if inv.Payee != nil {
		party = inv.Payee
	}
	first := firstTransfer(inv)
	if first == nil || party == nil {
		return
	}
	moved := *first
	party.BankAccount = &invoice.BankAccount{IBAN: moved.IBAN, BIC: moved.BIC, AccountHolder: moved.Name}
	for i := range inv.PaymentMethods {
		if m := &inv.PaymentMethods[i]; m.Account != nil && *m.Account == moved && slices.Contains(transferCodes, m.Code) {
			m.Account = nil
		}
	}
}

// firstTransfer is the account of the first transfer, when every transfer names one and this one is an IBAN, without another number
// beside it, that a party's account can hold. A transfer without one must not be among them: written again, it would get the account of the party.
func firstTransfer(inv *invoice.Invoice) *invoice.PaymentAccount {
	var first *invoice.PaymentAccount
	for i := range inv.PaymentMethods {
		m := &inv.PaymentMethods[i]
		if !slices.Contains(transferCodes, m.Code) {
			continue
		}
		if m.Account == nil {
			return nil
		}
		if first == nil {
			first = m.Account
		}
	}
	if first == nil || first.IBAN == "" || first.ID != "" || first.BIC != "" && !invoice.ValidBIC(first.BIC) {
		return nil
	}
	return first
}
