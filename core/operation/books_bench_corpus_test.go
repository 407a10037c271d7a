//go:build corpus

package operation

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

// BenchmarkValidate_EverySet judges documents of each set of the corpus by the rulebooks that their identifiers bind: the one of middling
// size, aim 150 µs, and the same one with 25,000 lines, aim 0.45 s.
func BenchmarkValidate_EverySet(b *testing.B) {
	s := fullService(b)
	for set, document := range ordinary(b) {
		b.Run(set+"/ordinary", func(b *testing.B) { benchmarkDocument(b, s, document) })
		if many := withLines(document, 25_000); many != nil {
			b.Run(set+"/25000-lines", func(b *testing.B) { benchmarkDocument(b, s, many) })
		}
	}
}

func benchmarkDocument(b *testing.B, s *Service, document []byte) {
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	var books int
	for b.Loop() {
		a, err := s.Validate(context.Background(), ValidateRequest{Document: document})
		if err != nil {
			b.Fatal(err)
		}
		books = len(a.Rulebooks)
	}
	b.ReportMetric(float64(books), "books")
}

// ordinary gives the valid document of middling size of each set.
func ordinary(b *testing.B) map[string][]byte {
	b.Helper()
	sets := map[string][][]byte{}
	for _, d := range slices.Concat(corpus.UBL(b), corpus.CII(b)) {
		if !d.Valid {
			continue
		}
		document, err := os.ReadFile(d.Path)
		if err != nil {
			b.Fatal(err)
		}
		sets[d.Set] = append(sets[d.Set], document)
	}
	middling := map[string][]byte{}
	for set, documents := range sets {
		slices.SortFunc(documents, func(x, y []byte) int { return cmp.Compare(len(x), len(y)) })
		middling[set] = documents[len(documents)/2]
	}
	return middling
}

// lineTags end the lines of documents.
var lineTags = []string{"cac:InvoiceLine", "cac:CreditNoteLine", "ram:IncludedSupplyChainTradeLineItem"}

// withLines repeats the last line of a document; nil where its lines have other names.
func withLines(document []byte, n int) []byte {
	for _, tag := range lineTags {
		start, end := bytes.LastIndex(document, []byte("<"+tag+">")), bytes.LastIndex(document, []byte("</"+tag+">"))
		if start < 0 || end < start {
			continue
		}
		end += len("</" + tag + ">")
		return slices.Concat(document[:start], bytes.Repeat(document[start:end], n), document[end:])
	}
	return nil
}
