// Package fatturapa is FatturaPA 1.2.3 (Agenzia delle Entrate, specifiche tecniche 1.9): the electronic invoice of Italy, as private
// parties (FPR12) and the public administration (FPA12) have it. A file may hold several invoices with one header.
package fatturapa

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// The editions of the table: the namespaces of the format, of which the newest is written.
const (
	V12 = "1.2"
	V11 = "1.1"
	V10 = "1.0"
)

// Namespace is that of the versions 1.2 to 1.2.3.
const Namespace = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"

type (
	row   = m.Row[invoice.Invoice]
	scope = m.Scope[invoice.Invoice]
)

// Table maps the canonical invoice (see core/profile). The schema demands elements that EN 16931 does not have; the steps of the profile
// give them their values.
var Table = m.Table[invoice.Invoice]{
	Namespaces: map[string]string{"p": Namespace},
	Elements:   []m.Element{{Name: "p:FatturaElettronica"}},
	Editions: []m.Edition{
		{Name: V12},
		{Name: V11, Includes: []string{V12}, Namespaces: map[string]string{"p": "http://www.fatturapa.gov.it/sdi/fatturapa/v1.1"}},
		{Name: V10, Includes: []string{V12}, Namespaces: map[string]string{"p": "http://www.fatturapa.gov.it/sdi/fatturapa/v1.0"}},
	},
	Lines: "items[]",
	Order: order,
	Silent: map[string]string{
		"type":                            "TipoDocumento says it",
		"serviceCategory":                 "it decides about a note and says nothing itself",
		"countrySpecific.countryCode":     "it names the country whose members follow",
		"countrySpecific.invoiceTypeCode": "TipoDocumento says it",
		"taxSummary[].taxCategoryCode":    "rate and Natura say it",
		"items[].taxCategoryCode":         "rate and Natura say it",
		"countrySpecific.national":        "it is written after the table",
		"subtotal":                        "it is the sum of the groups",
		"retention.amount":                inCausale,
		"retention.percent":               inCausale,
		"retention.baseAmount":            inCausale,
		"retention.reason":                inCausale,
		"retention.dueDate":               inCausale,
	},
	Rows: slices.Concat([]row{
		{Path: ".", Attrs: []m.Attr{{Name: "versione", Field: "businessProcess"}}},
		{Path: "FatturaElettronicaHeader", Rows: header},
	}, document, goods, payment, []row{
		{Term: "BG-24", Card: m.Many, Field: "attachments[]", Path: body + "Allegati", Rows: []row{
			{Term: "BT-125-2", Card: m.One, Field: "filename", Path: "NomeAttachment"},
			{Term: "BT-125-1", Field: "mimeType", Path: "FormatoAttachment", Convert: attachmentFormat},
			{Term: "BT-123", Field: "description", Path: "DescrizioneAttachment"},
			{Term: "BT-125", Card: m.One, Field: "content", Path: "Attachment", Type: m.Binary},
		}},
	}),
}

// inCausale is why nothing of a retention is missed.
const inCausale = "Causale says it, and the payment is less"

// body is what stands before the paths of one invoice of a file.
const body = "FatturaElettronicaBody/"

var document = []row{
	{Path: body + "DatiGenerali/DatiGeneraliDocumento", Rows: []row{
		{Term: "BT-3", Card: m.One, Field: "countrySpecific.documentType", Path: "TipoDocumento", Type: m.Code},
		{Term: "BT-5", Card: m.One, Field: "currency", Path: "Divisa", Type: m.Code},
		{Term: "BT-2", Card: m.One, Field: "issueDate", Path: "Data", Type: m.Day},
		{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "Numero"},
		{Card: m.Many, Field: "countrySpecific.withholding[]", Path: "DatiRitenuta", Rows: []row{
			{Field: "type", Path: "TipoRitenuta", Type: m.Code},
			{Field: "amount", Path: "ImportoRitenuta", Type: m.Amount, Convert: cents},
			{Field: "rate", Path: "AliquotaRitenuta", Type: m.Percentage, Convert: cents},
			{Field: "reason", Path: "CausalePagamento", Type: m.Code},
		}},
		{Const: "SI", Path: "DatiBollo/BolloVirtuale"},
		{Field: "countrySpecific.stampDuty", Path: "DatiBollo/ImportoBollo", Type: m.Amount, Convert: cents},
		{Card: m.Many, Field: "countrySpecific.pensionFund[]", Path: "DatiCassaPrevidenziale", Rows: []row{
			{Field: "type", Path: "TipoCassa", Type: m.Code},
			{Field: "rate", Path: "AlCassa", Type: m.Percentage, Convert: cents},
			{Field: "amount", Path: "ImportoContributoCassa", Type: m.Amount, Convert: cents},
			{Field: "taxableAmount", Path: "ImponibileCassa", Type: m.Amount, Convert: cents},
			{Field: "taxRate", Path: "AliquotaIVA", Type: m.Percentage, Convert: cents},
			{Field: "withholdingFlag", Path: "Ritenuta", Convert: yes},
			{Field: "nature", Path: "Natura", Type: m.Code},
		}},
		{Term: "BT-112", Field: "total", Path: "ImportoTotaleDocumento", Type: m.Amount, Convert: cents},
		{Term: "BT-114", Field: "roundingAmount", Path: "Arrotondamento", Type: m.Amount, Convert: cents},
		{Term: "BG-1", Card: m.Many, Field: "noteEntries[]", Path: "Causale", Rows: []row{{Term: "BT-22", Path: ".", Field: "text"}}},
	}},
	{Path: body + "DatiGenerali/DatiOrdineAcquisto", Rows: []row{
		{Term: "BT-13", Field: "orderNumber", Path: "IdDocumento", Convert: ascii(20), Fill: "NA"},
		{Term: "BT-11", Field: "projectNumber", Path: "CodiceCommessaConvenzione", Convert: ascii(100)},
		{Field: "countrySpecific.cup", Path: "CodiceCUP"},
		{Field: "countrySpecific.cig", Path: "CodiceCIG"},
	}},
	{Term: "BT-12", Field: "contractNumber", Path: body + "DatiGenerali/DatiContratto/IdDocumento", Convert: ascii(20)},
	{Term: "BT-17", Field: "tenderReference", Path: body + "DatiGenerali/DatiConvenzione/IdDocumento", Convert: ascii(20)},
	{Term: "BT-15", Field: "receivingAdviceNumber", Path: body + "DatiGenerali/DatiRicezione/IdDocumento", Convert: ascii(20)},
	{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: body + "DatiGenerali/DatiFattureCollegate", Rows: []row{
		{Term: "BT-25", Card: m.One, Field: "number", Path: "IdDocumento"},
		{Term: "BT-26", Field: "date", Path: "Data", Type: m.Day},
	}},
	{Path: body + "DatiGenerali/DatiDDT", Rows: []row{
		{Term: "BT-16", Field: "deliveryNote.number", Path: "NumeroDDT", Convert: ascii(20)},
		{Field: "deliveryNote.date", Path: "DataDDT", Type: m.Day},
	}},
	{Term: "BG-13", Path: body + "DatiGenerali/DatiTrasporto", Rows: []row{
		{Term: "BG-15", Path: "IndirizzoResa", Rows: []row{
			{Term: "BT-75", Field: "delivery.address.street", Path: ".", Split: houseNumber, Rows: []row{{Path: "Indirizzo"}, {Path: "NumeroCivico"}}},
			{Term: "BT-78", Field: "delivery.address.postalCode", Path: "CAP", Convert: postcode, Fill: "00000"},
			{Term: "BT-77", Field: "delivery.address.city", Path: "Comune"},
			{Term: "BT-79", Field: "delivery.address.state", Path: "Provincia", Convert: province},
			{Term: "BT-80", Field: "delivery.address.countryCode", Path: "Nazione", Type: m.Code},
		}},
		{Term: "BT-72", Field: "delivery.date", Path: "DataOraConsegna", Convert: midnight},
	}},
}

var goods = []row{
	{Term: "BG-25", Card: m.OneOrMore, Field: "items[]", Path: body + "DatiBeniServizi/DettaglioLinee", Rows: line},
	{Term: "BG-23", Card: m.OneOrMore, Field: "taxSummary[]", Path: body + "DatiBeniServizi/DatiRiepilogo", Rows: []row{
		{Term: "BT-119", Card: m.One, Field: "taxRate", Path: "AliquotaIVA", Type: m.Percentage, Convert: cents},
		{Term: "BT-118", Field: "natureCode", Path: "Natura", Type: m.Code},
		{Term: "BT-116", Card: m.One, Field: "netAmount", Path: "ImponibileImporto", Type: m.Amount, Convert: cents},
		{Term: "BT-117", Card: m.One, Field: "taxAmount", Path: "Imposta", Type: m.Amount, Convert: cents},
		{Field: "/countrySpecific.vatCollectability", Path: "EsigibilitaIVA", Type: m.Code, When: taxed},
		{Term: "BT-120", Field: "exemptionReason", Path: "RiferimentoNormativo"},
	}},
}

var payment = []row{
	{Term: "BG-16", Path: body + "DatiPagamento", Rows: []row{
		{Const: "TP02", Path: "CondizioniPagamento"},
		{Term: "BG-16", Card: m.Many, Field: "paymentMethods[]", Path: "DettaglioPagamento", Rows: []row{
			{Term: "BT-59", Field: "/payee.name", Path: "Beneficiario"},
			{Term: "BT-81", Card: m.One, Field: "code", Path: "ModalitaPagamento", Type: m.Code},
			{Field: "/paymentTerms.dueDays", Path: "GiorniTerminiPagamento", First: true},
			{Term: "BT-9", Field: "/dueDate", Path: "DataScadenzaPagamento", Type: m.Day, First: true},
			{Term: "BT-115", Total: profile.ItalianPayment, From: "total", Path: "ImportoPagamento", Type: m.Amount, Convert: cents},
			{Field: "/seller.bankAccount.bankName", Path: "IstitutoFinanziario", First: true, When: banked},
			{Term: "BT-84", Field: "account.id", Path: "IBAN", Convert: iban},
			{Term: "BT-86", Field: "account.bic", Path: "BIC", Convert: bic},
			{Term: "BT-83", Field: "/paymentReference", Path: "CodicePagamento", First: true, Convert: ascii(60)},
		}},
	}},
}

// taxed is for groups with tax: only they have a moment at which it becomes due.
func taxed(s scope) bool { return s.Group.(*invoice.TaxSummary).NatureCode == "" }

// banked is for a way to pay that has an account.
func banked(s scope) bool {
	a := s.Group.(*invoice.PaymentMethod).Account
	return a != nil && ibanForm.MatchString(a.ID)
}

var line = []row{
	{Term: "BT-126", Card: m.One, Field: "lineId", Path: "NumeroLinea"},
	{Field: "supplyType", Path: "TipoCessionePrestazione", Type: m.Code},
	{Term: "BT-155", Field: "articleNumber", Path: "CodiceArticolo[CodiceTipo='Codice Art. fornitore']/CodiceValore"},
	{Term: "BT-156", Field: "buyerItemId", Path: "CodiceArticolo[CodiceTipo='Codice Art. cliente']/CodiceValore"},
	{Term: "BT-157", Field: "gtin", Path: "CodiceArticolo[CodiceTipo='EAN']/CodiceValore"},
	{Term: "BT-153", Card: m.One, Field: "description", Path: "Descrizione"},
	{Term: "BT-129", Field: "quantity", Path: "Quantita", Type: m.Quantity, Convert: m.Decimals(2, 8)},
	{Term: "BT-130", Field: "unit", Path: "UnitaMisura", Convert: ascii(10)},
	{Term: "BT-134", Field: "servicePeriod.start", Path: "DataInizioPeriodo", Type: m.Day},
	{Term: "BT-135", Field: "servicePeriod.end", Path: "DataFinePeriodo", Type: m.Day},
	{Term: "BT-146", Card: m.One, Field: "unitPrice", Path: "PrezzoUnitario", Type: m.UnitPrice, Convert: m.Decimals(2, 8)},
	{Term: "BG-27", Card: m.Many, Field: "allowances[]", Path: "ScontoMaggiorazione[Tipo='SC']", Rows: lineCharge("BT-138", "BT-136")},
	{Term: "BG-28", Card: m.Many, Field: "charges[]", Path: "ScontoMaggiorazione[Tipo='MG']", Rows: lineCharge("BT-143", "BT-141")},
	{Term: "BT-131", Card: m.One, Field: "netAmount", Path: "PrezzoTotale", Type: m.Amount, Convert: m.Decimals(2, 8)},
	{Term: "BT-152", Card: m.One, Field: "taxRate", Path: "AliquotaIVA", Type: m.Percentage, Convert: cents, Fill: "0.00"},
	{Field: "withholdingFlag", Path: "Ritenuta", Convert: yes},
	{Term: "BT-151", Field: "natureCode", Path: "Natura", Type: m.Code},
	{Term: "BT-133", Field: "buyerAccountingReference", Path: "RiferimentoAmministrazione", Convert: ascii(20)},
	{Term: "BT-127", Field: "note", Path: "AltriDatiGestionali[TipoDato='NOTA']/RiferimentoTesto"},
}

// lineCharge are the members of a discount or surcharge, which is for one unit.
func lineCharge(percentage, amount string) []row {
	return []row{
		{Term: percentage, Field: "percentage", Path: "Percentuale", Type: m.Percentage, Convert: cents},
		{Term: amount, Field: "amount", Path: "Importo", Type: m.UnitPrice, Convert: m.Decimals(2, 8)},
	}
}
