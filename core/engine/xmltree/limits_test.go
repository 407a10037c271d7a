package xmltree

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func codeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestLimitsAdmitWhatTheyNameAndRefuseOneMore(t *testing.T) {
	attrs := func(n int) string {
		var b strings.Builder
		b.WriteString("<a")
		for i := range n {
			if i%2 == 0 {
				fmt.Fprintf(&b, " b%d=''", i)
			} else {
				fmt.Fprintf(&b, " xmlns:b%d='u'", i)
			}
		}
		return b.String() + "/>"
	}
	depth := func(n int) string {
		return strings.Repeat("<a>", n-1) + "<a/>" + strings.Repeat("</a>", n-1)
	}
	names := func(n int) string {
		var b strings.Builder
		for i := range n - 1 {
			fmt.Fprintf(&b, "<b%d/>", i)
		}
		return "<a>" + b.String() + "</a>"
	}
	expanded := func(n int) string {
		var b strings.Builder
		for i := range n - 1 {
			fmt.Fprintf(&b, "<a xmlns='%d'/>", i)
		}
		return "<a>" + b.String() + "</a>"
	}
	text := func(n int) string { return "<a>" + strings.Repeat("x", n) + "</a>" }
	cases := []struct {
		name   string
		limits Limits
		code   Code
		doc    func(n int) string
		n      int
	}{
		{"depth", Limits{Depth: 5}, LimitDepth, depth, 5},
		{"default depth", Limits{}, LimitDepth, depth, 256},
		{"attributes and declarations", Limits{Attributes: 4}, LimitAttributes, attrs, 4},
		{"default attributes", Limits{}, LimitAttributes, attrs, 256},
		{"greatest number of attributes", Limits{Attributes: attrMax}, LimitAttributes, attrs, attrMax},
		{"element name", Limits{NameBytes: 7}, LimitName, func(n int) string { return "<" + strings.Repeat("n", n) + "/>" }, 7},
		{"attribute name", Limits{NameBytes: 7}, LimitName, func(n int) string { return "<a " + strings.Repeat("n", n) + "=''/>" }, 7},
		{"instruction target", Limits{NameBytes: 7}, LimitName, func(n int) string { return "<?" + strings.Repeat("n", n) + "?><a/>" }, 7},
		{"namespace name", Limits{NameBytes: 7}, LimitName, func(n int) string { return "<a xmlns='" + strings.Repeat("n", n) + "'/>" }, 7},
		{"default name", Limits{}, LimitName, func(n int) string { return "<" + strings.Repeat("n", n) + "/>" }, 1024},
		{"names", Limits{Names: 9}, LimitNames, names, 9},
		{"expanded names", Limits{Names: 9}, LimitNames, expanded, 9},
		{"default names", Limits{}, LimitNames, names, 10_000},
		{"nodes", Limits{Nodes: 12}, LimitNodes, func(n int) string { return "<a>" + strings.Repeat("<b/>", n-2) + "</a>" }, 12},
		{"text nodes", Limits{Nodes: 3}, LimitNodes, func(n int) string { return "<a>" + strings.Repeat("x", n-2) + strings.Repeat("<!---->", n-3) + "</a>" }, 3},
		{"attribute nodes", Limits{Nodes: 6}, LimitNodes, func(n int) string {
			return "<a" + strings.Join([]string{"", "b=''", "c=''", "d=''", "e=''", "f=''"}[:n-1], " ") + "/>"
		}, 6},
		{"text", Limits{TextBytes: 20}, LimitText, text, 20},
		{"decoded text", Limits{TextBytes: 20}, LimitText, func(n int) string { return "<a>" + strings.Repeat("x", n-4) + "&lt;</a>" }, 20},
		{"joined text", Limits{TextBytes: 40}, LimitText, func(n int) string { return "<a>" + strings.Repeat("x", n-15) + "<![CDATA[x]]>yz</a>" }, 40},
		{"attribute value", Limits{TextBytes: 20}, LimitText, func(n int) string { return "<a b='" + strings.Repeat("x", n-1) + "'/>" }, 20},
		{"comment", Limits{TextBytes: 20}, LimitText, func(n int) string { return "<!--" + strings.Repeat("x", n-7) + "--><a/>" }, 20},
		{"instruction", Limits{TextBytes: 20}, LimitText, func(n int) string { return "<?p " + strings.Repeat("x", n-6) + "?><a/>" }, 20},
		{"size", Limits{Size: 30}, LimitSize, func(n int) string { return text(n - 7) }, 30},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := NewParser(Options{Limits: c.limits})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time with names already known
				d, err := p.Parse([]byte(c.doc(c.n)))
				if err != nil {
					t.Fatalf("refused at the limit: %v", err)
				}
				d.Release()
				if _, err := p.Parse([]byte(c.doc(c.n + 1))); codeOf(err) != c.code {
					t.Fatalf("beyond the limit: got %v, want %s", err, c.code)
				}
			}
		})
	}
}

func TestSizeLimitHoldsForTheUTF8Form(t *testing.T) {
	src := inLatin1("<?xml version='1.0' encoding='latin1'?><a>" + strings.Repeat("ä", 100) + "</a>")
	if _, err := Parse(src, Options{Limits: Limits{Size: len(src)}}); codeOf(err) != LimitSize {
		t.Errorf("got %v", err)
	}
	src = inUTF16("\uFEFF<a>"+strings.Repeat("語", 100)+"</a>", true)
	if _, err := Parse(src, Options{Limits: Limits{Size: len(src)}}); codeOf(err) != LimitSize {
		t.Errorf("got %v", err)
	}
}

func TestLimitsOutOfRangeAreRefused(t *testing.T) {
	for _, l := range []Limits{{Depth: -1}, {Size: 1<<30 + 1}, {Attributes: 512}, {Nodes: 1 << 26}, {Names: 100_001}, {TextBytes: -5}, {NameBytes: 1 << 16}} {
		if _, err := NewParser(Options{Limits: l}); err == nil {
			t.Errorf("%+v is accepted", l)
		}
		if _, err := Parse([]byte("<a/>"), Options{Limits: l}); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
}

// hostile are inputs made to cost time or memory: how much memory more than the input and 1 MiB is bearable is given as a
// multiple of the input.
var hostile = []struct {
	name   string
	src    func() string
	code   Code // empty: accepted
	factor int
}{
	{"billion laughs", func() string {
		var b strings.Builder
		b.WriteString(`<!DOCTYPE a [<!ENTITY x0 "ha">`)
		for i := range 30 {
			fmt.Fprintf(&b, `<!ENTITY x%d "&x%d;&x%d;">`, i+1, i, i)
		}
		return b.String() + `]><a>&x30;</a>`
	}, DoctypeRefused, 1},
	{"quadratic entities", func() string {
		return `<!DOCTYPE a [<!ENTITY x "` + strings.Repeat("x", 100_000) + `">]><a>` + strings.Repeat("&x;", 100_000) + `</a>`
	}, DoctypeRefused, 1},
	{"an entity of itself", func() string { return `<!DOCTYPE a [<!ENTITY x "&x;">]><a>&x;</a>` }, DoctypeRefused, 1},
	{"an external entity", func() string { return `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>` }, DoctypeRefused, 1},
	{"an external subset", func() string { return `<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>` }, DoctypeRefused, 1},
	{"a parameter entity", func() string { return `<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/">%p;]><a/>` }, DoctypeRefused, 1},
	{"100,000 levels", func() string { return strings.Repeat("<a>", 100_000) }, LimitDepth, 1},
	{"1,000,000 levels", func() string { return strings.Repeat("<a>", 1_000_000) }, LimitDepth, 7},
	{"180,000 attributes", func() string {
		var b strings.Builder
		b.WriteString("<a")
		for i := range 180_000 {
			fmt.Fprintf(&b, " a%d=''", i)
		}
		return b.String() + "/>"
	}, LimitAttributes, 4},
	{"2,000 elements of 250 attributes each", func() string {
		var b strings.Builder
		for i := range 250 {
			fmt.Fprintf(&b, " a%d=''", i)
		}
		return "<a>" + strings.Repeat("<b"+b.String()+"/>", 2_000) + "</a>"
	}, "", 16},
	{"100,000 namespace declarations on one element", func() string {
		var b strings.Builder
		b.WriteString("<a")
		for i := range 100_000 {
			fmt.Fprintf(&b, " xmlns:a%d='u%d'", i, i)
		}
		return b.String() + "/>"
	}, LimitAttributes, 4},
	{"100,000 namespaces on one element each", func() string {
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, "<a xmlns='u%d'/>", i)
		}
		return "<a>" + b.String() + "</a>"
	}, LimitNames, 8},
	{"200 declarations on each of 200 levels", func() string {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, " xmlns:p%d='u'", i)
		}
		return strings.Repeat("<a"+b.String()+">", 200) + strings.Repeat("</a>", 200)
	}, "", 8},
	{"1,000,000 names", func() string {
		var b strings.Builder
		for i := range 1_000_000 {
			fmt.Fprintf(&b, "<a%d/>", i)
		}
		return "<a>" + b.String() + "</a>"
	}, LimitNames, 7},
	{"a million empty children", func() string { return "<a>" + strings.Repeat("<b/>", 1_000_000) + "</a>" }, "", 12},
	{"nine million empty children", func() string { return "<a>" + strings.Repeat("<b/>", 9_000_000) + "</a>" }, LimitNodes, 12},
	{"12 MiB of text", func() string { return "<a>" + strings.Repeat("x", 12<<20) + "</a>" }, "", 1},
	{"a million references", func() string { return "<a>" + strings.Repeat("&amp;", 1_000_000) + "</a>" }, "", 2},
	{"a million CDATA sections", func() string { return "<a>" + strings.Repeat("<![CDATA[x]]>y", 1_000_000) + "</a>" }, "", 4},
	{"a million comments between texts", func() string { return "<a>" + strings.Repeat("x<!---->", 1_000_000) + "</a>" }, "", 16},
	{"four million less-than signs", func() string { return strings.Repeat("<", 4_000_000) }, NotWellFormed, 8},
	{"four million ampersands", func() string { return "<a>" + strings.Repeat("&", 4_000_000) + "</a>" }, NotWellFormed, 1},
	{"four million square brackets", func() string { return "<a>" + strings.Repeat("]", 4_000_000) + "</a>" }, "", 1},
	{"four million CRs", func() string { return "<a>" + strings.Repeat("\r", 4_000_000) + "</a>" }, "", 4},
	{"four million hyphens in a comment", func() string { return "<!-- " + strings.Repeat("- ", 2_000_000) + "--><a/>" }, "", 1},
	{"a reference of a million digits", func() string { return "<a>&#" + strings.Repeat("0", 1_000_000) + "65;</a>" }, NotWellFormed, 1},
	{"a name of four million bytes", func() string { return "<" + strings.Repeat("a", 4_000_000) + "/>" }, LimitName, 1},
	{"an attribute without end", func() string { return "<a b='" + strings.Repeat("x", 4_000_000) }, NotWellFormed, 2},
	{"a namespace name of four million bytes", func() string { return "<a xmlns='" + strings.Repeat("x", 4_000_000) + "'/>" }, LimitName, 1},
	{"four million bytes that are not text", func() string { return strings.Repeat("\x00\xFF\x80%", 1_000_000) }, IllegalCharacter, 1},
}

func TestHostileDocumentsCostLittle(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			src := []byte(h.src())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse(src, Options{})
			runtime.ReadMemStats(&after)
			if got := codeOf(err); got != h.code || h.code == "" && err != nil {
				t.Errorf("got %v, want %q", err, h.code)
			}
			bound := uint64(h.factor*len(src) + 4<<20)
			if spent := after.TotalAlloc - before.TotalAlloc; spent > bound {
				t.Errorf("%d bytes allocated for %d bytes of input", spent, len(src))
			}
		})
	}
}

func TestAttachmentsOf95MiBPass(t *testing.T) {
	const line = 76
	size := 95 << 20 / 3 * 4
	src := make([]byte, 0, size/line*(line+2)+100)
	src = append(src, "<a>"...)
	for range size/line + 1 {
		src = append(src, "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3"[:line]...)
		src = append(src, "\r\n"...)
	}
	src = append(src, "</a>"...)
	d, err := Parse(src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := d.TextOf(d.Root()); !ok || len(text) != (size/line+1)*(line+1) {
		t.Errorf("got %d bytes of text, %v", len(text), ok)
	}
}
