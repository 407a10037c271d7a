package ubl

import (
	"maps"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// What HR CIUS with its extension has beside the terms of EN 16931 (Ministarstvo financija, specification of Fiskalizacija 2.0, rules 1.0.3).

const (
	fiscalData = "ext:UBLExtensions/ext:UBLExtension/ext:ExtensionContent/hrextac:HRFISK20Data"
	fiscalTax  = fiscalData + "/hrextac:HRTaxTotal"
	fiscalSums = fiscalData + "/hrextac:HRLegalMonetaryTotal"
)

var croatianDocument = []row{
	{Term: "HR-BT-25", Total: fiscalTaxTotal, From: "countrySpecific.taxBreakdown[].taxAmount", Path: fiscalTax + "/cbc:TaxAmount", Type: m.Amount, Attrs: inCurrency, In: Croatia},
	{Term: "HR-BG-2", Card: m.Many, Field: "countrySpecific.taxBreakdown[]", Path: fiscalTax + "/hrextac:HRTaxSubtotal", In: Croatia, Rows: []row{
		{Term: "HR-BT-16", Field: "netAmount", Path: "cbc:TaxableAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "HR-BT-17", Field: "taxAmount", Path: "cbc:TaxAmount", Type: m.Amount, Attrs: inCurrency},
		{Term: "HR-BT-18", Field: "taxCategoryCode", Path: "hrextac:HRTaxCategory/cbc:ID", Type: m.Code},
		{Term: "HR-BT-20", Field: "taxCategoryName", Path: "hrextac:HRTaxCategory/cbc:Name"},
		{Term: "HR-BT-19", Field: "taxRate", Path: "hrextac:HRTaxCategory/cbc:Percent", Type: m.Percentage},
		{Term: "HR-BT-21", Field: "exemptionReason", Path: "hrextac:HRTaxCategory/cbc:TaxExemptionReason"},
		{Const: "VAT", Path: "hrextac:HRTaxCategory/hrextac:HRTaxScheme/cbc:ID"},
	}},
	{Term: "HR-BT-23", Total: fiscalNet, From: "subtotal", Path: fiscalSums + "/cbc:TaxExclusiveAmount", Type: m.Amount, Attrs: inCurrency, In: Croatia},
	{Term: "HR-BT-24", Total: fiscalOutside, From: "countrySpecific.taxBreakdown[].netAmount", Path: fiscalSums + "/hrextac:OutOfScopeOfVATAmount", Type: m.Amount, Attrs: inCurrency, In: Croatia},
	{Term: "HR-BT-2", Field: "countrySpecific.issueTime", Path: "cbc:IssueTime", In: Croatia},
	{Term: "HR-BT-5", Field: "countrySpecific.operatorOib", Path: "cac:AccountingSupplierParty/cac:SellerContact/cbc:ID", Type: m.Identifier, In: Croatia},
	{Term: "HR-BT-4", Field: "countrySpecific.operatorCode", Path: "cac:AccountingSupplierParty/cac:SellerContact/cbc:Name", In: Croatia},
}

// withCroatianOrder adds the elements of the extension to those of UBL.
func withCroatianOrder(order map[string]string) map[string]string {
	order = maps.Clone(order)
	maps.Copy(order, map[string]string{
		"ExtensionContent": "hrextac:HRFISK20Data", "HRFISK20Data": "hrextac:HRTaxTotal hrextac:HRLegalMonetaryTotal",
		"HRTaxTotal": "cbc:TaxAmount hrextac:HRTaxSubtotal", "HRTaxSubtotal": "cbc:TaxableAmount cbc:TaxAmount hrextac:HRTaxCategory",
		"HRTaxCategory": "cbc:ID cbc:Name cbc:Percent cbc:TaxExemptionReason hrextac:HRTaxScheme", "HRTaxScheme": "cbc:ID",
		"HRLegalMonetaryTotal": "cbc:TaxExclusiveAmount hrextac:OutOfScopeOfVATAmount",
	})
	return order
}

// fiscal gives the groups of the extension; none where the invoice has no extension.
func fiscal(inv *invoice.Invoice) []invoice.TaxBreakdown {
	if inv.CountrySpecific == nil {
		return nil
	}
	return inv.CountrySpecific.TaxBreakdown
}

// fiscalTaxTotal is HR-BT-25, the sum of HR-BT-17.
func fiscalTaxTotal(inv *invoice.Invoice) (sum decimal.Decimal) {
	for _, g := range fiscal(inv) {
		sum = sum.Add(g.TaxAmount)
	}
	return invoice.RoundTotal(sum)
}

// fiscalOutside is HR-BT-24, what the groups with category O are for; 0 where there are others only.
func fiscalOutside(inv *invoice.Invoice) (sum decimal.Decimal) {
	if len(fiscal(inv)) == 0 {
		return sum
	}
	sum = decimal.New(0, 2)
	for _, g := range fiscal(inv) {
		if g.TaxCategoryCode == "O" {
			sum = sum.Add(g.NetAmount)
		}
	}
	return invoice.RoundTotal(sum)
}

// fiscalNet is HR-BT-23, the net total (BT-109) less HR-BT-24.
func fiscalNet(inv *invoice.Invoice) decimal.Decimal {
	if len(fiscal(inv)) == 0 {
		return decimal.Decimal{}
	}
	return inv.Subtotal.Sub(fiscalOutside(inv))
}
