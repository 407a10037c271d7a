package xmltree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPositionsCountLinesAndCharacters(t *testing.T) {
	src := "\uFEFF<a>\n ä😀<b/>\r\n<c\n d=''/>\r\r  x</a>"
	d, err := Parse([]byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		Path         string
		Line, Column int
	}
	var got []place
	for n := d.Root(); int(n) < d.Len(); n++ {
		line, column := d.Position(n)
		got = append(got, place{d.Path(n), line, column})
		if d.Line(n) != line {
			t.Errorf("%s: line %d, but position %d:%d", d.Path(n), d.Line(n), line, column)
		}
	}
	want := []place{
		{"/a", 1, 1}, {"/a/text()[1]", 1, 4}, {"/a/b", 2, 4}, {"/a/text()[2]", 2, 8},
		{"/a/c", 3, 1}, {"/a/c/@d", 4, 2}, {"/a/text()[3]", 4, 8},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if line, column := d.PositionAt(len(d.Source())); line != 6 || column != 8 {
		t.Errorf("the end is at %d:%d", line, column)
	}
}

func TestPositionsAreThoseOfACountByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"\n", "\r", "\r\n", "a", "ä", " "})).Draw(t, "text"), "")
		offset := rapid.IntRange(0, len(src)).Draw(t, "offset")
		for offset < len(src) && src[offset]&0xC0 == 0x80 {
			offset++
		}
		line, column := 1, 1
		for i, r := range src[:offset] {
			switch {
			case r == '\n', r == '\r' && (i+1 == len(src) || src[i+1] != '\n'):
				line, column = line+1, 1
			default:
				column++
			}
		}
		d := &Document{src: []byte(src)}
		if l, c := d.PositionAt(offset); l != line || c != column {
			t.Fatalf("table: got %d:%d, want %d:%d", l, c, line, column)
		}
		if l, c := locate([]byte(src), offset); l != line || c != column {
			t.Fatalf("locate: got %d:%d, want %d:%d", l, c, line, column)
		}
	})
}

func TestPathsNameEachNodeAndOnlyIt(t *testing.T) {
	src := `<?p?><!--1--><?p?><x:a xmlns:x="u" xmlns:y="u" xmlns="u" k="1" x:k="2">1<b/>2<x:b/><!--c--><y:b i=""><c/><c/></y:b><d/><?p?></x:a><!--2-->`
	d, err := Parse([]byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := NewLocator(d)
	var got []string
	seen := map[string]bool{}
	for n := Node(0); int(n) < d.Len(); n++ {
		path := l.Path(n)
		if seen[path] {
			t.Errorf("%s names two nodes", path)
		}
		seen[path] = true
		got = append(got, path)
	}
	want := []string{
		"/", "/processing-instruction(p)[1]", "/comment()[1]", "/processing-instruction(p)[2]", "/x:a", "/x:a/@k", "/x:a/@x:k",
		"/x:a/text()[1]", "/x:a/b[1]", "/x:a/text()[2]", "/x:a/x:b[2]", "/x:a/comment()", "/x:a/y:b[3]", "/x:a/y:b[3]/@i",
		"/x:a/y:b[3]/c[1]", "/x:a/y:b[3]/c[2]", "/x:a/d", "/x:a/processing-instruction(p)", "/comment()[2]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPathsOfAllNodesCostLinearTime(t *testing.T) {
	steps := func(lines int) int {
		d, err := Parse(sampleInvoice(lines), Options{})
		if err != nil {
			t.Fatal(err)
		}
		l := NewLocator(d)
		for n := Node(0); int(n) < d.Len(); n++ {
			l.Index(n)
		}
		numbered := 0
		for _, children := range l.parents {
			numbered += len(children)
		}
		return numbered
	}
	if small, large := steps(100), steps(1000); large > 10*small {
		t.Errorf("%d children were numbered for 100 lines, %d for 1,000", small, large)
	}
}

// TestPathsAreTheSameWithAndWithoutNumbers compares the two ways to find the position among siblings.
func TestPathsAreTheSameWithAndWithoutNumbers(t *testing.T) {
	d, err := Parse(sampleInvoice(100), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() < 2*worthNumbering {
		t.Fatal("the document is too small to be numbered")
	}
	l := NewLocator(d)
	for n := d.Root(); int(n) < d.Len(); n++ {
		if d.Kind(n) == KindAttribute {
			continue
		}
		first, end := d.Children(d.Parent(n))
		if got, want := l.Index(n), d.countLike(n, first, end); got != want {
			t.Fatalf("%s: %d by number, %d by count", d.Path(n), got, want)
		}
	}
	if len(l.parents) == 0 {
		t.Error("no parent was numbered")
	}
}
