package ubl

import m "einvoiced/core/mapping"

var paymentMeans = []m.Row{
	{Term: "BT-81", Field: "code", Path: "cbc:PaymentMeansCode", Type: m.Code, Attrs: []m.Attr{{Name: "name", Field: "details"}}}, // BT-82
	{Term: "BT-9", Field: "/dueDate", Path: "cbc:PaymentDueDate", Type: m.Day, On: creditNoteOnly, When: firstMethod},
	{Term: "BT-83", Field: "/paymentReference", Path: "cbc:PaymentID"},
	// Credit transfer (BG-17).
	{Term: "BT-84", Field: "account.id", Path: "cac:PayeeFinancialAccount/cbc:ID", Type: m.Identifier},
	{Term: "BT-85", Field: "account.name", Path: "cac:PayeeFinancialAccount/cbc:Name"},
	{Term: "BT-86", Field: "account.bic", Path: "cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID", Type: m.Identifier},
	// Payment card (BG-18).
	{Term: "BT-87", Field: "/cardAccount.pan", Path: "cac:CardAccount/cbc:PrimaryAccountNumberID", Type: m.Identifier, When: byCard},
	{Field: "/cardAccount.networkId", Path: "cac:CardAccount/cbc:NetworkID", Type: m.Identifier, When: byCard, Fill: "NA"},
	{Term: "BT-88", Field: "/cardAccount.holderName", Path: "cac:CardAccount/cbc:HolderName", When: byCard},
	// Direct debit (BG-19).
	{Term: "BT-89", Field: "/directDebitMandate.mandateId", Path: "cac:PaymentMandate/cbc:ID", Type: m.Identifier, When: byDirectDebit},
	{Term: "BT-91", Field: "/directDebitMandate.debitAccountId", Path: "cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID", Type: m.Identifier, When: byDirectDebit},
}

// vatScheme closes every tax category: EN 16931 knows VAT only.
var vatScheme = m.Row{Const: "VAT", Path: "cac:TaxCategory/cac:TaxScheme/cbc:ID"}

var documentCharge = []m.Row{
	{Term: "BG-20 BG-21", Field: "isCharge", Path: "cbc:ChargeIndicator", Type: m.Indicator},
	{Term: "BT-92 BT-99", Field: "amount", Path: "cbc:Amount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-93 BT-100", Field: "baseAmount", Path: "cbc:BaseAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-94 BT-101", Field: "percentage", Path: "cbc:MultiplierFactorNumeric", Type: m.Percentage},
	{Term: "BT-95 BT-102", Field: "taxCategoryCode", Path: "cac:TaxCategory/cbc:ID", Type: m.Code},
	{Term: "BT-96 BT-103", Field: "taxRate", Path: "cac:TaxCategory/cbc:Percent", Type: m.Percentage},
	{Term: "BT-97 BT-104", Field: "reason", Path: "cbc:AllowanceChargeReason"},
	{Term: "BT-98 BT-105", Field: "reasonCode", Path: "cbc:AllowanceChargeReasonCode", Type: m.Code},
	vatScheme,
}

var taxBreakdown = []m.Row{
	{Term: "BT-116", Field: "netAmount", Path: "cbc:TaxableAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-117", Field: "taxAmount", Path: "cbc:TaxAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-118", Field: "taxCategoryCode", Path: "cac:TaxCategory/cbc:ID", Type: m.Code},
	{Term: "BT-119", Field: "taxRate", Path: "cac:TaxCategory/cbc:Percent", Type: m.Percentage},
	{Term: "BT-120", Field: "exemptionReason", Path: "cac:TaxCategory/cbc:TaxExemptionReason"},
	{Term: "BT-121", Field: "exemptionReasonCode", Path: "cac:TaxCategory/cbc:TaxExemptionReasonCode", Type: m.Code},
	vatScheme,
}
