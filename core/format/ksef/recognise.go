// Package ksef is the Polish structured invoice FA(3), version 1-0E (Ministerstwo Finansów, schemat_FA(3)_v1-0E): a table of elements, and
// the codec that reads and writes by it. FA(2), version 1-0E, has a part of its elements and is read as well. What FA(3) computes, and its parties, descriptions and corrections, are the steps of
// profile.KSeF.
package ksef

import (
	"bytes"
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Namespace is that of FA(3), NamespaceFA2 that of FA(2), which is read only.
const (
	Namespace    = "http://crd.gov.pl/wzor/2025/06/25/13775/"
	NamespaceFA2 = "http://crd.gov.pl/wzor/2023/06/29/12648/"
)

// Syntax gives name, places and codec of FA(3); the catalogue knows the document elements of all versions.
func Syntax() *format.Syntax {
	return &format.Syntax{
		Name: "ksef",
		Places: format.Places{
			Number:        []string{"Fa", "P_2"},
			SellerCountry: []string{"Podmiot1", "Adres", "KodKraju"},
			Lines:         []string{"Fa"},
			Line:          []string{"FaWiersz"},
		},
		Codec: format.Late(func() (format.Codec, error) {
			table, err := New()
			return codec{table}, err
		}),
		Largest: largest,
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
	return c.Format.Write(ctx, w, inv, as.Every)
}

// Locator implements format.Codec.
func (c codec) Locator(doc *xmltree.Document, _ *invoice.Invoice) format.Locator {
	return c.of(doc).NewLocator(doc)
}

// Uses implements format.Codec.
func (c codec) Uses(term string) []mapping.Use { return c.mapping.Uses(term) }

// The sizes that KSeF takes, in bytes: of an invoice, and of one with a structured attachment (limits of the ministry's ksef-docs).
const (
	sizeLimit           = 1_000_000
	sizeWithAttachments = 3_000_000
)

// largest gives how many bytes KSeF takes of a document, and the code of its refusal.
func largest(document []byte) (most int, code string) {
	if bytes.Contains(document, []byte("<Zalacznik>")) {
		return sizeWithAttachments, "KSEF-430"
	}
	return sizeLimit, "KSEF-430"
}
