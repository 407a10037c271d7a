package ebinterface

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// The editions of the table. 6.1 is written; what 6.0 and 5.0 have is part of it, but for some elements that the invoice has no member for.
const (
	V61 = "6.1"
	V60 = "6.0"
	V50 = "5.0"
)

const family = "http://www.ebinterface.at/schema/"

type (
	row   = m.Row[invoice.Invoice]
	scope = m.Scope[invoice.Invoice]
)

// Table is the one place where a business term meets its ebInterface element. Fields are those of the canonical invoice (see
// profile.EbInterface); the compiler puts elements into schema order.
var Table = m.Table[invoice.Invoice]{
	Elements: []m.Element{{Name: "Invoice", Namespace: family + "6p1/"}},
	Editions: []m.Edition{
		{Name: V61},
		{Name: V60, Includes: []string{V61}, Namespaces: map[string]string{"": family + "6p0/"}},
		{Name: V50, Includes: []string{V61}, Namespaces: map[string]string{"": family + "5p0/"}},
	},
	Variables: map[string]string{"$currency": "currency"},
	Lines:     "items[]",
	Order:     elementorder.EbInterface(),
	Silent: map[string]string{
		"type":                         "DocumentType says it",
		"profile":                      "it is for XRechnung",
		"serviceCategory":              "it decides about a note and says nothing itself",
		"taxCurrencyCode":              "AccountingCurrencyAmount says it",
		"allowancesCharges[].isCharge": "the element says it",
		"paymentMethods[].code":        "the element says it",
		"countrySpecific.countryCode":  "it names the country whose members follow",
		"countrySpecific.cancelsReferencedInvoice": "the element says it",
		"countrySpecific.national":                 "it is written beside the table",
		"subtotal":                                 "the taxable amounts say it",
		"items[].lineSubtype":                      "only lines that count are written",
	},
	Rows: []row{
		{Path: ".", Attrs: []m.Attr{
			{Name: "GeneratingSystem", Const: "einvoiced"},
			{Name: "DocumentType", Term: "BT-3", Field: "countrySpecific.invoiceTypeCode", Convert: documentTypes},
			{Name: "InvoiceCurrency", Term: "BT-5", Field: "currency"},
		}},
		{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "InvoiceNumber", Type: m.Identifier},
		{Term: "BT-2", Card: m.One, Field: "issueDate", Path: "InvoiceDate", Type: m.Day},
		{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: "CancelledOriginalDocument", When: cancelled, Rows: preceding},
		{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: "RelatedDocument", Rows: preceding},
		{Term: "BT-11", Field: "projectNumber", Path: "AdditionalInformation[@Key='AEP']", Type: m.Identifier},
		{Term: "BT-15", Field: "receivingAdviceNumber", Path: "AdditionalInformation[@Key='ALO']", Type: m.Identifier},
		{Path: "Delivery", Rows: delivery},
		{Term: "BG-4", Card: m.One, Field: "seller", Path: "Biller", Rows: biller},
		{Term: "BG-7", Card: m.One, Field: "buyer", Path: "InvoiceRecipient", Rows: recipient},
		{Term: "BG-25", Card: m.OneOrMore, Field: "items[]", Path: "Details/ItemList/ListLineItem", Rows: line},
		{Term: "BG-21", Card: m.Many, Field: "allowancesCharges[]", Path: "ReductionAndSurchargeDetails/Surcharge", When: isCharge, Rows: documentCharge(99)},
		{Term: "BG-20", Card: m.Many, Field: "allowancesCharges[]", Path: "ReductionAndSurchargeDetails/Reduction", Rows: documentCharge(92)},
		{Path: "Tax", Required: true, Rows: []row{
			{Term: "BG-23", Card: m.OneOrMore, Field: "taxSummary[]", Path: "TaxItem", Rows: taxBreakdown},
		}},
		{Term: "BT-112", Card: m.One, Field: "total", Path: "TotalGrossAmount", Type: m.Amount, Convert: cents},
		{Term: "BT-113", Field: "prepaidAmount", Path: "PrepaidAmount", Type: m.Amount, Convert: cents},
		{Term: "BT-114", Field: "roundingAmount", Path: "RoundingAmount", Type: m.Amount, Convert: cents},
		{Term: "BT-115", Card: m.One, Total: en16931.AmountDue, From: "total", Path: "PayableAmount", Type: m.Amount, Convert: cents},
		{Term: "BG-16", Card: m.Many, Field: "paymentMethods[]", Path: "PaymentMethod", When: paid, Required: true, Rows: payment},
		{Path: "PaymentConditions", Rows: []row{
			{Term: "BT-9", Field: "dueDate", Path: "DueDate", Type: m.Day},
			{Term: "BT-20", Field: "paymentTerms.description", Path: "Comment"},
		}},
		{Term: "BT-22", Field: "notes", Path: "Comment"},
	},
}

// documentTypes are the codes of UNTDID 1001 as ebInterface has them. A correction that lowers the amount is a credit.
var documentTypes = m.Codes([2]string{"380", "Invoice"}, [2]string{"381", "CreditMemo"}, [2]string{"384", "SubsequentDebit"},
	[2]string{profile.SubsequentCredit, "SubsequentCredit"}, [2]string{"326", "InvoiceForPartialDelivery"}, [2]string{"875", "InvoiceForPartialDelivery"},
	[2]string{"386", "InvoiceForAdvancePayment"}, [2]string{"877", "FinalSettlement"}, [2]string{"876", "FinalSettlement"}, [2]string{"389", "SelfBilling"})

var preceding = []row{
	{Term: "BT-25", Card: m.One, Field: "number", Path: "InvoiceNumber", Type: m.Identifier},
	{Term: "BT-26", Field: "date", Path: "InvoiceDate", Type: m.Day},
}

// cancelled tells whether the document cancels the invoice that it names first.
func cancelled(s scope) bool {
	cs := s.Invoice.CountrySpecific
	return s.Index == 0 && cs != nil && cs.CancelsReferencedInvoice != nil && *cs.CancelsReferencedInvoice
}

var delivery = []row{
	{Term: "BT-16", Field: "deliveryNote.number", Path: "DeliveryID", Type: m.Identifier},
	{Term: "BT-72", Field: "delivery.date", Path: "Date", Type: m.Day},
	{Term: "BG-14", Field: "servicePeriod", Path: "Period", Rows: period("BT-73", "BT-74")},
	{Term: "BG-15", Path: "Address", Rows: []row{
		{Term: "BT-71", Field: "delivery.locationId", Path: "AddressIdentifier", Type: m.Identifier,
			Attrs: []m.Attr{{Name: "AddressIdentifierType", Term: "BT-71-1", Field: "delivery.locationIdScheme", Convert: addressSchemes}}},
		{Term: "BT-70", Field: "delivery.name", Path: "Name", Required: true},
		{Term: "BT-75 BT-76 BT-165", Path: "Street", Codec: deliveryStreet},
		{Term: "BT-77", Field: "delivery.address.city", Path: "Town", Required: true},
		{Term: "BT-78", Field: "delivery.address.postalCode", Path: "ZIP", Required: true},
		required(country("BT-80", "delivery.address.countryCode")),
	}},
}

// required is for an element that the schema demands even if nothing is known.
func required(r row) row {
	r.Required = true
	return r
}

// period is a span of days, both of which ebInterface demands.
func period(start, end string) []row {
	return []row{
		{Term: start, Field: "start", Path: "FromDate", Type: m.Day},
		{Term: end, Field: "end", Path: "ToDate", Type: m.Day},
	}
}

// addressSchemes are the schemes of identifiers (ISO 6523) as ebInterface names them.
var addressSchemes = m.Codes([2]string{glnScheme, "GLN"}, [2]string{dunsScheme, "DUNS"})

const (
	glnScheme  = "0088"
	dunsScheme = "0060"
)

var deliveryStreet = &m.Codec{
	Fields: []string{"delivery.address.street", "delivery.address.additionalStreet", "delivery.address.addressLine3"},
	Format: func(group any) string {
		if d := group.(*invoice.Invoice).Delivery; d != nil && d.Address != nil {
			return joined(d.Address.Street, d.Address.AdditionalStreet, d.Address.AddressLine3)
		}
		return ""
	},
	Parse: func(text string, group any) {
		inv := group.(*invoice.Invoice)
		if inv.Delivery == nil {
			inv.Delivery = &invoice.Delivery{}
		}
		if inv.Delivery.Address == nil {
			inv.Delivery.Address = &invoice.Address{}
		}
		a := inv.Delivery.Address
		a.Street, a.AdditionalStreet, a.AddressLine3 = streetLines(text)
	},
}

// joined is the street of an address, which ebInterface has in one element: a line for each member.
func joined(lines ...string) string {
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// streetLines gives the members of a street.
func streetLines(text string) (street, additional, third string) {
	lines := append(strings.SplitN(strings.TrimSpace(text), "\n", 3), "", "")
	return strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1]), strings.TrimSpace(lines[2])
}
