package ubl

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// What the specifications of PINT have beside the terms of EN 16931 (OpenPeppol: PINT AE 1.0.4, PINT JP 1.1.3, PINT OM 1.0.1, syntax
// bindings). PINT A-NZ has nothing beside them but another tax scheme.

// pintDocument are rows of the document. Those of supporting documents stand before the ones of EN 16931, which take every other one.
var pintDocument = []row{
	{Term: "BTAE-02", Field: "countrySpecific.transactionType", Path: "cbc:ProfileExecutionID", Type: m.Identifier, In: PintAE},
	{Term: "BTAE-07", Field: "countrySpecific.uuid", Path: "cbc:UUID", Type: m.Identifier, In: PintAE},
	{Term: "BTOM-002", Field: "countrySpecific.uuid", Path: "cbc:UUID", Type: m.Identifier, In: PintOM},
	{Term: "IBT-168", Field: "countrySpecific.issueTime", Path: "cbc:IssueTime", In: Pint},
	{Term: "BTAE-03", Field: "countrySpecific.correctionReasonCode", Path: "cac:DiscrepancyResponse/cbc:ResponseCode", Type: m.Code, In: PintAE, On: CreditNote},
	{Term: "BTAE-14", Field: "countrySpecific.principalId", Path: "cac:SellerSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID", Type: m.Identifier, In: PintAE},
	{Term: "BTAE-01", Field: "countrySpecific.beneficiaryId", Path: "cac:BuyerCustomerParty/cac:Party/cac:PartyIdentification/cbc:ID", Type: m.Identifier, In: PintAE},
	{Term: "BTAE-20", Total: totalInTaxCurrency, From: "total", Path: dirhamTotal + "/cbc:DocumentDescription", Type: m.Amount, In: PintAE},
	{Const: "AED", Path: dirhamTotal + "/cbc:ID", In: PintAE},
	{Term: "BTAE-04 BTOM-003", Field: "countrySpecific.exchangeRate", Path: "cac:TaxExchangeRate/cbc:CalculationRate", Type: m.Percentage, In: Pint},
	{Const: currency, Path: "cac:TaxExchangeRate/cbc:SourceCurrencyCode", In: Pint},
	{Const: taxCurrency, Path: "cac:TaxExchangeRate/cbc:TargetCurrencyCode", In: Pint},
	{Term: "IBG-35", Card: m.Many, Field: "prepayments[]", Path: "cac:PrepaidPayment", In: PintAE, On: Invoice, Rows: paid},
	{Term: "IBG-35", Card: m.Many, Field: "prepayments[]", Path: "cac:PrepaidPayment", In: PintJP, On: Invoice, Rows: paid},
	{Term: "BTOM-027", Card: m.Many, Field: "prepayments[]", Path: "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='PDR']", In: PintOM, Rows: []row{
		{Term: "BTOM-027", Field: "reference.documentNumber", Path: "cbc:ID", Type: m.Identifier},
		{Term: "BTOM-014", Field: "reference.registryId", Path: "cbc:UUID", Type: m.Identifier},
		{Field: "paidAt", Path: "cbc:IssueDate", Type: m.Day},
	}},
}

// pintLast are rows that take the place of others, or stand behind them: the tax total in the tax currency is the second one (ibr-co-15).
var pintLast = []row{
	{Term: "IBG-38", Card: m.Many, Field: "countrySpecific.taxBreakdown[]", Path: "cac:TaxTotal[cbc:TaxAmount/@currencyID=$taxCurrency]/cac:TaxSubtotal", In: PintJP, Rows: accountedTax},
	{Term: "IBG-38", Card: m.Many, Field: "countrySpecific.taxBreakdown[]", Path: "cac:TaxTotal[cbc:TaxAmount/@currencyID=$taxCurrency]/cac:TaxSubtotal", In: PintOM, Rows: accountedTax},
	{Term: "BT-3", Field: "countrySpecific.invoiceTypeCode", Path: "cbc:InvoiceTypeCode|cbc:CreditNoteTypeCode", Type: m.Code, In: PintOM,
		Attrs: []m.Attr{{Name: "name", Term: "BTOM-001", Field: "countrySpecific.transactionType"}}},
}

// dirhamTotal is the document that PINT AE states the total with VAT in dirhams as (BTAE-20).
const dirhamTotal = "cac:AdditionalDocumentReference[cbc:DocumentTypeCode='aedtotal-incl-vat']"

// totalInTaxCurrency is BT-112 in the tax currency, at the exchange rate; not set where the invoice has no other currency.
func totalInTaxCurrency(inv *invoice.Invoice) decimal.Decimal {
	if cs := inv.CountrySpecific; cs != nil && cs.ExchangeRate.IsSet() && inv.TaxCurrencyCode != "" && inv.TaxCurrencyCode != inv.Currency {
		return inv.Total.Mul(cs.ExchangeRate).Round(2, decimal.HalfUp).WithMinScale(2)
	}
	return decimal.Decimal{}
}

var inTaxCurrency = []m.Attr{{Name: "currencyID", Const: taxCurrency}}

// accountedTax is a group of the breakdown in the tax currency.
var accountedTax = []row{
	{Term: "IBT-189", Field: "netAmount", Path: "cbc:TaxableAmount", Type: m.Amount, Attrs: inTaxCurrency},
	{Term: "IBT-190", Field: "taxAmount", Path: "cbc:TaxAmount", Type: m.Amount, Attrs: inTaxCurrency},
	{Term: "IBT-192", Field: "taxCategoryCode", Path: "cac:TaxCategory/cbc:ID", Type: m.Code},
	{Term: "IBT-193", Field: "taxRate", Path: "cac:TaxCategory/cbc:Percent", Type: m.Percentage},
	vatScheme,
}

// paid is one amount that was paid (IBG-35).
var paid = []row{
	{Term: "IBT-180", Field: "amount", Path: "cbc:PaidAmount", Type: m.Amount, Attrs: inCurrency},
	{Term: "IBT-179", Field: "reference.documentNumber", Path: "cbc:ID", Type: m.Identifier},
	{Term: "IBT-181", Field: "paidAt", Path: "cbc:ReceivedDate", Type: m.Day},
}

// pintLine are the amounts of a line that EN 16931 has no term for: with tax, and the tax.
var pintLine = []row{
	{Term: "BTAE-10", Field: "grossAmount", Path: "cac:ItemPriceExtension/cbc:Amount", Type: m.Amount, Attrs: inDirhams, In: PintAE},
	{Term: "BTAE-08", Field: "taxAmount", Path: "cac:ItemPriceExtension/cac:TaxTotal/cbc:TaxAmount", Type: m.Amount, Attrs: inDirhams, In: PintAE},
	{Term: "BTOM-017", Field: "grossAmount", Path: "cac:ItemPriceExtension/cbc:Amount", Type: m.Amount, Attrs: inCurrency, In: PintOM},
	{Term: "BTOM-016", Field: "taxAmount", Path: "cac:ItemPriceExtension/cac:TaxTotal/cbc:TaxAmount", Type: m.Amount, Attrs: inCurrency, In: PintOM},
}

var inDirhams = []m.Attr{{Name: "currencyID", Const: "AED"}}

// pintItem are the classifications that have elements of their own: services of the Emirates, activities and services of Oman.
var pintItem = []row{
	{Term: "BTAE-17", Card: m.Many, Field: "classification[]", Path: "cac:AdditionalItemIdentification", In: PintAE, When: isOf("SAC"), Rows: []row{
		{Term: "BTAE-17", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeID("BTAE-17", "schemeId")}}},
	{Term: "BTOM-033", Card: m.Many, Field: "classification[]", Path: "cac:AdditionalItemIdentification", In: PintOM, When: isOf("CC"), Rows: []row{
		{Term: "BTOM-033", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeName}}},
	{Term: "BTOM-034", Card: m.Many, Field: "classification[]", Path: "cac:ItemSpecificationDocumentReference", In: PintOM, When: isOf("MP"), Rows: []row{
		{Term: "BTOM-034", Field: "id", Path: "cbc:ID", Type: m.Identifier, Attrs: schemeName},
		{Term: "BTOM-019", Field: "natureCode", Path: "cbc:DocumentTypeCode", Type: m.Code}}},
}

// schemeName is the scheme of a classification of Oman.
var schemeName = []m.Attr{{Name: "schemeName", Term: "BT-158-1", Field: "schemeId"}}

// isOf tells whether a classification is of a scheme.
func isOf(scheme string) func(scope) bool {
	return func(s scope) bool { return s.Group.(*invoice.Classification).SchemeID == scheme }
}

// withScheme gives rows with another tax scheme in the place of VAT: Australia and New Zealand have GST (PINT A-NZ 1.1.3, IBT-118-1).
func withScheme(rows []row, scheme string) []row {
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		r.Path = strings.ReplaceAll(r.Path, "'VAT'", "'"+scheme+"'")
		if r.Const == "VAT" {
			r.Const = scheme
		}
		r.Rows = withScheme(r.Rows, scheme)
	}
	return rows
}

// tasmanTable is the table of PINT A-NZ.
func tasmanTable() *m.Table[invoice.Invoice] {
	t := Table
	t.Editions = []m.Edition{{Name: EN16931}}
	t.Rows = append(withScheme(onlyOf(Table.Rows), "GST"),
		row{Term: "IBT-168", Field: "countrySpecific.issueTime", Path: "cbc:IssueTime"},
		row{Term: "IBG-35", Card: m.Many, Field: "prepayments[]", Path: "cac:PrepaidPayment", On: Invoice, Rows: paid})
	return &t
}

// onlyOf gives the rows of EN 16931.
func onlyOf(rows []row) []row {
	var kept []row
	for _, r := range rows {
		if r.In == "" {
			r.Rows = onlyOf(r.Rows)
			kept = append(kept, r)
		}
	}
	return kept
}
