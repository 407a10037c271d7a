package rulebook

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
)

// TestStanding ensures the order binding, manifest, publisher, and that only fatal rules are pending, until their day.
func TestStanding(t *testing.T) {
	g := registry(t, layer("x", shelf(map[string]map[string]string{
		"base": smallBook("base", "1", `levels: {MUTED: warning, RAISED: fatal, BOTH: information}
enforceFrom: [{date: 2027-01-01, rules: [NEW, MUTED, BOTH], spec: S-1}, {date: 2028-01-01, rules: [NEW]}]
bindings: [{name: Base, root: a, levels: {BOTH: fatal}}]
`)}))).Current()
	plan, err := g.Plan(Kind{Root: xmltree.Name{Local: "a"}}, "2026-01-01")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		rule             string
		published        finding.Severity
		day              string
		severity         finding.Severity
		pending          string
		rejects, enforce bool
	}{
		{"PLAIN", finding.Fatal, "2026-12-31", finding.Fatal, "", true, true},
		{"PLAIN", finding.Warning, "2026-12-31", finding.Warning, "", false, false},
		{"PLAIN", finding.Information, "2026-12-31", finding.Information, "", false, false},
		{"RAISED", finding.Warning, "2026-12-31", finding.Fatal, "", true, true},
		{"MUTED", finding.Fatal, "2026-12-31", finding.Warning, "", false, false},
		{"MUTED", finding.Fatal, "2027-12-31", finding.Warning, "", false, false},
		{"BOTH", finding.Warning, "2026-12-31", finding.Fatal, "2027-01-01", false, true},
		{"NEW", finding.Fatal, "2026-12-31", finding.Fatal, "2027-01-01", false, true},
		{"NEW", finding.Fatal, "2027-01-01", finding.Fatal, "", true, true},
		{"NEW", finding.Warning, "2026-12-31", finding.Warning, "", false, false},
	} {
		s := plan.Standing(plan.Books[0], test.rule, test.published, test.day)
		pending, spec := "", ""
		if s.Pending != nil {
			pending, spec = s.Pending.Date, s.Pending.Spec
		}
		if s.Severity != test.severity || pending != test.pending || (spec == "S-1") != (pending != "") {
			t.Errorf("%+v: severity %v, pending %q by %q", test, s.Severity, pending, spec)
		}
		if s.Rejects(false) != test.rejects || s.Rejects(true) != test.enforce {
			t.Errorf("%+v: rejects %t, with pending ones %t", test, s.Rejects(false), s.Rejects(true))
		}
	}
}
