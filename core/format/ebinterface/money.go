package ebinterface

import (
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// documentCharge are the members of an allowance or a charge on the document.
func documentCharge(amount int) []row {
	return append(charge(amount), row{Path: "TaxItem", Rows: []row{
		{Field: "amount", Path: "TaxableAmount", Type: m.Amount, Convert: cents, Last: true},
		{Term: "BT-" + strconv.Itoa(amount+4), Field: "taxRate", Path: "TaxPercent", Type: m.Percentage, Convert: percent,
			Attrs: []m.Attr{{Name: "TaxCategoryCode", Term: "BT-" + strconv.Itoa(amount+3), Field: "taxCategoryCode"}}},
	}})
}

func isCharge(s scope) bool { return s.Group.(*invoice.DocumentCharge).Charge() }

var taxBreakdown = []row{
	{Term: "BT-116", Card: m.One, Field: "netAmount", Path: "TaxableAmount", Type: m.Amount, Convert: cents},
	{Term: "BT-119", Field: "taxRate", Path: "TaxPercent", Type: m.Percentage, Convert: percent,
		Attrs: []m.Attr{{Name: "TaxCategoryCode", Term: "BT-118", Field: "taxCategoryCode"}}},
	{Term: "BT-117", Card: m.One, Field: "taxAmount", Path: "TaxAmount", Type: m.Amount, Convert: cents},
	{Term: "BT-111", Field: "taxCurrencyTaxAmount", Path: "AccountingCurrencyAmount", Type: m.Amount, Convert: cents, Attrs: []m.Attr{{Name: "Currency", Const: "EUR"}}},
	{Term: "BT-120", Field: "exemptionReason", Path: "Comment"},
}

// payment is the one way to pay that a document has. Its element says which it is.
var payment = []row{
	{Term: "BT-82", Field: "details", Path: "Comment"},
	{Path: "UniversalBankTransaction", When: by("30"), Required: true, Rows: []row{
		{Term: "BG-17", Field: "account", Path: "BeneficiaryAccount", Single: true, Rows: []row{
			{Term: "BT-86", Field: "bic", Path: "BIC", Type: m.Identifier, Convert: bic},
			{Term: "BT-84", Field: "id", Path: "BankAccountNr", Type: m.Identifier, When: withoutIBAN, Last: true},
			{Term: "BT-84", Field: "id", Path: "IBAN", Type: m.Identifier, When: withIBAN},
			{Term: "BT-85", Field: "name", Path: "BankAccountOwner"},
		}},
		{Term: "BT-83", Field: "/paymentReference", Path: "PaymentReference"},
	}},
	{Term: "BG-19", Path: "SEPADirectDebit", When: by("49"), Required: true, Rows: []row{
		{Term: "BT-91", Field: "/directDebitMandate.debitAccountId", Path: "IBAN", Type: m.Identifier},
		{Term: "BT-90", Field: "/directDebitMandate.creditorId", Path: "CreditorID", Type: m.Identifier},
		{Term: "BT-89", Field: "/directDebitMandate.mandateId", Path: "MandateReference", Type: m.Identifier},
	}},
	{Term: "BG-18", Path: "PaymentCard", When: by("48"), Rows: []row{
		{Term: "BT-87", Card: m.One, Field: "/cardAccount.pan", Path: "PrimaryAccountNumber", Type: m.Identifier, Required: true},
		{Term: "BT-88", Field: "/cardAccount.holderName", Path: "CardHolderName"},
	}},
	{Path: "OtherPayment", When: by("1"), Required: true},
}

// by tells which way of payment is chosen: that of the code which stands for it. There is one at most.
func by(code string) func(scope) bool {
	return func(s scope) bool {
		if !paid(s) {
			return false
		}
		chosen := profile.EbInterfacePayment(s.Invoice.PaymentMethods[0].Code)
		if chosen == "48" && s.Invoice.CardAccount == nil {
			chosen = "1" // a card of which nothing is known has no element
		}
		return chosen == code
	}
}

// bicForm is that of a BIC (BICType); what is none, such as a national bank code, has no place.
var bicForm = regexp.MustCompile(`^[0-9A-Za-z]{8}([0-9A-Za-z]{3})?$`)

var bic = &m.Converter{
	Write: func(text string) (string, bool) { return text, bicForm.MatchString(text) },
	Read:  func(text string) (string, bool) { return text, true },
}

// upTo is for texts with a limited number of characters: longer ones have no place.
func upTo(most int) *m.Converter {
	return &m.Converter{
		Write: func(text string) (string, bool) { return text, utf8.RuneCountInString(text) <= most },
		Read:  func(text string) (string, bool) { return text, true },
	}
}

// paid tells whether a way to pay is given: one of which nothing is known but what it is has its element.
func paid(s scope) bool { return len(s.Invoice.PaymentMethods) > 0 }

// withIBAN tells whether the number of an account stands in the element for IBANs. What is none does where another number has the
// element for those.
func withIBAN(s scope) bool {
	if invoice.ValidIBAN(s.Group.(*invoice.PaymentAccount).ID) {
		return true
	}
	cs := s.Invoice.CountrySpecific
	if cs == nil {
		return false
	}
	for _, path := range []string{account, account + "[1]"} {
		if len(cs.National[path+"/BankAccountNr"]) > 0 {
			return true
		}
	}
	return false
}

// account is the path of the accounts of a document.
const account = "PaymentMethod/UniversalBankTransaction/BeneficiaryAccount"

func withoutIBAN(s scope) bool { return !withIBAN(s) }
