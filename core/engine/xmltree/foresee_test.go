package xmltree

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reading is all that comes of a document, as it lies in memory.
type reading struct {
	Nodes   []node
	Decls   []string
	Decoded string
	Err     *Error
}

func readingOf(parse func(*arena) ([]byte, error)) reading {
	a := &arena{}
	_, err := parse(a)
	r := reading{}
	if errors.As(err, &r.Err) {
		return r
	}
	r.Nodes, r.Decoded = a.nodes, string(a.decoded)
	for _, d := range a.decls {
		r.Decls = append(r.Decls, fmt.Sprint(d.owner, d.prefix, d.length, d.uri))
	}
	return r
}

// newScanner gives a scanner that keeps what it remembers: a pool may forget it.
func newScanner(t testing.TB, opt Options) *scanner {
	t.Helper()
	p, err := NewParser(opt)
	if err != nil {
		t.Fatal(err)
	}
	return p.scanner()
}

// compareReadings reads a document with what the scanner remembers and without.
func compareReadings(t testing.TB, s *scanner, src []byte) {
	t.Helper()
	foreseen := readingOf(func(a *arena) ([]byte, error) { return s.parse(src, a) })
	exact := readingOf(func(a *arena) ([]byte, error) {
		s.foresight = false
		return s.read(src, a)
	})
	if diff := cmp.Diff(exact, foreseen, cmp.AllowUnexported(node{})); diff != "" {
		t.Fatalf("with foresight %q gives something else (-without +with):\n%s", src, diff)
	}
}

// alike are documents with what foresight has a way of its own for.
var alike = []string{
	string(sampleInvoice(2)),
	strings.ReplaceAll(string(sampleInvoice(1)), "\n", "\r\n"),
	strings.ReplaceAll(string(sampleInvoice(1)), "\n", ""),
	strings.ReplaceAll(string(sampleInvoice(1)), "  ", "\t"),
	"<r:a xmlns:r='u' xmlns:s='v'>\n  <r:b s:x='1' y='12345678'>text</r:b>\n  <s:c xmlns:s='w'><s:d/>\n\n    <s:d />  <s:d></s:d ></s:c>\n  <r:b s:x='1' y='12345678'>\n</r:b>\n</r:a>",
	"<a>\n <!-- one --><b>1</b> <!-- two -->\n <b>2</b><?pi x?> <b>3</b>x<b>4</b>\n <c> </c>\n <![CDATA[x]]>\n <b>5</b>\n</a>\n<!-- end -->",
	"<a xmlns='u'>\n <b xmlns=''>\n  <c/>\n </b>\n <b>\n  <c/>\n </b>\n</a>",
	"<a xmlns:q='u'><b xmlns:q='w'>text</b><q:c/><b xmlns:q='w'>text</b><q:c/><b xmlns:q='w'/><q:c/><b xmlns:q='w'><q:c/></b><q:c/></a>",
	"<a><b>0123456789</b>\n<b>012345678901234567</b>\n<b>01234567890123456789</b>\n<b>0</b></a>",
	"<a><b/>\n <c/><b/><![CDATA[x]]>\n <c/><b/>x<![CDATA[y]]>\n <c/>x<!-- 0123456789 -->\n <c/><b/><!-- 0123456789 -->\n <c/></a>",
	"<a>\n<!-- 0123456789\r\n0123 -->\n<b/>\n<!-- 0123456789\r\n0123 -->\n<!-- x --><b/></a>",
	"<a xmlns='&#117;'>\n <b xmlns:q='&#118;'>x&amp;y</b>\n <b xmlns:q='&#118;'>x&amp;y</b>\n</a>",
	"<a b='1' c='&amp;'><d>&lt;</d><d>]]</d><d>x\r\ny</d><d>>></d><d e=''/><d e='\t'/></a>",
}

// damages are strings that are put into documents.
var damages = []string{
	"<", ">", "&", "/", "]]>", "]", "\r", "\n", "\t", " ", "\"", "'", "=", "x", "ä", "\x00", "\x1F", "\xFF", "\uFFFF", "<!---->", "<!-- - -->",
	"<![CDATA[]]>", "<![CDATA[x]]>", "<?x?>", "&amp;", "&#13;", "&x;", "<b>", "</b>", "<b/>", "<cbc:ID>", "</cbc:ID>", " xmlns='w'", " xmlns:cbc='w'", " xmlns='&#119;'", " y='1'",
	"\n  ", "\r\n  ",
}

// damage changes a document a little at a random place.
func damage(r *rand.Rand, src []byte) []byte {
	i, j := r.IntN(len(src)+1), r.IntN(len(src)+1)
	i, j = min(i, j), min(max(i, j), min(i, j)+60)
	k := r.IntN(len(src) + 1)
	switch r.IntN(5) {
	case 0: // remove
		return append(bytes.Clone(src[:i]), src[j:]...)
	case 1: // repeat elsewhere
		return append(append(bytes.Clone(src[:k]), src[i:j]...), src[k:]...)
	case 2: // overwrite
		if i < len(src) {
			src = bytes.Clone(src)
			src[i] = byte(r.IntN(256))
		}
		return src
	case 3: // cut off
		return bytes.Clone(src[:k])
	}
	return append(append(bytes.Clone(src[:k]), damages[r.IntN(len(damages))]...), src[k:]...)
}

func TestForesightChangesNothing(t *testing.T) {
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	for name, opt := range map[string]Options{
		"usual":           {},
		"without blanks":  {StripBlank: true},
		"few names":       {Limits: Limits{Names: 34}},
		"little depth":    {Limits: Limits{Depth: 4}},
		"short texts":     {Limits: Limits{TextBytes: 20}},
		"few nodes":       {Limits: Limits{Nodes: 200}},
		"few attributes":  {Limits: Limits{Attributes: 2}},
		"short names":     {Limits: Limits{NameBytes: 20}},
		"internal subset": {InternalSubset: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScanner(t, opt)
			r := rand.New(rand.NewPCG(1, 2))
			for range rounds {
				src := []byte(alike[r.IntN(len(alike))])
				for range r.IntN(4) {
					src = damage(r, src)
				}
				compareReadings(t, s, src)
			}
		})
	}
}

// Names that differ are counted as written, by meaning, and by namespace: each of them may be what is too many.
func TestForesightKeepsTheLimitOfNames(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []func(n int) string{
		func(n int) string { return fmt.Sprintf("<a%d/>", n) },
		func(n int) string { return fmt.Sprintf("<a x%d='1'/>", n) },
		func(n int) string { return fmt.Sprintf("<a xmlns:p%d='u'/>", n) },
		func(n int) string { return fmt.Sprintf("<a xmlns='u%d'/>", n) },
		func(n int) string { return fmt.Sprintf("<p:a xmlns:p='u%d'/>", n) },
		func(n int) string { return fmt.Sprintf("<a xmlns='u'><a xmlns=''><b%d></b%d></a></a>", n, n) },
	}
	for limit := 1; limit <= 9; limit++ {
		s := newScanner(t, Options{Limits: Limits{Names: limit}})
		for range 400 {
			var b strings.Builder
			kinds, names := 1+r.IntN(len(pieces)), 1+r.IntN(10)
			for range r.IntN(12) {
				b.WriteString(pieces[r.IntN(kinds)](r.IntN(names)))
			}
			compareReadings(t, s, []byte("<a>"+b.String()+"</a>"))
		}
	}
}

func TestTagsAreForeseen(t *testing.T) {
	for _, src := range alike[:4] {
		s := newScanner(t, Options{})
		for range 2 {
			compareReadings(t, s, []byte(src))
		}
		s.foresight = true
		s.begin(&arena{nodes: make([]node, 0, 1000)})
		s.src = []byte(src)
		root := bytes.Index(s.src, []byte("<Inv"))
		*s.slot() = node{}
		next := s.foreseen(root)
		rest := s.src[next:]
		if note := bytes.Index(s.src, []byte("&lt;")); next < note-60 || next > note {
			t.Errorf("foresight ends at %d before %.40q, want it to end at the first reference, %d", next, rest, note)
		}
	}
}

func TestShapesAreForgottenWhenTheyAreMany(t *testing.T) {
	s := newScanner(t, Options{})
	for round := range 5 {
		var b strings.Builder
		b.WriteString("<a>")
		for i := range mostShapes / 3 {
			if i%64 == 0 {
				fmt.Fprintf(&b, "</a%d><a%d>", i-64, i)
			}
			fmt.Fprintf(&b, "<b x='%d-%d'/>", round, i)
		}
		src := strings.Replace(b.String(), "</a-64>", "", 1) + fmt.Sprintf("</a%d></a>", (mostShapes/3-1)/64*64)
		compareReadings(t, s, []byte(src))
		if n := len(s.lex.shapes.list); n > mostShapes {
			t.Errorf("%d tags are remembered, want at most %d", n, mostShapes)
		}
	}
}

func TestTagsOfOnePlaceAreRememberedUpToABound(t *testing.T) {
	s := newScanner(t, Options{})
	var b strings.Builder
	for i := range 10 * mostTagsIn {
		fmt.Fprintf(&b, "<b id='%d'/>", i)
	}
	compareReadings(t, s, []byte("<a>"+b.String()+"</a>"))
	if n := len(s.lex.shapes.list); n > mostTagsIn+10 {
		t.Errorf("%d tags are remembered of one place", n)
	}
}
