package xmltree

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestValuesOfAllLengths reads texts around the length that fits into a node, wherever a value may stand, up to the last bytes of the
// source.
func TestValuesOfAllLengths(t *testing.T) {
	for n := range 2*mostInNode + 4 {
		text := strings.Repeat("xyz", n)[:n]
		for _, c := range []struct{ form, before, after string }{
			{"<a>%s</a>", "", ""}, {"<a b='%s'/>", "", ""}, {"<a><!--%s--></a>", "", ""}, {"<a><?p %s?></a>", "", ""}, {"<a/><!--%s-->", "", ""},
			{"<a><![CDATA[%s]]></a>", "", ""}, {"<a><b/>%s</a>", "", ""}, {"<a><![CDATA[%s]]>é&amp;</a>", "", "é&"}, {"<a>&lt;%s</a>", "<", ""},
			{"<a b='&lt;%s'/>", "<", ""}, {"<a>%s&#32;</a>", "", " "}, {"<a>%s<![CDATA[<]]></a>", "", "<"}, {"<a>%s\r\n</a>", "", "\n"},
		} {
			source, want := fmt.Sprintf(c.form, text), c.before+text+c.after
			d, err := Parse([]byte(source), Options{})
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			if got := string(d.Value(Node(d.Len() - 1))); got != want && n > 0 {
				t.Errorf("%s: the last value is %q", source, got)
			}
			if text, ok := d.TextOf(d.Root()); ok && d.Len() == 3 && d.Kind(2) == KindText && string(text) != want {
				t.Errorf("%s: the element has the value %q", source, text)
			}
		}
	}
}

// TestValueHoldsWhatItWasMadeOf checks all forms of a value against what they were made of, and that a short one does not need the source.
func TestValueHoldsWhatItWasMadeOf(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(rt, "text")
		from := rapid.IntRange(0, len(text)).Draw(rt, "from")
		to := rapid.IntRange(from, len(text)).Draw(rt, "to")
		want := string(text[from:to])
		short, long, decoded := shortened(text, uint32(from), uint32(to)), valueAt(uint32(from), uint32(to)), valueAt(uint32(from)|inDecoded, uint32(to))
		for name, got := range map[string][]byte{"shortened": short.of(text, nil), "of the source": long.of(text, nil), "decoded": decoded.of(nil, text)} {
			if string(got) != want || cap(got) != len(got) {
				rt.Errorf("%s: %q with room for %d, want %q", name, got, cap(got), want)
			}
		}
		if to-from <= mostInNode && string(short.of(nil, nil)) != want {
			rt.Errorf("%q lies elsewhere", want)
		}
		if at, ok := decoded.decodedAt(); !ok || at != from {
			rt.Errorf("decoded at %d, %t", at, ok)
		}
		for _, v := range []value{short, long, complexContent} {
			if _, ok := v.decodedAt(); ok || v.isComplex() != (v == complexContent) {
				rt.Errorf("%x is taken for something else", v)
			}
		}
	})
}

// TestShortValuesStayUntilTheRelease makes sure that values of one document are not those of another that is read meanwhile.
func TestShortValuesStayUntilTheRelease(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Parse([]byte("<a><b>1</b><b>2</b></a>"))
	if err != nil {
		t.Fatal(err)
	}
	value := first.Value(first.Root() + 1)
	second, err := p.Parse([]byte("<a><b>3</b><b>4</b></a>"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(value) + string(second.Value(second.Root()+1)); got != "13" {
		t.Errorf("got %s", got)
	}
	second.Release()
	third, err := p.Parse([]byte("<a><b>5</b><b>6</b></a>"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(value) + string(third.Value(third.Root()+1)); got != "15" {
		t.Errorf("got %s", got)
	}
}
