package testformat

import (
	"context"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// namespace is that of leaflets.
const namespace = "urn:example:leaflet:1"

type row = mapping.Row[invoice.Invoice]

// units translates the units that leaflets have from UN/ECE Recommendation 20.
var units = mapping.Codes([2]string{"C62", "piece"}, [2]string{"HUR", "hour"})

// table is the whole format: two document elements, a list within a list, an attribute with a code list, a member that is derived.
var table = mapping.Table[invoice.Invoice]{
	Elements: []mapping.Element{{Name: "Leaflet", Namespace: namespace}, {Name: "LeafletCredit", Namespace: namespace}},
	Lines:    "items[]",
	Order: map[string]string{
		"Leaflet":       "Number Day Currency Seller Buyer Part Due",
		"LeafletCredit": "Number Day Currency Seller Buyer Part Due",
		"Part":          "Text Fact Quantity Amount",
		"Fact":          "Name Value",
		"Seller":        "Name Country",
		"Buyer":         "Name Country",
	},
	Silent: map[string]string{
		"type":                            "the document element says it",
		"countrySpecific.invoiceTypeCode": "the document element says it",
	},
	Rows: []row{
		{Term: "BT-1", Card: mapping.One, Field: "invoiceNumber", Path: "Number"},
		{Term: "BT-2", Card: mapping.One, Field: "issueDate", Path: "Day", Type: mapping.Day},
		{Term: "BT-5", Card: mapping.One, Field: "currency", Path: "Currency", Type: mapping.Code},
		{Term: "BG-4", Card: mapping.One, Field: "seller", Path: "Seller", Rows: party("BT-27", "BT-40")},
		{Term: "BG-7", Card: mapping.One, Field: "buyer", Path: "Buyer", Rows: party("BT-44", "BT-55")},
		{Term: "BG-25", Card: mapping.OneOrMore, Field: "items[]", Path: "Part", Rows: []row{
			{Term: "BT-153", Card: mapping.One, Field: "description", Path: "Text"},
			{Term: "BG-32", Card: mapping.Many, Field: "attributes[]", Path: "Fact", Rows: []row{
				{Term: "BT-160", Card: mapping.One, Field: "name", Path: "Name"},
				{Term: "BT-161", Card: mapping.One, Field: "value", Path: "Value"},
			}},
			{Term: "BT-129", Card: mapping.One, Field: "quantity", Path: "Quantity", Type: mapping.Quantity,
				Attrs: []mapping.Attr{{Name: "unit", Term: "BT-130", Field: "unit", Convert: units}}},
			{Term: "BT-131", Card: mapping.One, Field: "netAmount", Path: "Amount", Type: mapping.Amount},
		}},
		{Term: "BT-115", Card: mapping.One, Total: en16931.AmountDue, From: "total", Path: "Due", Type: mapping.Amount},
	},
}

func party(name, country string) []row {
	return []row{
		{Term: name, Card: mapping.One, Field: "name", Path: "Name"},
		{Term: country, Card: mapping.One, Field: "countryCode", Path: "Country", Type: mapping.Code},
	}
}

// leaflet reads and writes leaflets.
type leaflet struct {
	*mapping.Mapping[invoice.Invoice]
}

func (l leaflet) Read(ctx context.Context, doc *xmltree.Document) (*format.Reading, error) {
	said, err := l.Mapping.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	reading := &format.Reading{Invoice: said.Invoice, Account: said.Account}
	if said.Element == "LeafletCredit" {
		reading.Type = invoice.TypeCreditNote
	}
	return reading, nil
}

func (l leaflet) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as format.Edition) ([]mapping.Unwritten, error) {
	element := "Leaflet"
	if en16931.IsCreditNote(inv) {
		element = "LeafletCredit"
	}
	return l.Mapping.Write(ctx, w, inv, mapping.Env{Element: element, Specification: as.Specification, Every: as.Every})
}

func (l leaflet) Locator(doc *xmltree.Document, _ *invoice.Invoice) format.Locator {
	return l.NewLocator(doc)
}

// entry is what the format brings to a catalogue: a token of Sweden, a syntax and a row.
func entry(list format.List) (format.List, error) {
	compiled, err := mapping.Compile(&table)
	if err != nil {
		return list, err
	}
	list.Tokens = append(list.Tokens, format.Token{ID: "leaflet", Name: "Leaflet", Description: "What fits on one page", MimeType: "application/xml", Extension: "xml"})
	for i := range list.Countries {
		if c := &list.Countries[i]; c.Code == "SE" {
			c.Tokens = append(c.Tokens, "leaflet")
		}
	}
	list.Syntaxes = append(list.Syntaxes, &format.Syntax{
		Name: "leaflet",
		Elements: []format.Element{
			{Local: "Leaflet", Namespace: namespace, Detection: "LEAFLET"}, {Local: "LeafletCredit", Namespace: namespace, Detection: "LEAFLET"},
		},
		Places: format.Places{Number: []string{"Number"}, SellerCountry: []string{"Seller", "Country"}, Line: []string{"Part"}},
		Codec:  leaflet{compiled},
	})
	list.Customisations = append(list.Customisations, format.Customisation{Token: "leaflet", Syntax: "leaflet", Country: "SE", Detection: "LEAFLET",
		Steps: profile.New(profile.Profile{Token: "leaflet", Country: "SE", TypeCodes: []string{"380", "381"}, Steps: profile.CommonSteps()})})
	return list, nil
}
