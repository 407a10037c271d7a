package xmltree

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/beevik/etree"
)

// The documents of the benchmarks: an ordinary invoice of about 11 kB and one of 25,000 lines, about 26 MB.
var benchDocs = []struct {
	name  string
	lines int
}{{"ordinary", 5}, {"large", 25_000}}

func BenchmarkParse(b *testing.B) {
	for _, doc := range benchDocs {
		source := sync.OnceValue(func() []byte { return sampleInvoice(doc.lines) })
		b.Run(doc.name+"/xmltree", func(b *testing.B) { benchParser(b, source(), Options{}) })
		b.Run(doc.name+"/xmltree-strip", func(b *testing.B) { benchParser(b, source(), Options{StripBlank: true}) })
		b.Run(doc.name+"/xmltree-new-parser", func(b *testing.B) {
			src := source()
			measure(b, len(src), func() error { _, err := Parse(src, Options{}); return err })
		})
		b.Run(doc.name+"/encoding-xml-tokens", func(b *testing.B) {
			src := source()
			measure(b, len(src), func() error {
				for d := xml.NewDecoder(bytes.NewReader(src)); ; {
					if _, err := d.Token(); err == io.EOF {
						return nil
					} else if err != nil {
						return err
					}
				}
			})
		})
		b.Run(doc.name+"/etree", func(b *testing.B) {
			src := source()
			measure(b, len(src), func() error { return etree.NewDocument().ReadFromBytes(src) })
		})
	}
}

// BenchmarkParseOther measures what an invoice written by a program elsewhere may look like.
func BenchmarkParseOther(b *testing.B) {
	plain := sampleInvoice(1000)
	attachment := bytes.Repeat([]byte("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0\n"), 100_000)
	for _, c := range []struct {
		name string
		src  []byte
	}{
		{"one-line", bytes.ReplaceAll(plain, []byte("\n"), nil)},
		{"crlf", bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n"))},
		{"greek", bytes.ReplaceAll(plain, []byte("Schrauben verzinkt"), []byte("Βίδες γαλβανισμένες"))},
		{"attachment", append(append([]byte("<a>"), attachment...), "</a>"...)},
		{"attachment-crlf", append(append([]byte("<a>"), bytes.ReplaceAll(attachment, []byte("\n"), []byte("\r\n"))...), "</a>"...)},
		{"utf16", inUTF16("\uFEFF"+string(bytes.Replace(plain, []byte("UTF-8"), []byte("UTF-16"), 1)), true)},
	} {
		b.Run(c.name, func(b *testing.B) { benchParser(b, c.src, Options{}) })
	}
}

// BenchmarkParseUnlike measures documents of more origins than tags are remembered of, so that hardly any is foreseen.
func BenchmarkParseUnlike(b *testing.B) {
	p, err := NewParser(Options{})
	if err != nil {
		b.Fatal(err)
	}
	sources := make([][]byte, 200)
	for i := range sources {
		indent := []byte("\n" + strings.Repeat(" ", i%10) + strings.Repeat("\t", i/10))
		sources[i] = bytes.ReplaceAll(sampleInvoice(5), []byte("\n"), indent)
	}
	next := 0
	measure(b, len(sources[0]), func() error {
		d, err := p.Parse(sources[next%len(sources)])
		if next++; err == nil {
			d.Release()
		}
		return err
	})
}

func benchParser(b *testing.B, src []byte, opt Options) {
	p, err := NewParser(opt)
	if err != nil {
		b.Fatal(err)
	}
	measure(b, len(src), func() error {
		d, err := p.Parse(src)
		if err == nil {
			d.Release()
		}
		return err
	})
}

func measure(b *testing.B, size int, work func() error) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, doc := range benchDocs {
		size := len(sampleInvoice(doc.lines))
		w := NewWriter(WriterOptions{})
		b.Run(doc.name+"/xmltree", func(b *testing.B) {
			measure(b, size, func() error {
				w.Reset(WriterOptions{})
				writeSample(w, doc.lines)
				return w.Finish()
			})
		})
		b.Run(doc.name+"/xmltree-stream", func(b *testing.B) {
			w := NewWriter(WriterOptions{})
			measure(b, size, func() error {
				w.Reset(WriterOptions{Out: io.Discard})
				writeSample(w, doc.lines)
				return w.Finish()
			})
		})
		tree := etree.NewDocument()
		if err := tree.ReadFromBytes(sampleInvoice(doc.lines)); err != nil {
			b.Fatal(err)
		}
		b.Run(doc.name+"/etree", func(b *testing.B) {
			measure(b, size, func() error { _, err := tree.WriteTo(io.Discard); return err })
		})
		tokens := sampleTokens(b, doc.lines)
		b.Run(doc.name+"/encoding-xml-tokens", func(b *testing.B) {
			measure(b, size, func() error {
				e := xml.NewEncoder(io.Discard)
				for _, t := range tokens {
					if err := e.EncodeToken(t); err != nil {
						return err
					}
				}
				return e.Close()
			})
		})
	}
}

func BenchmarkWriteAttachment(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	name, w := MustQName("a"), NewWriter(WriterOptions{})
	measure(b, len(data), func() error {
		w.Reset(WriterOptions{Out: io.Discard})
		w.Start(name)
		w.Base64(data)
		w.End()
		return w.Finish()
	})
}

func BenchmarkElements(b *testing.B) {
	src := sampleInvoice(25_000)
	p, err := NewParser(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		d, err := p.Parse(src)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if len(d.Elements(d.Name(d.Root()))) != 1 {
			b.Fatal("no root")
		}
	}
}

func BenchmarkPaths(b *testing.B) {
	d, err := Parse(sampleInvoice(5_000), Options{})
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		l := NewLocator(d)
		for n := d.Root(); int(n) < d.Len(); n++ {
			buf = l.AppendPath(buf[:0], n)
		}
	}
}

func BenchmarkPositions(b *testing.B) {
	d, err := Parse(sampleInvoice(5_000), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for n := d.Root(); int(n) < d.Len(); n++ {
			d.Position(n)
		}
	}
}

func sampleTokens(b *testing.B, lines int) []xml.Token {
	d := xml.NewDecoder(bytes.NewReader(sampleInvoice(lines)))
	var tokens []xml.Token
	for {
		t, err := d.RawToken()
		if err == io.EOF {
			return tokens
		}
		if err != nil {
			b.Fatal(err)
		}
		switch e := t.(type) {
		case xml.StartElement:
			e.Name.Local, e.Name.Space = e.Name.Space+e.Name.Local, ""
			e.Attr = append([]xml.Attr(nil), e.Attr...)
			for i, a := range e.Attr {
				e.Attr[i].Name = xml.Name{Local: a.Name.Space + a.Name.Local}
			}
			tokens = append(tokens, e)
		case xml.EndElement:
			e.Name.Local, e.Name.Space = e.Name.Space+e.Name.Local, ""
			tokens = append(tokens, e)
		case xml.CharData:
			tokens = append(tokens, e.Copy())
		}
	}
}
