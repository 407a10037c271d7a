package facturae

import (
	"context"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax completes the entry of the catalogue, which has the document elements of all versions.
func Syntax() *format.Syntax {
	return &format.Syntax{
		Name: "facturae",
		Places: format.Places{
			Number:    []string{"Invoices", "Invoice", "InvoiceHeader", "InvoiceNumber"},
			Lines:     []string{"Invoices", "Invoice", "Items"},
			Line:      []string{"InvoiceLine"},
			Invoices:  []string{"Invoices", "Invoice"},
			Signature: []string{"Signature"},
		},
		OfAll: ofAll,
		Codec: format.Late(func() (format.Codec, error) {
			table, err := New()
			return codec{table}, err
		}),
	}
}

// codec is the Format as the catalogue knows it.
type codec struct{ *Format }

// Read implements format.Codec.
func (c codec) Read(ctx context.Context, doc *xmltree.Document) (*format.Reading, error) {
	return format.ReadingOf(c.Format.Read(ctx, doc))
}

// Write implements format.Codec.
func (c codec) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as format.Edition) ([]mapping.Unwritten, error) {
	return c.Format.Write(ctx, w, inv, as.Name, as.Every)
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, inv *invoice.Invoice) format.Locator {
	if inv == nil {
		return c.of(doc).NewLocator(doc)
	}
	return c.of(doc).NewLocatorOf(doc, inv)
}

// Uses implements format.Codec.
func (c codec) Uses(term string) []mapping.Use { return c.newest().Uses(term) }

// ofAll is what the header states of all invoices of a file: that it is a batch (ModalityType L), how many they are, and their sums (BatchType).
var ofAll = []format.OfAll{
	{Path: []string{"FileHeader", "Modality"}, Text: func(*xmltree.Document) string { return "L" }},
	{Path: []string{"FileHeader", "Batch", "InvoicesCount"}, Text: func(file *xmltree.Document) string {
		count := 0
		for range nodesAt(file, strings.TrimSuffix(body, "/")) {
			count++
		}
		return strconv.Itoa(count)
	}},
	{Path: []string{"FileHeader", "Batch", "TotalInvoicesAmount", "TotalAmount"}, Text: sumOf("InvoiceTotal")},
	{Path: []string{"FileHeader", "Batch", "TotalOutstandingAmount", "TotalAmount"}, Text: sumOf("TotalOutstandingAmount")},
	{Path: []string{"FileHeader", "Batch", "TotalExecutableAmount", "TotalAmount"}, Text: sumOf("TotalExecutableAmount")},
}

// sumOf adds up an amount of the totals of all invoices of a file.
func sumOf(name string) func(*xmltree.Document) string {
	return func(file *xmltree.Document) string {
		sum := decimal.New(0, 2)
		for el := range nodesAt(file, body+"InvoiceTotals/"+name) {
			if amount, err := decimal.Parse(strings.TrimSpace(file.String(el))); err == nil {
				sum = sum.Add(amount)
			}
		}
		return sum.String()
	}
}
