package cii

import (
	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

var paymentMeans = []row{
	{Term: "BT-81", Card: m.One, Field: "code", Path: "ram:TypeCode", Type: m.Code},
	{Term: "BT-82", Field: "details", Path: "ram:Information", In: EN16931},
	{Path: "ram:ApplicableTradeSettlementFinancialCard", When: byCard, In: EN16931, Term: "BG-18", Rows: []row{
		{Term: "BT-87", Card: m.One, Field: "/cardAccount.pan", Path: "ram:ID", Type: m.Identifier},
		{Term: "BT-88", Field: "/cardAccount.holderName", Path: "ram:CardholderName"},
	}},
	{Term: "BG-19", Path: "ram:PayerPartyDebtorFinancialAccount", When: byDirectDebit, Rows: []row{ // its BT-89 and BT-90 stand with the settlement
		{Term: "BT-91", Field: "/directDebitMandate.debitAccountId", Path: "ram:IBANID", Type: m.Identifier},
	}},
	// Credit transfer: one for each payment method, so that several are several methods.
	{Term: "BG-17", Path: "ram:PayeePartyCreditorFinancialAccount", Rows: []row{
		{Term: "BT-84", Path: "ram:IBANID", Codec: iban},
		{Term: "BT-85", Field: "account.name", Path: "ram:AccountName", In: EN16931},
		{Term: "BT-84", Field: "account.id", Path: "ram:ProprietaryID", Type: m.Identifier, When: otherAccount},
	}},
	{Term: "BT-86", Field: "account.bic", Path: "ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID", Type: m.Identifier, In: EN16931},
}

// iban is the account identifier (BT-84) where that is an IBAN, for which CII has an element of its own. A document that has both
// elements names the account by the other one as well.
var iban = &m.Codec{
	Fields: []string{"account.id", "account.iban"},
	Format: func(group any) string {
		a := group.(*invoice.PaymentMethod).Account
		switch {
		case a == nil:
			return ""
		case a.IBAN == "" && invoice.ValidIBAN(a.ID):
			return a.ID
		}
		return a.IBAN
	},
	Parse: func(text string, group any) {
		method := group.(*invoice.PaymentMethod)
		if method.Account == nil {
			method.Account = &invoice.PaymentAccount{}
		}
		if a := method.Account; a.ID == "" || a.ID == text {
			a.ID = text
		} else {
			a.IBAN = text
		}
	},
}

func otherAccount(s scope) bool {
	a := s.Group.(*invoice.PaymentMethod).Account
	return a != nil && (a.IBAN != "" || !invoice.ValidIBAN(a.ID))
}

// An invoice has one card and one mandate.

func byCard(s scope) bool { return s.Index == s.Once("card", en16931.CardMethod) }
func byDirectDebit(s scope) bool {
	return s.Index == s.Once("direct debit", en16931.DirectDebitMethod)
}

var paymentTerms = []row{
	{Term: "BT-20", Field: "paymentTerms.description", Path: "ram:Description", Lines: true},
	day("BT-9", m.Optional, "dueDate", "ram:DueDateDateTime/udt:DateTimeString"),
	{Term: "BT-89", Field: "directDebitMandate.mandateId", Path: "ram:DirectDebitMandateID", Type: m.Identifier},
	{Field: "paymentTerms.earlyPaymentDiscount", Path: "ram:ApplicableTradePaymentDiscountTerms", In: Extended107, Rows: []row{
		{Field: "days", Path: "ram:BasisPeriodMeasure[@unitCode='DAY']"},
		{Field: "baseAmount", Path: "ram:BasisAmount", Type: m.Amount},
		{Field: "discountPercent", Path: "ram:CalculationPercent", Type: m.Percentage},
	}},
}
