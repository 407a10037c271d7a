//go:build corpus

package operation

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

// BenchmarkValidate_EverySet judges documents of each set of the corpus by the rulebooks that their identifiers bind: the one of middling
// size, aim 150 µs, and one with 25,000 lines, aim 0.45 s. What a line has decides about the time as much as what is asked of it, and some
// sets have lines that show every element there is; bytes/line tells of them.
func BenchmarkValidate_EverySet(b *testing.B) {
	s := fullService(b)
	sets := ordinary(b, s)
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		documents := sets[set]
		b.Run(set+"/ordinary", func(b *testing.B) { benchmarkDocument(b, s, middling(documents, func(d []byte) int { return len(d) })) })
		if of := middling(documents, lineSize); lineSize(of) > 0 {
			b.Run(set+"/25000-lines", func(b *testing.B) {
				benchmarkDocument(b, s, withLines(of, 25_000))
				b.ReportMetric(float64(lineSize(of)), "bytes/line")
			})
		}
	}
}

func benchmarkDocument(b *testing.B, s *Service, document []byte) {
	books := len(judged(b, s, document).Rulebooks) // which compiles them
	if books == 0 {
		b.Fatal("no rulebook judges it")
	}
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		judged(b, s, document)
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

// ordinary gives of each set the documents in which rules find the least: nothing, but where every document of the set is there for a
// rule that fires.
func ordinary(b *testing.B, s *Service) map[string][][]byte {
	b.Helper()
	sets, least := map[string][][]byte{}, map[string]int{}
	for _, d := range slices.Concat(corpus.UBL(b), corpus.CII(b)) {
		document, err := os.ReadFile(d.Path)
		if err != nil {
			b.Fatal(err)
		}
		if !d.Valid || len(document) > ordinarySize {
			continue
		}
		a := judged(b, s, document)
		findings := len(a.Errors) + len(a.Warnings)
		if few, seen := least[d.Set]; len(a.Rulebooks) == 0 || seen && findings > few {
			continue
		} else if !seen || findings < few {
			sets[d.Set], least[d.Set] = nil, findings
		}
		sets[d.Set] = append(sets[d.Set], document)
	}
	return sets
}

// middling gives the document of middling size, the smaller of two.
func middling(documents [][]byte, size func([]byte) int) []byte {
	sorted := slices.Clone(documents)
	slices.SortStableFunc(sorted, func(x, y []byte) int { return cmp.Compare(size(x), size(y)) })
	return sorted[(len(sorted)-1)/2]
}

// lineTags end the lines of documents.
var lineTags = []string{"cac:InvoiceLine", "cac:CreditNoteLine", "ram:IncludedSupplyChainTradeLineItem"}

// lastLine finds the last line of a document; start is that of the line, and none is there where it is negative.
func lastLine(document []byte) (tag string, start, end int) {
	for _, tag := range lineTags {
		start, end := bytes.LastIndex(document, []byte("<"+tag+">")), bytes.LastIndex(document, []byte("</"+tag+">"))
		if start >= 0 && end > start {
			return tag, start, end + len("</"+tag+">")
		}
	}
	return "", -1, -1
}

// lineSize is how many bytes the last line has; 0 where lines have other names.
func lineSize(document []byte) int {
	_, start, end := lastLine(document)
	return end - start
}

// withLines gives a document n lines, by repeating its last one.
func withLines(document []byte, n int) []byte {
	tag, start, end := lastLine(document)
	others := bytes.Count(document[:start], []byte("<"+tag+">"))
	return slices.Concat(document[:start], bytes.Repeat(document[start:end], n-others), document[end:])
}
