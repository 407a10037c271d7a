package schematron

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// FuzzSource looks for a panic, and for rule sets that are not what Read promises, among schemas with one further file.
func FuzzSource(f *testing.F) {
	part, err := os.ReadFile("testdata/includes/parts/asserts.xml")
	if err != nil {
		f.Fatal(err)
	}
	seed(f, "testdata/*/*.sch", func(data []byte) { f.Add(data, part) })
	f.Add([]byte(rule(`<include href="b#one"/><extends rule="r"/>`)), part)
	f.Fuzz(func(t *testing.T, entry, part []byte) {
		check(t, files("a.sch", string(entry), "b", string(part)))
	})
}

// FuzzCompiled does the same with stylesheets.
func FuzzCompiled(f *testing.F) {
	seed(f, "testdata/*/*.xslt", func(data []byte) { f.Add(data) })
	f.Add([]byte(templateRule("<xsl:if test='1'><svrl:successful-report id='{{'/></xsl:if>")))
	f.Fuzz(func(t *testing.T, entry []byte) {
		check(t, files("a.sch", string(entry)))
	})
}

// FuzzEvaluate looks for a panic, for a run that does not end, and for findings that cannot be, in what compiles.
func FuzzEvaluate(f *testing.F) {
	documents := []string{`<a><b k="1">x</b><c>2027-01-31</c></a>`, `<c:library xmlns:c="urn:c"><c:book shelf="1"><c:title/></c:book></c:library>`}
	seed(f, "testdata/*/*.sch", func(data []byte) { f.Add(data, []byte(documents[0])) })
	f.Add([]byte(schema(library(3))), []byte(documents[1]))
	f.Add([]byte(schema(`<let name="n" value="1 to 1000000000"/><pattern><rule context="*"><assert id="A" test="sum($n) = 1">{.}</assert></rule></pattern>`)), []byte(documents[0]))
	f.Fuzz(func(t *testing.T, rules, document []byte) {
		fsys := files("a.sch", string(rules))
		set, err := Read(fsys, "a.sch", Options{Limits: Limits{Bytes: 1 << 20, Text: 1 << 20, Includes: 100}})
		if err != nil {
			return
		}
		program, err := Compile(set, fsys, CompileOptions{})
		if err != nil {
			return
		}
		doc, err := xmltree.Parse(document, xmltree.Options{})
		if err != nil {
			return
		}
		verdict, err := program.Evaluate(t.Context(), doc, EvaluateOptions{Steps: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range verdict.Fired {
			if found.Assertion == nil || found.Count < 1 || len(found.Messages) != len(found.Nodes) {
				t.Fatalf("finding %+v", found)
			}
		}
		for _, n := range verdict.NotRun {
			if n.Code == "" && n.Reason == "" {
				t.Fatalf("a rule was not run for no reason: %+v", n)
			}
		}
	})
}

func seed(f *testing.F, pattern string, add func([]byte)) {
	f.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		f.Fatal(pattern, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		add(data)
	}
}

// check reads what a fuzzer made under small limits.
func check(t *testing.T, fsys fs.FS) {
	set, err := Read(fsys, "a.sch", Options{Limits: Limits{Bytes: 1 << 20, Text: 1 << 20, Includes: 1000}})
	if err != nil {
		if fault := (*SourceError)(nil); !errors.As(err, &fault) || fault.File == "" || fault.Message == "" {
			t.Fatalf("refused without a place: %v", err)
		}
		return
	}
	if _, _, err := set.Active(AllPatterns); err != nil {
		t.Fatal(err)
	}
	at := func(e Expression) {
		if e.Text == "" || e.Scope == nil || e.Line < 1 || !slices.Contains(set.Files, e.File) {
			t.Fatalf("expression %+v without text, scope or place", e)
		}
	}
	for _, p := range set.Patterns {
		for _, r := range p.Rules {
			at(r.Context)
			for _, a := range r.Assertions {
				at(a.Test)
				if a.Key == "" || a.Scope > len(r.Lets) {
					t.Fatalf("assertion %+v", a)
				}
			}
		}
	}
	if outline(set) == "" {
		t.Fatal("no outline")
	}
}

// Whatever the names of parameters, each is replaced by its value where the longest of them stands, and nothing else changes.
func TestParameters_ReplaceTheLongestName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-C][-A-C1]{0,4}`), 1, 6, rapid.ID[string]).Draw(t, "names")
		p := &parameters{values: map[string]string{}}
		for i, name := range names {
			p.values[name] = fmt.Sprintf("<%d$%s>", i, name)
		}
		p.sort()
		var text, want strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			between := rapid.SampledFrom([]string{" ", "$ ", "=", "(", "$$)"}).Draw(t, "between")
			name := rapid.SampledFrom(names).Draw(t, "name")
			text.WriteString(between + "$" + name + " ")
			want.WriteString(between + p.values[name] + " ")
		}
		got, ok := p.fill(text.String(), 1<<20)
		if !ok || got != want.String() {
			t.Fatalf("%q with %q: %q, want %q", text.String(), names, got, want.String())
		}
		if _, ok := p.fill(text.String(), len(got)-1); ok && len(got) > 0 {
			t.Fatalf("%q passes a limit of %d", got, len(got)-1)
		}
	})
}

// library is a schema of n rules with assertions of the usual lengths.
func library(n int) string {
	var b strings.Builder
	b.WriteString(`<ns prefix="c" uri="urn:c"/><pattern abstract="true" id="p">`)
	for i := range n {
		fmt.Fprintf(&b, `<rule context="$context-%d"><assert id="R-%d" flag="fatal" test="$R-%d">[R-%d]-Each book (BG-%d) shall have a <name/>, not <value-of select="."/>.</assert></rule>`, i, i, i, i, i)
	}
	b.WriteString(`</pattern><pattern is-a="p" id="q">`)
	for i := range n {
		fmt.Fprintf(&b, `<param name="context-%d" value="/c:library/c:book[@shelf = %d]"/><param name="R-%d" value="normalize-space(c:title) != '' and count(c:page) &gt; 10"/>`, i, i, i)
	}
	b.WriteString(`</pattern>`)
	return schema(b.String())
}

func BenchmarkRead_1000Parameters(b *testing.B) {
	fsys := files("a.sch", library(500))
	b.SetBytes(int64(len(fsys["a.sch"].Data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(fsys, "a.sch", Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
