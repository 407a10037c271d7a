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
	for set, document := range ordinary(b, s) {
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
		books = len(judged(b, s, document).Rulebooks)
	}
	if books == 0 {
		b.Fatal("no rulebook has judged it")
	}
	b.ReportMetric(float64(books), "books")
}

// judged validates a document of any country: what it says of itself tells its rules.
func judged(b *testing.B, s *Service, document []byte) *ValidateAnswer {
	b.Helper()
	a, err := s.Validate(context.Background(), ValidateRequest{Country: "de", Document: document})
	if err != nil {
		b.Fatal(err)
	}
	return a
}

// ordinarySize is how many bytes a document has at most that carries no attachments.
const ordinarySize = 32 << 10

// ordinary gives of each set the document of middling size among those in which no rule finds anything.
func ordinary(b *testing.B, s *Service) map[string][]byte {
	b.Helper()
	sets := map[string][][]byte{}
	for _, d := range slices.Concat(corpus.UBL(b), corpus.CII(b)) {
		document, err := os.ReadFile(d.Path)
		if err != nil {
			b.Fatal(err)
		}
		if !d.Valid || len(document) > ordinarySize {
			continue
		}
		if a := judged(b, s, document); len(a.Rulebooks) > 0 && len(a.Errors)+len(a.Warnings) == 0 {
			sets[d.Set] = append(sets[d.Set], document)
		}
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

// withLines gives a document n lines, by repeating its last one; nil where its lines have other names.
func withLines(document []byte, n int) []byte {
	for _, tag := range lineTags {
		start, end := bytes.LastIndex(document, []byte("<"+tag+">")), bytes.LastIndex(document, []byte("</"+tag+">"))
		if start < 0 || end < start {
			continue
		}
		end += len("</" + tag + ">")
		others := bytes.Count(document[:start], []byte("<"+tag+">"))
		return slices.Concat(document[:start], bytes.Repeat(document[start:end], n-others), document[end:])
	}
	return nil
}
