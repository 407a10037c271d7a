package cii

import (
	"context"
	"fmt"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// benchmarkLines are the sizes that the benchmarks measure: an ordinary invoice and the largest one.
var benchmarkLines = []int{20, 25_000}

func BenchmarkWrite(b *testing.B) {
	f := newFormat(b)
	for _, lines := range benchmarkLines {
		inv := sampleInvoice(lines)
		size := len(written(b, f, inv, core, EN16931))
		b.Run(fmt.Sprintf("%d-lines", lines), func(b *testing.B) {
			w := xmltree.NewWriter(xmltree.WriterOptions{})
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(xmltree.WriterOptions{})
				if _, err := f.Write(context.Background(), w, inv, core, EN16931); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParseAndRead measures the parser and reading.
func BenchmarkParseAndRead(b *testing.B) {
	f := newFormat(b)
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, lines := range benchmarkLines {
		src := written(b, f, sampleInvoice(lines), core, EN16931)
		b.Run(fmt.Sprintf("%d-lines", lines), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				doc, err := parser.Parse(src)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Read(context.Background(), doc); err != nil {
					b.Fatal(err)
				}
				doc.Release()
			}
		})
	}
}
