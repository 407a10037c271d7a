package regex

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// genRun generates a character or class with a count.
func genRun(t *rapid.T, name string) string {
	class := rapid.SampledFrom([]string{"a", "b", "[ab]", "[^a]", "[b-é]", "é", "-", ".", `\d`, "[a-]"}).Draw(t, name)
	count := rapid.SampledFrom([]string{"", "{2}", "?", "*", "+", "{1,3}", "{0,2}", "{2,}", "{0}"}).Draw(t, name+" count")
	return class + count
}

// TestShortWaysAgreeWithPackageRegexp compares patterns of runs, with and without anchors, with package regexp, which decides
// for patterns of other forms.
func TestShortWaysAgreeWithPackageRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.SampledFrom([]string{"%s", "^%s$", "^(%s)$", "^%s", "%s$"}).Draw(t, "anchors")
		pattern := fmt.Sprintf(around, genRuns(t))
		r, err := Compile(pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		text := rapid.StringMatching(`[abé1\-\n\x{10000}]{0,8}`).Draw(t, "text")
		if got, want := r.Match(text), r.re.MatchString(text); got != want {
			t.Fatalf("%q matches %q: %v, package regexp says %v", pattern, text, got, want)
		}
		if r.empty {
			return
		}
		checkSearches(t, r, text)
	})
}

func genRuns(t *rapid.T) string {
	runs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return genRun(t, "run") }), 1, 4).Draw(t, "pattern")
	return strings.Join(runs, "")
}

// checkSearches compares splitting and replacing with what package regexp finds.
func checkSearches(t *rapid.T, r *Regexp, text string) {
	replaced, err := r.Replace(text, "<$0>")
	if want := r.re.ReplaceAllString(text, "<${0}>"); err != nil || replaced != want {
		t.Fatalf("%q in %q replaced: %q, %v; want %q", r.pattern, text, replaced, err, want)
	}
	if text == "" {
		return
	}
	parts, err := r.Split(text)
	if want := r.re.Split(text, -1); err != nil || !slices.Equal(parts, want) {
		t.Fatalf("%q in %q split: %q, %v; want %q", r.pattern, text, parts, err, want)
	}
}

// TestPatternsWithoutChoiceTakeTheShortWay pins which forms need no search, so that those of rule sets stay among them.
func TestPatternsWithoutChoiceTakeTheShortWay(t *testing.T) {
	for pattern, want := range map[string]string{
		`^[01]{20}$`:                         "exact",
		`^((\d{4})-(\d{2})-(\d{2}))$`:        "exact",
		`^(.{1,200})$`:                       "exact",
		`^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{0,9}$`: "exact",
		`^(-?\d{1,13}\.\d{2})$`:              "exact",
		`^\d{0,3}\d$`:                        "none", // where the run ends is a choice
		`^\d*-?\d$`:                          "none",
		`^ab|cd$`:                            "none",
		`^ab`:                                "exact",
		`^[19]`:                              "exact",
		`^a*\d`:                              "exact",
		`^a*a`:                               "none",
		`a*b?`:                               "none",
		`a*b`:                                "needs",
		`(\r?\n)`:                            "needs",
		`\s`:                                 "single",
		`([ \n\r\t\s])`:                      "single",
		`ab+`:                                "needs",
		`urn:ab{2}`:                          "tried",
		`1.0`:                                "tried",
		`[ab]{2}`:                            "tried",
		`é[ab]`:                              "tried",
		`a{65}`:                              "needs",
		`ab$`:                                "needs",
	} {
		r, err := Compile(pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		got := "needs"
		switch {
		case r.direct == nil:
			got = "none"
		case r.direct.exact:
			got = "exact"
		case r.direct.single:
			got = "single"
		case r.direct.tried:
			got = "tried"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}

// TestShortWaysFollowFlags pins that flags change what the short ways match.
func TestShortWaysFollowFlags(t *testing.T) {
	for _, c := range []struct {
		pattern, flags, text string
		want                 bool
	}{
		{"^ab{2}$", "i", "ABb", true}, {"^ab{2}$", "", "ABb", false},
		{"^.{3}$", "s", "a\nb", true}, {"^.{3}$", "", "a\nb", false},
		{"^a b$", "x", "ab", true}, {"^b$", "m", "a\nb", true}, {"^b$", "", "a\nb", false},
		{"k", "i", "\u212A", true},
	} {
		r, err := Compile(c.pattern, c.flags)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Match(c.text); got != c.want {
			t.Errorf("%q with %q on %q: %v", c.pattern, c.flags, c.text, got)
		}
	}
	schema, err := CompileSchema(`[a-c]{2}\d?`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"ab1": true, "ab": true, "ab12": false, "xab": false, "a": false} {
		if schema.Match(text) != want || schema.MatchBytes([]byte(text)) != want {
			t.Errorf("schema pattern on %q: want %v", text, want)
		}
	}
}
