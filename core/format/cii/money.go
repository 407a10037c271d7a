package cii

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

var settlement = []row{
	{Term: "BT-90", Field: "directDebitMandate.creditorId", Path: "ram:CreditorReferenceID", Type: m.Identifier},
	{Term: "BT-83", Field: "paymentReference", Path: "ram:PaymentReference"},
	{Term: "BT-6", Field: "taxCurrencyCode", Path: "ram:TaxCurrencyCode", Type: m.Code},
	{Term: "BT-5", Card: m.One, Field: "currency", Path: "ram:InvoiceCurrencyCode", Type: m.Code},
	{Term: "BG-10", Field: "payee", Path: "ram:PayeeTradeParty", Rows: payee},
	{Term: "BG-16", Card: m.Many, Field: "paymentMethods[]", Path: "ram:SpecifiedTradeSettlementPaymentMeans", Rows: paymentMeans},
	{Term: "BG-23", Card: m.OneOrMore, Field: "taxSummary[]", Path: "ram:ApplicableTradeTax", Rows: taxBreakdown},
	{Term: "BG-14", Field: "servicePeriod", Path: "ram:BillingSpecifiedPeriod", Rows: period("BT-73", "BT-74")},
	{Term: "BG-21", Card: m.Many, Field: "allowancesCharges[]", Path: "ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='true']",
		When: isCharge, Rows: documentCharge(99)},
	{Term: "BG-X-42", Card: m.Many, Field: "allowancesCharges[]", Path: "ram:SpecifiedLogisticsServiceCharge", In: Extended107, When: never, Rows: logisticsCharge},
	{Term: "BG-20", Card: m.Many, Field: "allowancesCharges[]", Path: "ram:SpecifiedTradeAllowanceCharge[ram:ChargeIndicator/udt:Indicator='false']",
		Rows: documentCharge(92)},
	{Path: "ram:SpecifiedTradePaymentTerms", Rows: paymentTerms},
	{Term: "BG-22", Card: m.One, Path: "ram:SpecifiedTradeSettlementHeaderMonetarySummation", Rows: totals},
	{Term: "BG-DEX-09", Card: m.Many, Field: "thirdPartyPayments[]", Path: "ram:SpecifiedFinancialAdjustment", In: Extended, Rows: []row{
		{Term: "BT-DEX-001 BT-DEX-003", Card: m.One, Path: "ram:Reason", Codec: adjustmentReason},
		{Term: "BT-DEX-002", Card: m.One, Field: "paidAmount", Path: "ram:ActualAmount", Type: m.Amount},
	}},
	{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: "ram:InvoiceReferencedDocument", Rows: []row{
		{Term: "BT-25", Card: m.One, Field: "number", Path: "ram:IssuerAssignedID", Type: m.Identifier},
		day("BT-26", m.Optional, "date", "ram:FormattedIssueDateTime/qdt:DateTimeString"),
	}},
	{Term: "BT-19", Field: "buyerAccountingReference", Path: "ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID"},
}

var taxBreakdown = []row{
	{Term: "BT-117", Card: m.One, Field: "taxAmount", Path: "ram:CalculatedAmount", Type: m.Amount},
	{Const: "VAT", Path: "ram:TypeCode"},
	{Term: "BT-120", Field: "exemptionReason", Path: "ram:ExemptionReason"},
	{Term: "BT-116", Card: m.One, Field: "netAmount", Path: "ram:BasisAmount", Type: m.Amount},
	{Term: "BT-118", Card: m.One, Field: "taxCategoryCode", Path: "ram:CategoryCode", Type: m.Code},
	{Term: "BT-121", Field: "exemptionReasonCode", Path: "ram:ExemptionReasonCode", Type: m.Code},
	taxPoint,
	{Term: "BT-8", Field: "/taxPointDateCode", Path: "ram:DueDateTypeCode", Type: m.Code, Convert: taxPoints},
	{Term: "BT-119", Field: "taxRate", Path: "ram:RateApplicablePercent", Type: m.Percentage},
}

// taxPoint stands in the first group, as CII has it in all and the document once (CII-SR-461).
var taxPoint = func() row {
	r := in(EN16931, day("BT-7", m.Optional, "/taxPointDate", "ram:TaxPointDate/udt:DateString"))
	r.When = func(s scope) bool { return s.Index == 0 }
	return r
}()

var totals = []row{
	{Term: "BT-106", Card: m.One, Total: en16931.TotalLines, From: "subtotal", Path: "ram:LineTotalAmount", Type: m.Amount},
	{Term: "BT-106", Card: m.One, Total: en16931.TotalDetailLines, From: "subtotal", Path: "ram:LineTotalAmount", Type: m.Amount, In: Extended107},
	{Term: "BT-106", Card: m.One, Total: en16931.TotalLines, From: "subtotal", Path: "ram:LineTotalAmount", Type: m.Amount, In: Any},
	{Term: "BT-108", Total: en16931.TotalCharges, From: "allowancesCharges[].amount", Path: "ram:ChargeTotalAmount", Type: m.Amount},
	{Term: "BT-107", Total: en16931.TotalAllowances, From: "allowancesCharges[].amount", Path: "ram:AllowanceTotalAmount", Type: m.Amount},
	{Term: "BT-109", Card: m.One, Field: "subtotal", Path: "ram:TaxBasisTotalAmount", Type: m.Amount},
	{Term: "BT-110", Total: en16931.TotalTax, From: "taxSummary[].taxAmount", Path: "ram:TaxTotalAmount[@currencyID=$currency]", Type: m.Amount},
	{Term: "BT-111", Total: en16931.TotalTaxInTaxCurrency, Keep: invoice.ShareTaxInTaxCurrency, From: "taxSummary[].taxCurrencyTaxAmount",
		Path: "ram:TaxTotalAmount[@currencyID=$taxCurrency]", Type: m.Amount},
	{Term: "BT-114", Field: "roundingAmount", Path: "ram:RoundingAmount", Type: m.Amount, In: EN16931},
	{Term: "BT-112", Card: m.One, Field: "total", Path: "ram:GrandTotalAmount", Type: m.Amount},
	{Term: "BT-113", Field: "prepaidAmount", Path: "ram:TotalPrepaidAmount", Type: m.Amount},
	{Term: "BT-115", Card: m.One, Total: en16931.AmountDue, From: "total", Path: "ram:DuePayableAmount", Type: m.Amount},
	{Term: "BT-115", Card: m.One, Total: en16931.AmountDueWithThirdParties, From: "total", Path: "ram:DuePayableAmount", Type: m.Amount, In: Extended},
}

// documentCharge are the members of an allowance (BT-92 to BT-98) or a charge (BT-99 to BT-105) on the document, whose terms count on
// from the amount.
func documentCharge(amount int) []row {
	return []row{
		{Field: "isCharge", Path: "ram:ChargeIndicator/udt:Indicator", Type: m.Indicator},
		{Term: term(amount + 2), Field: "percentage", Path: "ram:CalculationPercent", Type: m.Percentage},
		{Term: term(amount + 1), Field: "baseAmount", Path: "ram:BasisAmount", Type: m.Amount},
		{Term: term(amount), Card: m.One, Field: "amount", Path: "ram:ActualAmount", Type: m.Amount},
		{Term: term(amount + 6), Field: "reasonCode", Path: "ram:ReasonCode", Type: m.Code},
		{Term: term(amount + 5), Field: "reason", Path: "ram:Reason"},
		{Const: "VAT", Path: "ram:CategoryTradeTax/ram:TypeCode"},
		{Term: term(amount + 3), Card: m.One, Field: "taxCategoryCode", Path: "ram:CategoryTradeTax/ram:CategoryCode", Type: m.Code},
		{Term: term(amount + 4), Field: "taxRate", Path: "ram:CategoryTradeTax/ram:RateApplicablePercent", Type: m.Percentage},
	}
}

func isCharge(s scope) bool { return s.Group.(*invoice.DocumentCharge).Charge() }

// never is for rows that read an entry which is written by another row of the same list.
func never(scope) bool { return false }

// logisticsCharge is a fee for logistics, which is a charge on the document with an element of its own: BT-108 counts it
// (BR-FXEXT-CO-12).
var logisticsCharge = []row{
	{Path: "ram:Description", Codec: logisticsReason},
	{Term: "BT-X-272", Card: m.One, Field: "amount", Path: "ram:AppliedAmount", Type: m.Amount},
	{Const: "VAT", Path: "ram:AppliedTradeTax/ram:TypeCode"},
	{Field: "taxCategoryCode", Path: "ram:AppliedTradeTax/ram:CategoryCode", Type: m.Code},
	{Field: "taxRate", Path: "ram:AppliedTradeTax/ram:RateApplicablePercent", Type: m.Percentage},
}

// logisticsReason is what the fee is for; it makes the entry a charge.
var logisticsReason = &m.Codec{
	Fields: []string{"reason", "isCharge"},
	Format: func(any) string { return "" },
	Parse: func(text string, group any) {
		charge, yes := group.(*invoice.DocumentCharge), true
		charge.Reason, charge.IsCharge = text, &yes
	},
}

// adjustmentReason joins type and description of a payment for a third party, for which CII has one element: a colon stands
// between them, unless they are the same.
var adjustmentReason = &m.Codec{
	Fields: []string{"type", "description"},
	Format: func(group any) string {
		p := group.(*invoice.ThirdPartyPayment)
		if p.Type == p.Description || p.Type == "" {
			return p.Description
		}
		return p.Type + ": " + p.Description
	},
	Parse: func(text string, group any) {
		p := group.(*invoice.ThirdPartyPayment)
		p.Type, p.Description = text, text
		if before, after, found := strings.Cut(text, ": "); found {
			p.Type, p.Description = before, after
		}
	},
}
