// Package mydata is myDATA 2.0.1 of Greece (AADE, InvoicesDoc-v2.0.1): the invoice as the authority books it. Documents of 1.0.x are documents
// of it. What the authority computes or repeats, and what it asks of parties and types of documents, are the steps of profile.MyData.
package mydata

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// The namespaces of myDATA: of invoices, and of the classifications of income and expenses, as the authority spells them.
const (
	Namespace         = "http://www.aade.gr/myDATA/invoice/v1.0"
	incomeNamespace   = "https://www.aade.gr/myDATA/incomeClassificaton/v1.0"
	expensesNamespace = "https://www.aade.gr/myDATA/expensesClassificaton/v1.0"
)

type row = m.Row[invoice.Invoice]

// Table maps the canonical invoice (see profile.MyData), one to a document.
var Table = m.Table[invoice.Invoice]{
	Namespaces: map[string]string{"icls": incomeNamespace},
	Elements:   []m.Element{{Name: "InvoicesDoc", Namespace: Namespace}},
	Editions:   []m.Edition{{}}, // one
	Lines:      "items[]",
	Order:      order,
	Silent: map[string]string{
		"type":                              "invoiceType says it",
		"serviceCategory":                   "it decides about a note and says nothing itself",
		"countrySpecific.countryCode":       "it names the country whose members follow",
		"countrySpecific.invoiceTypeCode":   "invoiceType says it",
		"countrySpecific.national":          "its elements are written where they belong",
		"countrySpecific.uid":               "the authority gives it",
		"taxSummary[].taxCategoryCode":      "vatCategory of the lines says it",
		"taxSummary[].taxRate":              "vatCategory of the lines says it",
		"taxSummary[].netAmount":            "it is the sum of the lines",
		"taxSummary[].exemptionReasonCode":  "vatExemptionCategory of the lines says it",
		"items[].taxCategoryCode":           "vatCategory says it",
		"items[].taxRate":                   "vatCategory says it",
		"items[].unitPrice":                 "quantity and net value give it",
		"items[].classification[].schemeId": "the element is that of one scheme (TARIC)",
		"paymentMethods[].type":             "its kind says it",
	},
	Rows: []row{{Path: "invoice", Rows: slices.Concat([]row{
		{Field: "countrySpecific.uid", Path: "uid"},
		{Field: "countrySpecific.mark", Path: "mark"},
	}, parties, header, []row{
		{Term: "BG-16", Card: m.Many, Field: "paymentMethods[]", Path: "paymentMethods/paymentMethodDetails", Rows: []row{
			{Term: "BT-81", Card: m.One, Field: "code", Path: "type", Type: m.Code},
			{Term: "BT-115", Total: profile.MyDataGross, From: "total", Path: "amount", Type: m.Amount, Convert: cents},
			{Term: "BT-82", Field: "details", Path: "paymentMethodInfo"},
		}},
		{Term: "BG-25", Card: m.OneOrMore, Field: "items[]", Path: "invoiceDetails", Rows: line},
	}, summary(), []row{
		{Card: m.Many, Field: "countrySpecific.taxBreakdown[]", Path: "invoiceSummary/incomeClassification", Rows: []row{
			{Field: "taxCategoryName", Path: "icls:classificationType", Type: m.Code},
			{Field: "taxCategoryCode", Path: "icls:classificationCategory", Type: m.Code},
			{Field: "netAmount", Path: "icls:amount", Type: m.Amount, Convert: cents},
		}},
		{Field: "countrySpecific.qrUrl", Path: "qrCodeUrl"},
	})}},
}

// cents writes amounts, which have two decimals.
var cents = m.Decimals(2, 2)

var parties = []row{
	{Term: "BT-31", Field: "seller.vatId", Path: "issuer/vatNumber", Type: m.Identifier},
	{Term: "BT-40", Field: "seller.countryCode", Path: "issuer/country", Type: m.Code},
	{Field: "countrySpecific.branch", Path: "issuer/branch", Type: m.Identifier},
	{Term: "BT-27", Field: "seller.name", Path: "issuer/name"},
	{Path: "issuer/address", Rows: []row{
		{Term: "BT-35", Field: "seller.street", Path: ".", Split: houseNumber, Rows: []row{{Path: "street"}, {Path: "number"}}},
		{Term: "BT-38", Field: "seller.postalCode", Path: "postalCode"},
		{Term: "BT-37", Field: "seller.city", Path: "city"},
	}},
	{Term: "BT-48", Field: "buyer.vatId", Path: "counterpart/vatNumber", Type: m.Identifier},
	{Term: "BT-55", Field: "buyer.countryCode", Path: "counterpart/country", Type: m.Code},
	{Path: "counterpart/branch", Codec: headOffice},
	{Term: "BT-44", Field: "buyer.name", Path: "counterpart/name"},
	{Path: "counterpart/address", Rows: []row{
		{Term: "BT-50", Field: "buyer.street", Path: ".", Split: houseNumber, Rows: []row{{Path: "street"}, {Path: "number"}}},
		{Term: "BT-53", Field: "buyer.postalCode", Path: "postalCode"},
		{Term: "BT-52", Field: "buyer.city", Path: "city"},
	}},
}

var header = []row{
	{Term: "BT-1", Field: "countrySpecific.series", Path: "invoiceHeader/series"},
	{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "invoiceHeader/aa", Type: m.Identifier},
	{Term: "BT-2", Card: m.One, Field: "issueDate", Path: "invoiceHeader/issueDate", Type: m.Day},
	{Term: "BT-3", Card: m.One, Field: "countrySpecific.mydataInvoiceType", Path: "invoiceHeader/invoiceType", Type: m.Code},
	{Term: "BT-5", Card: m.One, Field: "currency", Path: "invoiceHeader/currency", Type: m.Code},
	{Field: "countrySpecific.exchangeRate", Path: "invoiceHeader/exchangeRate", Type: m.Quantity, Convert: m.Decimals(0, 5)},
	{Term: "BT-3", Path: "invoiceHeader/selfPricing", Codec: selfPricing},
	{Term: "BT-72", Field: "delivery.date", Path: "invoiceHeader/dispatchDate", Type: m.Day},
}

var line = []row{
	{Term: "BT-126", Card: m.One, Field: "position", Path: "lineNumber", Type: m.Identifier},
	{Term: "BT-158", Card: m.Many, Field: "classification[]", Path: "TaricNo", Rows: []row{{Path: ".", Field: "id"}}},
	{Term: "BT-155", Field: "articleNumber", Path: "itemCode", Type: m.Identifier},
	{Term: "BT-153", Field: "description", Path: "itemDescr"},
	{Term: "BT-129", Field: "quantity", Path: "quantity", Type: m.Quantity},
	{Term: "BT-130", Field: "unit", Path: "measurementUnit", Type: m.Code},
	{Term: "BT-131", Card: m.One, Field: "netAmount", Path: "netValue", Type: m.Amount, Convert: cents},
	{Term: "BT-151 BT-152", Card: m.One, Field: "taxCategoryName", Path: "vatCategory", Type: m.Code},
	{Term: "BT-117", Card: m.One, Field: "taxAmount", Path: "vatAmount", Type: m.Amount, Convert: cents},
	{Term: "BT-121", Field: "vatExemptionCategory", Path: "vatExemptionCategory", Type: m.Code},
	{Term: "BT-127", Field: "note", Path: "lineComments"},
	{Path: "incomeClassification", Rows: []row{
		{Field: "incomeClassification.type", Path: "icls:classificationType", Type: m.Code},
		{Field: "incomeClassification.category", Path: "icls:classificationCategory", Type: m.Code},
		{Path: "icls:amount", Codec: classified},
	}},
}

// summary are the rows of the totals.
func summary() []row {
	var rows []row
	for _, s := range profile.MyDataSummary {
		path := "invoice/invoiceSummary/" + s.Element
		r := row{Term: s.Term, Path: "invoiceSummary/" + s.Element, Codec: &m.Codec{
			Fields: s.Fields,
			Format: func(group any) string { return amountText(s.Of(group.(*invoice.Invoice))) },
			Parse:  func(text string, group any) { put(countryOf(group.(*invoice.Invoice)), path, text) },
		}}
		if len(s.Fields) > 0 {
			r.From = s.Fields[0]
		}
		rows = append(rows, r)
	}
	return rows
}

// amountText is an amount with two decimals.
func amountText(amount decimal.Decimal) string {
	return amount.Round(2, decimal.HalfUp).WithMinScale(2).String()
}

// headOffice is the branch of the counterpart: 0, unless national has another one.
var headOffice = &m.Codec{
	Format: func(group any) string {
		if b := group.(*invoice.Invoice).Buyer; b == nil || b.VATID == "" {
			return ""
		}
		return "0"
	},
	Parse: func(text string, group any) {
		if text != "0" {
			put(countryOf(group.(*invoice.Invoice)), "invoice/counterpart/branch", text)
		}
	},
}

// selfPricing marks what the buyer issues.
var selfPricing = &m.Codec{
	Format: func(group any) string {
		if cs := group.(*invoice.Invoice).CountrySpecific; cs != nil && cs.InvoiceTypeCode == "389" {
			return "true"
		}
		return ""
	},
	Parse: func(text string, group any) {
		cs := countryOf(group.(*invoice.Invoice))
		if text == "true" {
			cs.InvoiceTypeCode = "389"
		} else {
			put(cs, "invoice/invoiceHeader/selfPricing", text)
		}
	},
}

// classified is the amount of a line's classification: its net value.
var classified = &m.Codec{
	Format: func(group any) string {
		it := group.(*invoice.Item)
		if it.IncomeClassification == nil {
			return ""
		}
		return amountText(it.NetAmount)
	},
	Parse: func(text string, group any) {
		if amount, err := decimal.Parse(text); err == nil {
			group.(*invoice.Item).GrossAmount = amount
		}
	},
}

// houseNumber is a street, whose number may stand by itself.
var houseNumber = &m.Split{
	Parts: func(text string) []string { return []string{text, ""} },
	Join: func(parts []string) (string, bool) {
		switch {
		case parts[0] == "":
			return parts[1], parts[1] != ""
		case parts[1] == "":
			return parts[0], true
		}
		return parts[0] + " " + parts[1], true
	},
}

// countryOf gives the members of a country, which are made where there are none.
func countryOf(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	return inv.CountrySpecific
}

// put puts a text into national.
func put(cs *invoice.CountrySpecific, path, text string) {
	if cs.National == nil {
		cs.National = invoice.National{}
	}
	cs.National[path] = []string{text}
}
