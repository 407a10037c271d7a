package isdoc

import (
	"context"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes documents of ISDOC. It is immutable and safe for concurrent use.
type Format struct{ mapping *m.Mapping[invoice.Invoice] }

// New compiles the table.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	return &Format{mapping: compiled}, nil
}

// nationals is what the invoice holds in countrySpecific.national: all of ISDOC that no row takes, but for signatures and extensions, whose
// elements are those of others.
var nationals = m.Nationals{Order: Table.Order, Attributes: []string{"id", "ref", "languageID", "unitCode", "partialPayment", "preview", "Algorithm"}, Constants: true,
	Demands: map[string]string{
		"TaxedDeposit": "ID VariableSymbol", "Party": "PartyIdentification PartyName PostalAddress", "PartyIdentification": "ID", "PartyName": "Name",
		"PostalAddress": "StreetName BuildingNumber CityName PostalZone Country", "Country": "IdentificationCode Name", "PartyTaxScheme": "CompanyID TaxScheme",
		"AlternateBankAccount": "ID BankCode Name IBAN BIC", "AnonymousCustomerParty": "ID IDScheme", "StoreBatch": "Name",
	}}

// Read reads a document whose root is Invoice of ISDOC. What no row takes is in countrySpecific.national.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	reading, err := f.mapping.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	namelessFiles(doc, reading.Invoice)
	reading.Account.WithoutSignature(doc)
	if taken := nationals.Take(doc, &reading.Account); len(taken) > 0 {
		unitsOfBatches(taken)
		countryOf(reading.Invoice).National = taken
	}
	return reading, nil
}

// unitsOfBatches gives the quantities of batches their units as those of lines are read, for they have the same.
func unitsOfBatches(national invoice.National) {
	for path, texts := range national {
		if strings.HasSuffix(path, "/Quantity/@unitCode") && len(texts) == 1 {
			code, _ := units.Read(texts[0])
			national[path] = []string{code}
		}
	}
}

// What a document and each line take in bytes, by and large.
const (
	documentSize = 6 << 10
	lineSize     = 900
)

// Write writes the canonical invoice; every lists each entry of a list that has no place. The error is a *mapping.FieldError where a member
// holds what XML does not allow; others are those of the writer and of the context.
func (f *Format) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, every bool) ([]m.Unwritten, error) {
	return nationals.WriteWith(w, inv, documentSize+len(inv.Items)*lineSize, func(w *xmltree.Writer) ([]m.Unwritten, error) {
		return f.mapping.Write(ctx, w, inv, m.Env{Every: every})
	})
}
