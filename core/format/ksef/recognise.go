// Package ksef is the Polish structured invoice FA(3), version 1-0E (Ministerstwo Finansów, schemat_FA(3)_v1-0E): a table of elements, and
// the codec that reads and writes by it. What FA(3) computes, and its parties, descriptions and corrections, are the steps of
// profile.KSeF.
package ksef

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Namespace is that of FA(3).
const Namespace = "http://crd.gov.pl/wzor/2025/06/25/13775/"

// Syntax gives name, places and codec of FA(3); the catalogue knows the document elements of all versions. The error is that of a table
// which cannot be compiled.
func Syntax() (*format.Syntax, error) {
	table, err := New()
	if err != nil {
		return nil, err
	}
	return &format.Syntax{
		Name: "ksef",
		Places: format.Places{
			Number:        []string{"Fa", "P_2"},
			SellerCountry: []string{"Podmiot1", "Adres", "KodKraju"},
			Lines:         []string{"Fa"},
			Line:          []string{"FaWiersz"},
		},
		Codec: codec{table},
	}, nil
}

// codec is the Format as the catalogue knows it.
type codec struct{ *Format }

// Read implements format.Codec.
func (c codec) Read(ctx context.Context, doc *xmltree.Document) (*format.Reading, error) {
	said, err := c.Format.Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	return &format.Reading{Invoice: said.Invoice, Account: said.Account}, nil
}

// Write implements format.Codec.
func (c codec) Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as format.Edition) ([]mapping.Unwritten, error) {
	return c.Format.Write(ctx, w, inv, as.Every)
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, _ *invoice.Invoice) format.Locator {
	return c.mapping.NewLocator(doc)
}

// Uses implements format.Codec.
func (c codec) Uses(term string) []mapping.Use { return c.mapping.Uses(term) }
