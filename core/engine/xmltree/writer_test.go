package xmltree

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestDocumentsAreIndentedExceptWhereThereIsText(t *testing.T) {
	w := NewWriter(WriterOptions{})
	w.Comment(" before ")
	w.Start(MustQName("a"))
	w.Namespace("", "u")
	w.Namespace("p", "v&w")
	w.Attr(MustQName("k"), "1")
	w.AttrBytes(MustQName("p:k"), []byte("2"))
	w.Leaf(MustQName("p:b"), "text")
	w.Start(MustQName("c"))
	w.Start(MustQName("d"))
	w.End()
	w.Instruction("p", "data")
	w.Instruction("q", "")
	w.End()
	w.Start(MustQName("mixed"))
	w.Text("1")
	w.Leaf(MustQName("b"), "2")
	w.Start(MustQName("c"))
	w.Leaf(MustQName("d"), "")
	w.End()
	w.Text("3")
	w.End()
	w.Leaf(MustQName("empty"), "")
	w.End()
	w.Comment(" after ")
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<!-- before -->
<a xmlns="u" xmlns:p="v&amp;w" k="1" p:k="2">
  <p:b>text</p:b>
  <c>
    <d/>
    <?p data?>
    <?q?>
  </c>
  <mixed>1<b>2</b><c>
      <d/>
    </c>3</mixed>
  <empty/>
</a>
<!-- after -->
`
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestDeepDocumentsAreIndented(t *testing.T) {
	w := NewWriter(WriterOptions{NoDecl: true})
	const depth = 60
	for range depth {
		w.Start(MustQName("a"))
	}
	for range depth {
		w.End()
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(w.Bytes())), "\n")
	for i, line := range lines {
		if want := min(2*i, 4*depth-2*i-4); len(line)-len(strings.TrimLeft(line, " ")) != want {
			t.Errorf("line %d is %q, want %d spaces", i, line, want)
		}
	}
	if len(lines) != 2*depth-1 {
		t.Errorf("%d lines", len(lines))
	}
}

func TestValuesAreEscaped(t *testing.T) {
	w := NewWriter(WriterOptions{Compact: true, NoDecl: true})
	w.Start(MustQName("a"))
	value := "<b> & \"q\" 'a' ]]> \r\n\t ä😀"
	w.Attr(MustQName("k"), value)
	w.TextBytes([]byte(value))
	w.End()
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	want := `<a k="&lt;b&gt; &amp; &quot;q&quot; 'a' ]]&gt; &#13;&#10;&#9; ä😀">&lt;b&gt; &amp; "q" 'a' ]]&gt; &#13;` + "\n\t ä😀</a>"
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestWhatCannotBeWellFormedIsAnError(t *testing.T) {
	a, pb := MustQName("a"), MustQName("p:b")
	cases := []struct {
		name  string
		write func(w *Writer)
		want  string
	}{
		{"nothing", func(w *Writer) {}, "needs a root element"},
		{"an element left open", func(w *Writer) { w.Start(a) }, "the element a is still open"},
		{"an end too many", func(w *Writer) { w.Start(a); w.End(); w.End() }, "no element is open"},
		{"two roots", func(w *Writer) { w.Leaf(a, ""); w.Leaf(a, "") }, "one root element"},
		{"text before the root", func(w *Writer) { w.Text("x") }, "inside the root"},
		{"text after the root", func(w *Writer) { w.Leaf(a, ""); w.Base64([]byte("x")) }, "inside the root"},
		{"an attribute after text", func(w *Writer) { w.Start(a); w.Text("x"); w.Attr(a, "y") }, "the attribute a must follow"},
		{"a declaration after text", func(w *Writer) { w.Start(a); w.Text("x"); w.Namespace("p", "y") }, "must follow the start"},
		{"an attribute of nothing", func(w *Writer) { w.Attr(a, "y") }, "must follow the start"},
		{"a declaration as an attribute", func(w *Writer) { w.Start(a); w.Attr(MustQName("xmlns"), "u") }, "xmlns is no attribute"},
		{"an attribute twice", func(w *Writer) { w.Start(a); w.Attr(a, "1"); w.Attr(MustQName("a"), "2"); w.End() }, "stands twice"},
		{"an attribute twice through two prefixes", func(w *Writer) {
			w.Start(a)
			w.Namespace("p", "u")
			w.Namespace("q", "u")
			w.Attr(pb, "1")
			w.Attr(MustQName("q:b"), "2")
			w.End()
		}, "are the same"},
		{"an undeclared prefix", func(w *Writer) { w.Start(pb); w.End() }, "the prefix of /p:b is not declared"},
		{"an undeclared prefix of an attribute", func(w *Writer) { w.Start(a); w.Attr(pb, ""); w.Text("x") }, "the prefix of /a/@p:b is not declared"},
		{"a prefix out of scope", func(w *Writer) {
			w.Start(a)
			w.Start(a)
			w.Namespace("p", "u")
			w.End()
			w.Start(pb)
			w.End()
			w.End()
		}, "the prefix of /a/p:b is not declared"},
		{"a prefix declared twice", func(w *Writer) { w.Start(a); w.Namespace("p", "u"); w.Namespace("p", "u") }, "declared twice"},
		{"a prefix that is no name", func(w *Writer) { w.Start(a); w.Namespace("1", "u") }, "cannot stand for"},
		{"a prefix for nothing", func(w *Writer) { w.Start(a); w.Namespace("p", "") }, "cannot stand for"},
		{"the prefix xmlns", func(w *Writer) { w.Start(a); w.Namespace("xmlns", "u") }, "cannot stand for"},
		{"the prefix xml for something else", func(w *Writer) { w.Start(a); w.Namespace("xml", "u") }, "cannot stand for"},
		{"the namespace of xml for another prefix", func(w *Writer) { w.Start(a); w.Namespace("p", XMLSpace) }, "cannot stand for"},
		{"two hyphens in a comment", func(w *Writer) { w.Comment("a--b"); w.Leaf(a, "") }, "two hyphens"},
		{"a hyphen at the end of a comment", func(w *Writer) { w.Comment("a-"); w.Leaf(a, "") }, "two hyphens"},
		{"CR in a comment", func(w *Writer) { w.Comment("a\r"); w.Leaf(a, "") }, "U+000D"},
		{"the end of an instruction inside", func(w *Writer) { w.Instruction("p", "?>"); w.Leaf(a, "") }, "not a processing instruction"},
		{"the target xml", func(w *Writer) { w.Instruction("Xml", ""); w.Leaf(a, "") }, "not a processing instruction"},
		{"a target with colon", func(w *Writer) { w.Instruction("p:q", ""); w.Leaf(a, "") }, "not a processing instruction"},
		{"an error of a number", func(w *Writer) { w.Start(a); w.TextFrom(appender{err: errors.New("no number")}); w.End() }, "write /a: no number"},
		{"too many bytes", func(w *Writer) { w.Start(a); w.Text(strings.Repeat("x", 2_000)); w.End() }, "grows beyond 1000 bytes"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := NewWriter(WriterOptions{SizeLimit: 1000})
			c.write(w)
			err := w.Finish()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q\n%s", err, c.want, w.Bytes())
			}
			w.Leaf(a, "x")
			if w.Err() != err || w.Finish() != err {
				t.Error("the first error does not stay")
			}
		})
	}
}

func TestIllegalCharactersAreNamedWithTheirPlace(t *testing.T) {
	a, b := MustQName("a"), MustQName("b")
	cases := []struct {
		name  string
		write func(w *Writer)
		want  IllegalCharError
	}{
		{"in text", func(w *Writer) { w.Text("xyä\x01z") }, IllegalCharError{1, 4, "/a/b"}},
		{"in bytes", func(w *Writer) { w.TextBytes([]byte("\uFFFE")) }, IllegalCharError{0xFFFE, 0, "/a/b"}},
		{"invalid UTF-8", func(w *Writer) { w.Text("<\xED\xA0\x80") }, IllegalCharError{utf8.RuneError, 1, "/a/b"}},
		{"in an attribute", func(w *Writer) { w.Attr(MustQName("k"), "\x00") }, IllegalCharError{0, 0, "/a/b/@k"}},
		{"in a namespace name", func(w *Writer) { w.Namespace("p", "u\x1F") }, IllegalCharError{0x1F, 1, "/a/b"}},
		{"in a comment", func(w *Writer) { w.Comment("\x02") }, IllegalCharError{2, 0, "/a/b"}},
		{"in an instruction", func(w *Writer) { w.Instruction("p", "q\x0C") }, IllegalCharError{0x0C, 2, "/a/b"}},
		{"from a number", func(w *Writer) { w.TextFrom(appender{text: "12\x03"}) }, IllegalCharError{3, 2, "/a/b"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := NewWriter(WriterOptions{})
			w.Start(a)
			w.Start(b)
			c.write(w)
			w.End()
			w.End()
			var got *IllegalCharError
			if err := w.Finish(); !errors.As(err, &got) || *got != c.want {
				t.Errorf("got %v, want %v", err, &c.want)
			}
		})
	}
}

type appender struct {
	text string
	err  error
}

func (a appender) AppendText(b []byte) ([]byte, error) { return append(b, a.text...), a.err }

func TestValuesAreAppendedWithoutCopy(t *testing.T) {
	w := NewWriter(WriterOptions{Compact: true, NoDecl: true})
	a := MustQName("a")
	w.Start(a)
	w.Start(a)
	w.TextFrom(appender{text: "12.50"})
	w.TextFrom(appender{text: "<&>"})
	w.TextFrom(appender{})
	w.End()
	data := bytes.Repeat([]byte{0, 0xFF, 7}, 50_000)
	w.Start(a)
	w.Base64(data[:100_001])
	w.End()
	w.End()
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	want := "<a><a>12.50&lt;&amp;&gt;</a><a>" + base64.StdEncoding.EncodeToString(data[:100_001]) + "</a></a>"
	if string(w.Bytes()) != want {
		t.Errorf("got %d bytes, want %d", len(w.Bytes()), len(want))
	}
}

// failing takes some bytes, then fails.
type failing struct {
	bytes.Buffer
	room int
}

func (f *failing) Write(b []byte) (int, error) {
	if f.Len()+len(b) > f.room {
		return 0, errors.New("disk full")
	}
	return f.Buffer.Write(b)
}

func TestLargeDocumentsAreSentOnInParts(t *testing.T) {
	want := sampleInvoice(50)
	out := &failing{room: len(want)}
	w := NewWriter(WriterOptions{Out: out, FlushAt: 100})
	writeSample(w, 50)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Error(diff)
	}
	if cap(w.buf) > 10_000 {
		t.Errorf("the buffer has grown to %d bytes", cap(w.buf))
	}
	w.Reset(WriterOptions{Out: &failing{room: 1000}, FlushAt: 100})
	writeSample(w, 50)
	if err := w.Finish(); err == nil || err.Error() != "write the document: disk full" {
		t.Errorf("got %v", err)
	}
}

func TestAWriterBeginsAnew(t *testing.T) {
	w := NewWriter(WriterOptions{})
	w.Start(MustQName("a"))
	w.Attr(MustQName("b"), "\x00")
	w.Reset(WriterOptions{NoDecl: true, Compact: true})
	w.Leaf(MustQName("c"), "d")
	if err := w.Finish(); err != nil || string(w.Bytes()) != "<c>d</c>" {
		t.Errorf("got %q, %v", w.Bytes(), err)
	}
}

func TestNamesForWritingAreChecked(t *testing.T) {
	for _, raw := range []string{"a", "p:a", "cbc:ID", "Größe", "_", "xml:lang", "xmlns"} {
		if q, err := NewQName(raw); err != nil || q.String() != raw {
			t.Errorf("%q: %v, %v", raw, q, err)
		}
	}
	for _, raw := range []string{"", ":", "a:", ":a", "a:b:c", "1", "p:1", "a b", "a\xFF", "a>", "xmlns:a", "-a"} {
		if _, err := NewQName(raw); err == nil {
			t.Errorf("%q is accepted", raw)
		}
	}
	defer func() {
		if fmt.Sprint(recover()) != `"a b" is not a qualified name` {
			t.Error("MustQName accepts what is no name")
		}
	}()
	MustQName("a b")
}

func TestSubtreesCarryTheirNamespaces(t *testing.T) {
	d, err := Parse([]byte(`<a xmlns="u" xmlns:p="v" xmlns:q="w"><p:b k="1">x<c xmlns=""/></p:b><!--y-->z</a>`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(WriterOptions{Compact: true, NoDecl: true})
	w.Start(MustQName("e"))
	w.Namespace("", "other")
	w.Namespace("p", "v")
	for c := d.FirstChild(d.Root()); c != None; c = d.NextSibling(c) {
		w.Tree(d, c)
	}
	w.End()
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	want := `<e xmlns="other" xmlns:p="v"><p:b xmlns="u" xmlns:q="w" k="1">x<c xmlns=""/></p:b><!--y-->z</e>`
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestGrowChangesNoByte(t *testing.T) {
	name, w := MustQName("a"), NewWriter(WriterOptions{})
	w.Grow(1 << 20)
	before := cap(w.Bytes())
	w.Leaf(name, strings.Repeat("b", 1<<19))
	if err := w.Finish(); err != nil || cap(w.Bytes()) != before {
		t.Errorf("error %v, capacity %d after %d", err, cap(w.Bytes()), before)
	}
	if want := "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>" + strings.Repeat("b", 1<<19) + "</a>\n"; string(w.Bytes()) != want {
		t.Error("the document is another one")
	}
}
