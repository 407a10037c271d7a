// Package facturae is Facturae of Spain (Ministerio de Hacienda, Ministerio de Industria) in its versions 3.2, 3.2.1 and 3.2.2: a table of
// elements for each, which differ in some elements and in decimals, and the codec that reads and writes by it. A file may hold several
// invoices of one seller and one buyer. What Facturae computes is in profile.Facturae.
package facturae

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

type (
	row   = m.Row[invoice.Invoice]
	scope = m.Scope[invoice.Invoice]
)

// version is one of Facturae: its namespace, and how numbers are written in it.
type version struct {
	name, namespace string
	number          *m.Converter // amounts and rates
	price           *m.Converter // prices, amounts of lines, of discounts and of surcharges
	reduction       *m.Converter // rates of discounts, surcharges and amounts withheld
	kilowattHours   bool         // a code for them is there
	references      bool         // the invoice names order, file and contract; else each of its lines does
}

// The versions, the newest first.
var versions = []version{
	{name: "3.2.2", namespace: "http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml", number: m.Decimals(2, 8), price: m.Decimals(2, 8),
		reduction: m.Decimals(2, 8), kilowattHours: true, references: true},
	{name: "3.2.1", namespace: "http://www.facturae.es/Facturae/2014/v3.2.1/Facturae", number: m.Decimals(2, 8), price: m.Decimals(2, 8),
		reduction: m.Decimals(2, 8)},
	{name: "3.2", namespace: "http://www.facturae.es/Facturae/2009/v3.2/Facturae", number: cents, price: m.Decimals(6, 6), reduction: m.Decimals(4, 4)},
}

// cents writes amounts that have two decimals in all versions.
var cents = m.Decimals(2, 2)

// Table maps the canonical invoice (see profile.Facturae) to Facturae 3.2.2.
var Table = tableOf(versions[0])

func tableOf(v version) m.Table[invoice.Invoice] {
	return m.Table[invoice.Invoice]{
		Namespaces: map[string]string{"fe": v.namespace},
		Elements:   []m.Element{{Name: "fe:Facturae"}},
		Lines:      "items[]",
		Order:      elementorder.Facturae(),
		Silent:     silent,
		Rows: slices.Concat(header(v), assignee, party("seller", sellerTerms), party("buyer", buyerTerms), invoiceHeader(v), issueData(v), taxes(v), totals(v), []row{
			{Term: "BG-25", Card: m.OneOrMore, Field: "items[]", Path: body + "Items/InvoiceLine", Rows: line(v)},
		}, payment, additional),
	}
}

// silent are the members that no row takes and that nothing misses.
var silent = map[string]string{
	"type":                                "InvoiceClass says it",
	"serviceCategory":                     "it decides about a note and says nothing itself",
	"profile":                             "it is for XRechnung",
	"countrySpecific.countryCode":         "it names the country whose members follow",
	"countrySpecific.national":            "it is written beside the table",
	"total":                               "InvoiceTotal says it, less taxes withheld",
	"allowancesCharges[].isCharge":        "the element says it",
	"allowancesCharges[].taxCategoryCode": "the groups of TaxesOutputs say it",
	"allowancesCharges[].taxRate":         "the groups of TaxesOutputs say it",
	"items[].natureCode":                  "SpecialTaxableEvent says it",
}

// body is what stands before the paths of one invoice of a file.
const body = "Invoices/Invoice/"

// derived is a row whose text is computed of the invoice. What a document states there is kept while it is read, see takeDerived.
func derived(path string) row {
	of := profile.FacturaeText(path)
	return row{Path: path, Codec: &m.Codec{
		Fields: of.Fields,
		Format: func(group any) string { return of.Of(group.(*invoice.Invoice)) },
		Parse:  func(string, any) {},
	}}
}

// total is a row whose amount is computed of the invoice.
func total(path string, convert *m.Converter) row {
	of := profile.FacturaeAmount(path)
	return row{Term: of.Term, Total: of.Of, From: of.From, Path: path, Type: m.Amount, Convert: convert}
}

func header(v version) []row {
	const batch = "FileHeader/Batch/"
	return []row{
		{Const: v.name, Path: "FileHeader/SchemaVersion"},
		{Const: "I", Path: "FileHeader/Modality"},
		derived("FileHeader/InvoiceIssuerType"),
		derived(batch + "BatchIdentifier"),
		{Const: "1", Path: batch + "InvoicesCount"},
		total(batch+"TotalInvoicesAmount/TotalAmount", v.number),
		total(batch+"TotalOutstandingAmount/TotalAmount", v.number),
		total(batch+"TotalExecutableAmount/TotalAmount", v.number),
		{Field: "currency", Path: batch + "InvoiceCurrencyCode", Type: m.Code},
		derived("FileHeader/ThirdParty/TaxIdentification/PersonTypeCode"),
		derived("FileHeader/ThirdParty/TaxIdentification/ResidenceTypeCode"),
		{Term: "BT-63", Field: "taxRepresentative.vatId", Path: "FileHeader/ThirdParty/TaxIdentification/TaxIdentificationNumber", Convert: taxNumber},
		{Term: "BG-11", Path: "FileHeader/ThirdParty/LegalEntity", Rows: slices.Concat([]row{
			{Term: "BT-62", Field: "taxRepresentative.name", Path: "CorporateName"},
		}, addresses("taxRepresentative", after(64), representative, nil))},
	}
}

func invoiceHeader(v version) []row {
	const head, corrective = body + "InvoiceHeader/", body + "InvoiceHeader/Corrective/"
	rows := []row{
		{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: head + "InvoiceNumber"},
		{Field: "countrySpecific.invoiceSeries", Path: head + "InvoiceSeriesCode"},
		derived(head + "InvoiceDocumentType"),
		derived(head + "InvoiceClass"),
		{Term: "BT-25", Field: "referencedInvoiceNumber", Path: corrective + "InvoiceNumber", When: corrects},
		{Field: "countrySpecific.correctionReasonCode", Path: corrective + "ReasonCode", Type: m.Code},
		derived(corrective + "ReasonDescription"),
		derived(corrective + "TaxPeriod/StartDate"),
		derived(corrective + "TaxPeriod/EndDate"),
		{Field: "countrySpecific.correctionMethod", Path: corrective + "CorrectionMethod", Type: m.Code},
		derived(corrective + "CorrectionMethodDescription"),
	}
	if v.references {
		rows = append(rows, row{Term: "BT-26", Field: "referencedInvoiceDate", Path: corrective + "InvoiceIssueDate", Type: m.Day, When: corrects})
	}
	return rows
}

func corrects(s scope) bool { return profile.FacturaeCorrects(s.Invoice) }

func issueData(v version) []row {
	const data = body + "InvoiceIssueData/"
	rows := []row{
		{Term: "BT-2", Card: m.One, Field: "issueDate", Path: data + "IssueDate", Type: m.Day},
		{Term: "BT-72", Field: "delivery.date", Path: data + "OperationDate", Type: m.Day},
		{Term: "BT-73", Field: "servicePeriod.start", Path: data + "InvoicingPeriod/StartDate", Type: m.Day},
		{Term: "BT-74", Field: "servicePeriod.end", Path: data + "InvoicingPeriod/EndDate", Type: m.Day},
		{Term: "BT-5", Card: m.One, Field: "currency", Path: data + "InvoiceCurrencyCode", Type: m.Code},
		{Field: "countrySpecific.exchangeRate", Path: data + "ExchangeRateDetails/ExchangeRate", Type: m.UnitPrice, Convert: v.number},
		derived(data + "ExchangeRateDetails/ExchangeRateDate"),
		{Term: "BT-6", Card: m.One, Field: "taxCurrencyCode", Path: data + "TaxCurrencyCode", Type: m.Code},
		{Const: "es", Path: data + "LanguageName"},
	}
	if !v.references {
		return rows
	}
	return append(rows,
		row{Term: "BT-13", Field: "orderNumber", Path: data + "ReceiverTransactionReference", Convert: upTo(20)},
		row{Term: "BT-11", Field: "projectNumber", Path: data + "FileReference", Convert: upTo(20)},
		row{Term: "BT-12", Field: "contractNumber", Path: data + "ReceiverContractReference", Convert: upTo(20)})
}
