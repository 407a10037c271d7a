package rulebook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
)

func TestCompareVersions_TakesNumbersByValue(t *testing.T) {
	ordered := []string{"", "1", "1.0", "1.0.1", "1.2.9", "1.2.10", "1.3a", "1.3b", "2", "010", "2025.11", "2026.5", "v1", "v2"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := CompareVersions(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%q and %q: %d", a, b, got)
			}
		}
	}
}

func TestCompareVersions_IsAnOrder(t *testing.T) {
	version := rapid.StringMatching(`[0-9a-c.]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := version.Draw(t, "a"), version.Draw(t, "b"), version.Draw(t, "c")
		if CompareVersions(a, b) != -CompareVersions(b, a) {
			t.Fatalf("%q and %q: %d and %d", a, b, CompareVersions(a, b), CompareVersions(b, a))
		}
		sorted := []string{a, b, c}
		slices.SortFunc(sorted, CompareVersions)
		if CompareVersions(sorted[0], sorted[2]) > 0 {
			t.Fatalf("%q do not sort", sorted)
		}
	})
}

// registry loads rulebooks in memory.
func registry(t testing.TB, layers ...Layer) *Registry {
	t.Helper()
	r, err := NewRegistry(context.Background(), Config{Layers: layers})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFind_GivesTheVersionInForce(t *testing.T) {
	g := registry(t, layer("x", shelf(map[string]map[string]string{
		"1": smallBook("lib", "1.9", "valid: {to: 2026-06-30}\n"),
		"2": smallBook("lib", "1.10", "valid: {from: 2026-07-01, to: 2026-12-31}\n"),
		"3": smallBook("lib", "2", "valid: {from: 2026-12-01}\n"),
		"4": smallBook("old", "1", "valid: {to: 2020-01-01}\n"),
		"5": smallBook("same", "1", ""),
		"6": smallBook("same", "2", ""),
	}))).Current()
	for _, test := range []struct{ id, version, day, want string }{
		{"lib", "", "2026-06-30", "lib@1.9"},
		{"lib", "", "2026-07-01", "lib@1.10"},
		{"lib", "", "2026-11-30", "lib@1.10"},
		{"lib", "", "2026-12-01", "lib@2"},
		{"lib", "", "2027-01-01", "lib@2"},
		{"lib", "1.9", "2027-01-01", "lib@1.9"},
		{"same", "", "2026-01-01", "same@2"},
	} {
		b, err := g.Find(test.id, test.version, test.day)
		if err != nil || b.Name() != test.want {
			t.Errorf("%+v: %v, %v", test, b, err)
		}
	}
	for _, test := range []struct{ id, version, day, want string }{
		{"none", "", "2026-01-01", "rulebook none: is not there"},
		{"none", "1", "", "rulebook none: is not there"},
		{"lib", "3", "", "rulebook lib: has no version 3: there are 1.9, 1.10, 2"},
		{"old", "", "2026-01-01", "rulebook old: is not in force on 2026-01-01: there are 1 until 2020-01-01"},
	} {
		_, err := g.Find(test.id, test.version, test.day)
		wants(t, err, test.want)
		if ReasonOf(err) != Missing {
			t.Errorf("%+v: reason %q", test, ReasonOf(err))
		}
	}
	var names []string
	for _, b := range g.Books() {
		names = append(names, b.Name())
	}
	if got := strings.Join(names, " "); got != "lib@1.9 lib@1.10 lib@2 old@1 same@1 same@2" {
		t.Errorf("books %s", got)
	}
}

func TestPlan_PutsRulebooksInOrder(t *testing.T) {
	const root = "{urn:i}Invoice"
	g := registry(t, layer("x", shelf(map[string]map[string]string{
		"base1": smallBook("base", "1", ""),
		"base2": smallBook("base", "2", "bindings: [{name: Base, root: '"+root+"'}, {name: Notes, root: '{urn:i}Note', specification: n}]\nlevels: {A-1: information, A-2: fatal}\n"),
		"xr":    smallBook("xr", "1", "bindings: [{name: XR, root: '"+root+"', specification: xr, after: [base], levels: {A-1: warning}}, {name: Pinned, root: '"+root+"', specification: pin, after: [base@1]}]\n"),
		"last":  smallBook("zz", "1", "bindings: [{name: Late, root: '"+root+"', specification: xr}]\n"),
		"old":   smallBook("old", "1", "bindings: [{name: Old, root: '"+root+"', specification: xr, formats: [zf-1, fx-1]}]\n"),
		"new":   smallBook("new", "1", "bindings: [{name: New, root: '"+root+"', specification: xr, formats: [zf-2]}, {name: Any, root: '"+root+"', formats: [zf-3]}]\n"),
		"law":   smallBook("law", "1", "bindings: [{name: Law, root: '"+root+"', specification: xr, processes: [S1, B 1], after: [xr]}, {name: Draft, root: '"+root+"', processes: [B2]}]\n"),
		"open":  smallBook("open", "1", "bindings: [{name: Open, root: '"+root+"', specification: 'nat:*'}, {name: Exact, root: '"+root+"', specification: 'nat:2'}]\n"),
		"gone":  smallBook("gone", "1", "valid: {to: 2020-01-01}\nbindings: [{name: Gone, root: '"+root+"', specification: gone}]\n"),
		"needs": smallBook("needs", "1", "bindings: [{name: Needs, root: '{urn:i}Need', after: [gone]}]\n"),
	}))).Current()
	for _, test := range []struct{ local, specification, binding, books string }{
		{"Invoice", "xr", "XR", "base@2 xr@1"},
		{"Invoice", "xr as fx-1", "Old", "old@1"},
		{"Invoice", "xr as zf-2", "New", "new@1"},
		{"Invoice", "xr as zf-3", "XR", "base@2 xr@1"},
		{"Invoice", "other as zf-3", "Any", "new@1"},
		{"Invoice", "xr by B 1", "Law", "xr@1 law@1"},
		{"Invoice", "xr by B 1 as fx-1", "Law", "xr@1 law@1"},
		{"Invoice", "xr by S2", "XR", "base@2 xr@1"},
		{"Invoice", "xr by B2", "XR", "base@2 xr@1"},
		{"Invoice", "other by B2 as zf-3", "Draft", "law@1"},
		{"Invoice", "nat:1", "Open", "open@1"},
		{"Invoice", "nat:2", "Exact", "open@1"},
		{"Invoice", "nat", "Base", "base@2"},
		{"Invoice", "nat:1 as zf-3", "Open", "open@1"},
		{"Invoice", "pin", "Pinned", "base@1 xr@1"},
		{"Invoice", "other", "Base", "base@2"},
		{"Invoice", "", "Base", "base@2"},
		{"Invoice", "gone", "Base", "base@2"},
		{"Note", "n", "Notes", "base@2"},
	} {
		rest, format, _ := strings.Cut(test.specification, " as ")
		specification, process, _ := strings.Cut(rest, " by ")
		kind := Kind{Root: xmltree.Name{Space: "urn:i", Local: test.local}, Specification: specification, Process: process, Format: format}
		plan, err := g.Plan(kind, "2026-01-01")
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		var names []string
		for _, b := range plan.Books {
			names = append(names, b.Name())
		}
		if got := strings.Join(names, " "); got != test.books || plan.Binding.Name != test.binding {
			t.Errorf("%+v: binding %s, rulebooks %s", test, plan.Binding.Name, got)
		}
	}
	_, err := g.Plan(Kind{Root: xmltree.Name{Space: "urn:i", Local: "Note"}}, "2026-01-01")
	wants(t, err, `no rulebook is for documents {urn:i}Note with specification "" on 2026-01-01`)
	if ReasonOf(err) != NotBound {
		t.Errorf("reason %q", ReasonOf(err))
	}
	_, err = g.Plan(Kind{Root: xmltree.Name{Space: "urn:i", Local: "Need"}}, "2026-01-01")
	wants(t, err, "bind Needs: rulebook gone: is not in force")
	if ReasonOf(err) != Missing {
		t.Errorf("reason %q", ReasonOf(err))
	}
}

func TestPlan_ChangesLevels(t *testing.T) {
	g := registry(t, layer("x", shelf(map[string]map[string]string{
		"base": smallBook("base", "1", "bindings: [{name: Base, root: a, levels: {A-1: warning}}]\nlevels: {A-1: information, A-2: fatal}\n"),
	}))).Current()
	plan, err := g.Plan(Kind{Root: xmltree.Name{Local: "a"}}, "2026-01-01")
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string]finding.Severity{"A-1": finding.Warning, "A-2": finding.Fatal} {
		if level, ok := plan.Level(plan.Books[0], rule); !ok || level != want {
			t.Errorf("%s: %v, %v", rule, level, ok)
		}
	}
	if _, ok := plan.Level(plan.Books[0], "A-3"); ok {
		t.Error("a level for A-3")
	}
	if level, ok := plan.Books[0].Level("A-1"); !ok || level != finding.Information {
		t.Errorf("outside the binding: %v, %v", level, ok)
	}
}

func TestBook_TellsWhatTheManifestSaysOfARule(t *testing.T) {
	b := registry(t, layer("x", shelf(map[string]map[string]string{"b": smallBook("b", "1",
		"enforceFrom: [{date: 2027-01-01, rules: [A-2, A-1]}, {date: 2028-01-01, rules: [A-1]}]\nhouseCodes: {A-1: DE_A_001}\nstandsFor: {A-1: ~00112233}\n"),
	}))).Current().Books()[0]
	for _, test := range []struct{ got, want string }{
		{b.EnforcedFrom("A-1"), "2027-01-01"},
		{b.EnforcedFrom("A-2"), "2027-01-01"},
		{b.EnforcedFrom("A-3"), ""},
		{b.HouseCode("A-1"), "DE_A_001"},
		{b.HouseCode("A-2"), "SPEC_RULE_FAILED"},
		{b.PublisherID("A-1"), "~00112233"},
		{b.PublisherID("A-2"), "A-2"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

// BenchmarkPlan measures what each document costs before it is judged, among 60 rulebooks.
func BenchmarkPlan(b *testing.B) {
	books := map[string]map[string]string{"base": smallBook("base", "1", "")}
	for i := range 60 {
		id := fmt.Sprint("x", i)
		books[id] = smallBook(id, "1", "bindings: [{name: X, root: '{urn:i}Invoice', specification: s"+fmt.Sprint(i)+", after: [base]}]\n")
	}
	g := registry(b, layer("x", shelf(books))).Current()
	for b.Loop() {
		if plan, err := g.Plan(Kind{Root: xmltree.Name{Space: "urn:i", Local: "Invoice"}, Specification: "s59"}, "2026-01-01"); err != nil || len(plan.Books) != 2 {
			b.Fatal(plan, err)
		}
	}
}
