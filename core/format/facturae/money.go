package facturae

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

func taxes(v version) []row {
	const withheld = body + "TaxesWithheld/Tax/"
	return []row{
		{Term: "BG-23", Card: m.OneOrMore, Field: "taxSummary[]", Path: body + "TaxesOutputs/Tax", Rows: []row{
			{Term: "BT-118", Card: m.One, Field: "taxCategoryCode", Path: "TaxTypeCode", Type: m.Code, Convert: taxTypes},
			{Term: "BT-119", Card: m.One, Field: "taxRate", Path: "TaxRate", Type: m.Percentage, Convert: v.number, Fill: "0.00"},
			{Term: "BT-116", Card: m.One, Field: "netAmount", Path: "TaxableBase/TotalAmount", Type: m.Amount, Convert: v.number},
			{Term: "BT-117", Card: m.One, Field: "taxAmount", Path: "TaxAmount/TotalAmount", Type: m.Amount, Convert: v.number},
			{Term: "BT-111", Field: "taxCurrencyTaxAmount", Path: "TaxAmount/EquivalentInEuros", Type: m.Amount, Convert: cents},
		}},
		derived(withheld + "TaxTypeCode"),
		derived(withheld + "TaxRate"),
		derived(withheld + "TaxableBase/TotalAmount"),
		derived(withheld + "TaxAmount/TotalAmount"),
	}
}

func totals(v version) []row {
	const of = body + "InvoiceTotals/"
	return []row{
		total(of+"TotalGrossAmount", v.number),
		{Term: "BG-21", Card: m.Many, Field: "allowancesCharges[]", Path: of + "GeneralSurcharges/Charge", When: isCharge, Rows: reduction(v, "Charge", 97)},
		{Term: "BG-20", Card: m.Many, Field: "allowancesCharges[]", Path: of + "GeneralDiscounts/Discount", Rows: reduction(v, "Discount", 90)},
		total(of+"TotalGeneralDiscounts", v.number),
		total(of+"TotalGeneralSurcharges", v.number),
		{Term: "BT-109", Card: m.One, Field: "subtotal", Path: of + "TotalGrossAmountBeforeTaxes", Type: m.Amount, Convert: v.number},
		total(of+"TotalTaxOutputs", v.number),
		total(of+"TotalTaxesWithheld", v.number),
		total(of+"InvoiceTotal", v.number),
		{Card: m.Many, Field: "prepayments[]", Path: of + "PaymentsOnAccount/PaymentOnAccount", Rows: []row{
			{Field: "paidAt", Path: "PaymentOnAccountDate", Type: m.Day},
			{Field: "amount", Path: "PaymentOnAccountAmount", Type: m.Amount, Convert: v.number},
		}},
		total(of+"TotalOutstandingAmount", v.number),
		{Term: "BT-113", Field: "prepaidAmount", Path: of + "TotalPaymentsOnAccount", Type: m.Amount, Convert: v.number},
		{Path: of + "AmountsWithheld", Rows: []row{
			{Field: "retention.reason", Path: "WithholdingReason", Convert: unless("Retención de garantía"), Fill: "Retención de garantía"},
			{Field: "retention.percent", Path: "WithholdingRate", Type: m.Percentage, Convert: v.reduction},
			{Field: "retention.amount", Path: "WithholdingAmount", Type: m.Amount, Convert: v.number},
		}},
		total(of+"TotalExecutableAmount", v.number),
	}
}

func isCharge(s scope) bool { return s.Group.(*invoice.DocumentCharge).Charge() }

// names are what discounts and surcharges are called that do not say why they are there.
var names = map[string]string{"Discount": "Descuento", "Charge": "Cargo"}

// reduction are the members of a discount or surcharge, whose terms count on from the given one: those of lines and of the document differ.
func reduction(v version, kind string, term int) []row {
	bt := func(n int) string { return "BT-" + strconv.Itoa(n) }
	reason, rate, amount := bt(term+7), bt(term+4), bt(term+2)
	if term > 130 {
		reason, rate, amount = bt(term+3), bt(term+2), bt(term)
	}
	return []row{
		{Term: reason, Field: "reason", Path: kind + "Reason", Convert: unless(names[kind]), Fill: names[kind]},
		{Term: rate, Field: "percentage", Path: kind + "Rate", Type: m.Percentage, Convert: v.reduction},
		{Term: amount, Card: m.One, Field: "amount", Path: kind + "Amount", Type: m.Amount, Convert: v.price},
	}
}

// unless is for a text that another one stands for where there is none.
func unless(name string) *m.Converter {
	return &m.Converter{
		Write: func(text string) (string, bool) { return text, true },
		Read: func(text string) (string, bool) {
			if text == name {
				text = ""
			}
			return text, true
		},
	}
}

// payment are the instalments: of the ways to pay of an invoice the first, or one for each instalment of a document that has several.
var payment = []row{
	{Term: "BG-16", Card: m.Many, Field: "paymentMethods[]", Path: body + "PaymentDetails/Installment", Rows: []row{
		{Term: "BT-9", Field: "/dueDate", Path: "InstallmentDueDate", Type: m.Day},
		total("InstallmentAmount", cents),
		{Term: "BT-81", Card: m.One, Field: "code", Path: "PaymentMeans", Type: m.Code},
		{Path: "AccountToBeCredited", Rows: []row{
			{Term: "BT-84", Field: "account.id", Path: "AccountNumber", When: withoutIBAN, Convert: length(5, 34)},
			{Term: "BT-84", Field: "account.id", Path: "IBAN", When: withIBAN, Convert: length(5, 34)},
			{Term: "BT-86", Field: "account.bic", Path: "BIC", Convert: bic},
		}},
		{Term: "BT-83", Field: "/paymentReference", Path: "PaymentReconciliationReference", Convert: upTo(60), First: true},
		{Term: "BT-91", Field: "/directDebitMandate.debitAccountId", Path: "AccountToBeDebited/IBAN", Convert: length(5, 34), First: true},
		{Term: "BT-20", Field: "/paymentTerms.description", Path: "CollectionAdditionalInformation", First: true},
		{Term: "BT-89", Field: "/directDebitMandate.mandateId", Path: "DebitReconciliationReference", Convert: upTo(60), First: true},
	}},
}

func withIBAN(s scope) bool {
	a := s.Group.(*invoice.PaymentMethod).Account
	return a != nil && profile.FacturaeIBAN(a.ID)
}

func withoutIBAN(s scope) bool { return !withIBAN(s) }

var additional = []row{
	{Term: "BG-1", Card: m.Many, Field: "noteEntries[]", Path: body + "LegalLiterals/LegalReference", Rows: []row{{Term: "BT-22", Path: ".", Field: "text"}}},
	{Term: "BT-25", Field: "referencedInvoiceNumber", Path: body + "AdditionalData/RelatedInvoice", When: func(s scope) bool { return !corrects(s) }, Convert: upTo(40)},
	{Term: "BG-24", Card: m.Many, Field: "attachments[]", Path: body + "AdditionalData/RelatedDocuments/Attachment", Rows: []row{
		{Term: "BT-125-1", Card: m.One, Field: "mimeType", Path: "AttachmentFormat", Convert: attachmentFormat},
		{Const: "BASE64", Path: "AttachmentEncoding"},
		{Term: "BT-125-2 BT-123", Path: "AttachmentDescription", Codec: attachmentName},
		{Term: "BT-125", Card: m.One, Field: "content", Path: "AttachmentData", Type: m.Binary},
	}},
	{Term: "BT-22", Field: "notes", Path: body + "AdditionalData/InvoiceAdditionalInformation"},
}
