package regex

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, flags string
		yes, no        []string
	}{
		{"b", "", []string{"abc", "b"}, []string{"ac", ""}},
		{"^b", "", []string{"bc"}, []string{"ab", "a\nb"}},
		{"b$", "", []string{"ab"}, []string{"b\n", "ba"}},
		{"^b$", "m", []string{"a\nb\nc", "b"}, []string{"ab"}},
		{"a.c", "", []string{"abc", "a\tc"}, []string{"a\nc", "a\rc"}},
		{"a.c", "s", []string{"a\nc", "a\rc"}, []string{"ac"}},
		{"a b", "x", []string{"ab"}, []string{"a b"}},
		{"a[ ]b", "x", []string{"a b"}, []string{"ab"}},
		{`a\[ b`, "x", []string{"a[b"}, []string{"a[ b"}},
		{"abc", "i", []string{"ABC", "aBc"}, []string{"ab"}},
		{"[a-c]", "i", []string{"B"}, []string{"D"}},
		{"^[^q]$", "i", []string{"r"}, []string{"q", "Q"}},
		{"^[A-Z-[IO]]$", "i", []string{"a", "B"}, []string{"i", "I", "o"}},
		{"k", "i", []string{"\u212A"}, nil},
		{`^\p{Lu}$`, "i", []string{"A"}, []string{"a"}},
		{`^\d$`, "", []string{"1", "\u0663"}, []string{"a", "½"}},
		{`^\D$`, "", []string{"a"}, []string{"1", "\u0663"}},
		{`^\s$`, "", []string{" ", "\t", "\n", "\r"}, []string{"\u00A0", "\v"}},
		{`^\S$`, "", []string{"\u00A0", "a"}, []string{" "}},
		{`^\w$`, "", []string{"a", "é", "1", "$", "+"}, []string{"-", "_", " ", "\u0378"}},
		{`^\W$`, "", []string{"-", "_", " "}, []string{"a"}},
		{`^\i\c*$`, "", []string{"cbc:ID", "_a-1", "é"}, []string{"1a", "-", ""}},
		{`^\I\C$`, "", []string{"1 ", "-!"}, []string{"a ", "1a"}},
		{`^[\i-[:]][\c-[:]]*$`, "", []string{"ID"}, []string{"cbc:ID"}},
		{`^[\d-[5-9]]$`, "", []string{"4", "\u0663"}, []string{"5"}},
		{`^[a-z-[aeiou-[e]]]$`, "", []string{"b", "e"}, []string{"a", "o"}},
		{`^[^a-z-[0-9]]$`, "", []string{"A", "-"}, []string{"a", "5"}},
		{`^[\s\S]$`, "", []string{"\n", "x"}, []string{""}},
		{`^\p{IsBasicLatin}+$`, "", []string{"abc"}, []string{"é"}},
		{`^\P{IsBasicLatin}+$`, "", []string{"é"}, []string{"e"}},
		{`^\p{IsGreek}\p{IsGreekandCoptic}\p{IsLatinExtended-A}$`, "", []string{"αβĀ"}, []string{"abc"}},
		{`^\p{IsPrivateUse}$`, "", []string{"\uE000"}, []string{"a"}},
		{`^\p{Cn}$`, "", []string{"\u0378"}, []string{"a"}},
		{`^\P{L}$`, "", []string{"1"}, []string{"a"}},
		{`^[\p{Sc}\-]$`, "", []string{"€", "-"}, []string{"a"}},
		{`^[-a]$`, "", []string{"-", "a"}, []string{"b"}},
		{`^[a-]$`, "", []string{"-", "a"}, []string{"b"}},
		{`^[a^]$`, "", []string{"^"}, []string{"b"}},
		{`^[^\^]$`, "", []string{"a"}, []string{"^"}},
		{`^[\n\r\t\\\|\.\?\*\+\(\)\{\}\-\[\]\^\$]+$`, "", []string{"\n\r\t\\|.?*+(){}-[]^$"}, []string{"n"}},
		{`\$`, "", []string{"1$"}, []string{"1"}},
		{"a|b|", "", []string{"", "c"}, nil},
		{"^(a|b){2}$", "", []string{"ab", "bb"}, []string{"a", "abc"}},
		{"^(?:a|b)+?$", "", []string{"abab"}, []string{"c"}},
		{"^a{2,}$", "", []string{"aa", "aaaa"}, []string{"a"}},
		{"^a{0}$", "", []string{""}, []string{"a"}},
		{"^(ab){1001}$", "", nil, []string{"ab"}},
		{"^[a-z]{1001}$", "", []string{strings.Repeat("x", 1001)}, []string{strings.Repeat("x", 1000)}},
		{"^(?:[a-z]{100}){20}$", "", []string{strings.Repeat("x", 2000)}, []string{strings.Repeat("x", 1999)}},
		{"^(.{1,6826666})$", "", []string{"x", strings.Repeat("x", 5000)}, []string{"", "x\n"}},
		{"^a.{5000000}", "", nil, []string{"abc"}},
		{"x{3,5000000}y?$", "i", []string{"axxxX", "xxxxY"}, []string{"xxz", "xx"}},
		{"^*a", "", []string{"ba"}, []string{"b"}},
		{"\U00010000", "", []string{"a\U00010000"}, []string{"\uFFFD"}},
	} {
		r, err := Compile(c.pattern, c.flags)
		if err != nil {
			if c.yes != nil {
				t.Error(err)
			}
			continue
		}
		checkMatches(t, r, c.yes, c.no)
	}
}

func checkMatches(t *testing.T, r *Regexp, yes, no []string) {
	t.Helper()
	for _, s := range yes {
		if !r.Match(s) || !r.MatchBytes([]byte(s)) {
			t.Errorf("%s does not match %q", r.pattern, s)
		}
	}
	for _, s := range no {
		if r.Match(s) || r.MatchBytes([]byte(s)) {
			t.Errorf("%s matches %q", r.pattern, s)
		}
	}
}

func TestSchemaPatternsAreAnchoredAndHaveNoAnchors(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"a|bc", []string{"a", "bc"}, []string{"ab", "abc", ""}},
		{"^a$", []string{"^a$"}, []string{"a"}},
		{"[0-9]{1,3}", []string{"123"}, []string{"1234", "123\n"}},
		{".{1,2000000}", []string{"a"}, []string{""}},
	} {
		r, err := CompileSchema(c.pattern)
		if err != nil {
			t.Error(err)
			continue
		}
		checkMatches(t, r, c.yes, c.no)
	}
	for _, pattern := range []string{"a+?", `\$`, "(?:a)", `(a)\1`} {
		if _, err := CompileSchema(pattern); err == nil {
			t.Errorf("%s: no error", pattern)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for pattern, reason := range map[string]string{
		"*a": "escaped", "a**": "escaped", "a{2,1}": "wrong way round", "a{,2}": "number", "a{1": "brace", "{1}": "escaped",
		"(a": "parenthesis", "a)": "parenthesis", "[": "early", "[]": "escaped", "[^]": "escaped", "[b-a]": "ascending",
		"[a-\\d]": "ascending", "[a-b-c]": "hyphen", "[+--]": "hyphen", "[a[b]]": "escaped", "[a-[b]c]": "subtraction", `\`: "early",
		`\x`: "means nothing", `\p`: "braces", `\p{Foo}`: "no category", `\p{IsFoo}`: "no category", `\p{Cs}`: "no category",
		`(a)\1`: "back-references", "]": "escaped", "}": "escaped", "(?=a)": "escaped",
		strings.Repeat("(", 300): "deeply", strings.Repeat("a", maxPattern+1): "too long",
		"(a|bc){5000}": "too often", "(?:a|bc){50000}": "too large", "(?:(?:a|bc){900}){900}": "too large",
	} {
		_, err := Compile(pattern, "")
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != "FORX0002" || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.20s: %v, want %s", pattern, err, reason)
		}
	}
	if _, err := Compile("a", "q"); err == nil || err.(*Error).Code != "FORX0001" {
		t.Errorf("flag q: %v", err)
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          []string
	}{
		{`\s`, "A B  C", []string{"A", "B", "", "C"}},
		{`\s+`, " A ", []string{"", "A", ""}},
		{",", "", nil},
		{"ab|a", "xabya", []string{"x", "y", ""}},
	} {
		r, err := Compile(c.pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Split(c.text); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: %q, %v", c.pattern, c.text, got, err)
		}
	}
}

func TestReplace(t *testing.T) {
	for _, c := range []struct{ pattern, text, replacement, want string }{
		{"bra", "abracadabra", "*", "a*cada*"},
		{"a.*a", "abracadabra", "*", "*"},
		{"a.*?a", "abracadabra", "*", "*c*bra"},
		{"a(.)", "abracadabra", "a$1$1", "abbraccaddabbra"},
		{"(a)|b", "ab", "[$1]", "[a][]"},
		{"(a)", "a", "$0$1$2$10", "aaa0"},
		{"a", "a", `\$\\`, `$\`},
		{"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)", "abcdefghij", "$10$1", "ja"},
		{"x", "a", "$0", "a"},
	} {
		r, err := Compile(c.pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Replace(c.text, c.replacement); err != nil || got != c.want {
			t.Errorf("%s in %q by %q: %q, %v", c.pattern, c.text, c.replacement, got, err)
		}
	}
}

func TestSearchesRefuse(t *testing.T) {
	for _, c := range []struct{ pattern, replacement, code string }{
		{"a*", "", "FORX0003"}, {"^", "", "FORX0003"}, {"a", "$", "FORX0004"}, {"a", "$x", "FORX0004"},
		{"a", `\`, "FORX0004"}, {"a", `\n`, "FORX0004"}, {"a{2000000}", "", "FORX0002"},
	} {
		r, err := Compile(c.pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Replace("x", c.replacement)
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != c.code {
			t.Errorf("%s by %q: %v", c.pattern, c.replacement, err)
		}
		if _, err := r.Split("x"); (c.code == "FORX0004") != (err == nil) {
			t.Errorf("split at %s: %v", c.pattern, err)
		}
	}
}

func TestBlocksAreSortedAndValid(t *testing.T) {
	if !slices.IsSortedFunc(blocks, func(a, b block) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the names are not in order")
	}
	for _, b := range blocks {
		if b.lo%16 != 0 || b.hi%16 != 15 || b.lo > b.hi || b.hi > unicode.MaxRune {
			t.Errorf("%s: %X to %X", b.name, b.lo, b.hi)
		}
	}
}

func genSet(t *rapid.T, name string) set {
	var s set
	for _, lo := range rapid.SliceOfN(rapid.Int32Range(0, 60), 0, 6).Draw(t, name) {
		s = s.add(lo, lo+rapid.Int32Range(0, 9).Draw(t, "size"))
	}
	return s.normal()
}

func TestSetsFollowSetAlgebra(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genSet(t, "a"), genSet(t, "b")
		union, minus, not := a.union(b), a.minus(b), a.not()
		for r := rune(0); r < 80; r++ {
			if union.has(r) != (a.has(r) || b.has(r)) || minus.has(r) != (a.has(r) && !b.has(r)) || not.has(r) == a.has(r) {
				t.Fatalf("%d: a %v, b %v, union %v, minus %v, not %v", r, a, b, union, minus, not)
			}
		}
	})
}

func TestCountingAgreesWithPackageRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		if rapid.Bool().Draw(t, "start") {
			b.WriteByte('^')
		}
		for range rapid.IntRange(1, 4).Draw(t, "items") {
			low := rapid.IntRange(0, 3).Draw(t, "low")
			fmt.Fprintf(&b, "%s{%d,%d}", rapid.SampledFrom([]string{"a", "b", "[ab]", "."}).Draw(t, "set"), low,
				low+rapid.IntRange(0, 3).Draw(t, "more"))
		}
		if rapid.Bool().Draw(t, "end") {
			b.WriteByte('$')
		}
		p := &parser{pattern: b.String()}
		n, err := p.parse()
		if err != nil {
			t.Fatal(err)
		}
		text := rapid.StringMatching("[abc]{0,12}").Draw(t, "text")
		if got, want := newCounted(n, dialect{}).match(text), regexp.MustCompile(b.String()).MatchString(text); got != want {
			t.Fatalf("%s with %q: %v, want %v", b.String(), text, got, want)
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{`^[A-Z-[IO]]{2}\d+?$`, `(a|b)*\p{IsGreek}`, `[^\s\i-[:]]`, `x{3,5000000}y?$`, `\\`, `(?:[a-z]{100}){20}`} {
		f.Add(s, "x", "si", "$1")
	}
	f.Fuzz(func(t *testing.T, pattern, text, flags, replacement string) {
		for _, compile := range []func() (*Regexp, error){
			func() (*Regexp, error) { return Compile(pattern, flags) },
			func() (*Regexp, error) { return CompileSchema(pattern) },
		} {
			r, err := compile()
			if err != nil {
				continue
			}
			if r.Match(text) != r.MatchBytes([]byte(text)) {
				t.Errorf("%q: strings and bytes disagree on %q", pattern, text)
			}
			parts, err := r.Split(text)
			if err == nil && len(strings.Join(parts, "")) > len(text) {
				t.Errorf("%q: the parts of %q are %q", pattern, text, parts)
			}
			if same, err := r.Replace(text, "$0"); err == nil && same != text {
				t.Errorf("%q: %q became %q", pattern, text, same)
			}
			_, _ = r.Replace(text, replacement)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for name, c := range map[string][2]string{
		"groups": {`^[A-Z]{2}[0-9]{2}(?:[A-Z0-9]{4}){3,7}$`, "DE89370400440532013000"},
		"start":  {`^urn:peppol:bis`, "urn:peppol:bis:billing"},
		"text":   {`peppol:bis`, "urn:peppol:bis:billing"},
		"tried":  {`eu.\d{4}:billing`, "urn:peppol.eu:2017:billing"},
	} {
		r, err := Compile(c[0], "")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Match(c[1])
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(`^[\p{L}0-9-[q]]{2}\d+$`, ""); err != nil {
			b.Fatal(err)
		}
	}
}
