package xmltree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse looks for a panic, for documents that are read otherwise with foresight than without, and for documents that are written
// otherwise than they were read.
func FuzzParse(f *testing.F) {
	for _, c := range wellFormed {
		f.Add([]byte(c.src), false)
	}
	for _, c := range illFormed {
		f.Add([]byte(c.src), false)
	}
	f.Add(inUTF16("\uFEFF<a b='ä'>😀</a>", true), true)
	f.Add(inLatin1("<?xml version='1.0' encoding='latin1'?><a>ä</a>"), true)
	f.Add(sampleInvoice(1), true)
	f.Add([]byte("<a>0<b></b> <![CDATA[]]></a>"), true)
	p, err := NewParser(Options{})
	if err != nil {
		f.Fatal(err)
	}
	stripping, err := NewParser(Options{StripBlank: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src []byte, strip bool) {
		parser := p
		if strip {
			parser = stripping
		}
		s := parser.scanner()
		compareReadings(t, s, src)
		parser.scanners.Put(s)
		d, err := parser.Parse(src)
		if err != nil {
			if codeOf(err) == "" {
				t.Fatalf("refused without a code: %v", err)
			}
			return
		}
		defer d.Release()
		l := NewLocator(d)
		for n := Node(0); int(n) < d.Len(); n++ {
			if line, column := d.Position(n); l.Path(n) == "" || line < 1 || column < 1 {
				t.Fatalf("node %d has no place", n)
			}
		}
		again, err := parser.Parse([]byte(compact(t, d)))
		if err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
		defer again.Release()
		if diff := cmp.Diff(eventsOf(d), eventsOf(again)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzWriter looks for text that is not read back as it was written.
func FuzzWriter(f *testing.F) {
	for _, s := range somePieces {
		f.Add(s)
	}
	f.Add("a\x00")
	f.Add("\xED\xA0\x80")
	f.Add("\uFFFF")
	f.Fuzz(func(t *testing.T, value string) {
		w := NewWriter(WriterOptions{})
		w.Start(MustQName("a"))
		w.Attr(MustQName("b"), value)
		w.Text(value)
		w.End()
		legal := firstIllegal([]byte(value)) < 0
		if err := w.Finish(); (err == nil) != legal {
			t.Fatalf("%q: %v", value, err)
		}
		if !legal {
			return
		}
		d, err := Parse(w.Bytes(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		text, ok := d.TextOf(d.Root())
		attr, _ := d.AttrValue(d.Root(), "b")
		if !ok || string(text) != value || string(attr) != value {
			t.Fatalf("%q came back as %q and %q", value, text, attr)
		}
	})
}
