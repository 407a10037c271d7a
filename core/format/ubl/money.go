package ubl

import m "github.com/einvoiced/einvoiced/core/mapping"

var paymentMeans = []row{
	{Term: "BT-81", Card: m.One, Field: "code", Path: "cbc:PaymentMeansCode", Type: m.Code, Attrs: []m.Attr{{Name: "name", Term: "BT-82", Field: "details"}}},
	{Term: "BT-9", Field: "/dueDate", Path: "cbc:PaymentDueDate", Type: m.Day, On: CreditNote, When: firstMethod},
	{Term: "BT-83", Field: "/paymentReference", Path: "cbc:PaymentID"},
	// Credit transfer: one for each payment method, so that several are several methods.
	{Term: "BG-17", Field: "account", Path: "cac:PayeeFinancialAccount", Rows: []row{
		{Term: "BT-84", Card: m.One, Field: "id", Path: "cbc:ID", Type: m.Identifier},
		{Term: "BT-85", Field: "name", Path: "cbc:Name"},
		{Term: "BT-86", Field: "bic", Path: "cac:FinancialInstitutionBranch/cbc:ID", Type: m.Identifier},
	}},
	// Payment card.
	{Term: "BG-18", Path: "cac:CardAccount", When: byCard, Rows: []row{
		{Term: "BT-87", Card: m.One, Field: "/cardAccount.pan", Path: "cbc:PrimaryAccountNumberID", Type: m.Identifier},
		{Field: "/cardAccount.networkId", Path: "cbc:NetworkID", Type: m.Identifier, Fill: "NA"},
		{Term: "BT-88", Field: "/cardAccount.holderName", Path: "cbc:HolderName"},
	}},
	// Direct debit; its BT-90 stands with the party.
	{Term: "BG-19", Path: "cac:PaymentMandate", When: byDirectDebit, Rows: []row{
		{Term: "BT-89", Field: "/directDebitMandate.mandateId", Path: "cbc:ID", Type: m.Identifier},
		{Term: "BT-91", Field: "/directDebitMandate.debitAccountId", Path: "cac:PayerFinancialAccount/cbc:ID", Type: m.Identifier},
	}},
}

// vatScheme closes every tax category: EN 16931 knows VAT only.
var vatScheme = row{Const: "VAT", Path: "cac:TaxCategory/cac:TaxScheme/cbc:ID"}

var documentCharge = []row{
	{Term: "BG-20 BG-21", Field: "isCharge", Path: "cbc:ChargeIndicator", Type: m.Indicator},
	{Term: "BT-92 BT-99", Card: m.One, Field: "amount", Path: "cbc:Amount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-93 BT-100", Field: "baseAmount", Path: "cbc:BaseAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-94 BT-101", Field: "percentage", Path: "cbc:MultiplierFactorNumeric", Type: m.Percentage},
	{Term: "BT-95 BT-102", Card: m.One, Field: "taxCategoryCode", Path: "cac:TaxCategory/cbc:ID", Type: m.Code},
	{Term: "BT-96 BT-103", Field: "taxRate", Path: "cac:TaxCategory/cbc:Percent", Type: m.Percentage},
	{Term: "BT-97 BT-104", Field: "reason", Path: "cbc:AllowanceChargeReason"},
	{Term: "BT-98 BT-105", Field: "reasonCode", Path: "cbc:AllowanceChargeReasonCode", Type: m.Code},
	{Term: "HR-BT-6", Field: "taxCategoryName", Path: "cac:TaxCategory/cbc:Name", In: Croatia},
	{Term: "HR-BT-7", Field: "exemptionReason", Path: "cac:TaxCategory/cbc:TaxExemptionReason", In: Croatia},
	{Term: "HR-BT-8", Field: "exemptionReasonCode", Path: "cac:TaxCategory/cbc:TaxExemptionReasonCode", Type: m.Code, In: Croatia},
	{Term: "IBT-197 IBT-199", Field: "exemptionReason", Path: "cac:TaxCategory/cbc:TaxExemptionReason", In: Pint},
	{Term: "IBT-196 IBT-198", Field: "exemptionReasonCode", Path: "cac:TaxCategory/cbc:TaxExemptionReasonCode", Type: m.Code, In: Pint},
	vatScheme,
}

var taxBreakdown = []row{
	{Term: "BT-116", Card: m.One, Field: "netAmount", Path: "cbc:TaxableAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-117", Card: m.One, Field: "taxAmount", Path: "cbc:TaxAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "BT-118", Card: m.One, Field: "taxCategoryCode", Path: "cac:TaxCategory/cbc:ID", Type: m.Code},
	{Term: "BT-119", Field: "taxRate", Path: "cac:TaxCategory/cbc:Percent", Type: m.Percentage},
	{Term: "BT-120", Field: "exemptionReason", Path: "cac:TaxCategory/cbc:TaxExemptionReason"},
	{Term: "BT-121", Field: "exemptionReasonCode", Path: "cac:TaxCategory/cbc:TaxExemptionReasonCode", Type: m.Code},
	vatScheme,
}
