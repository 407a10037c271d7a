package validate

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// twoVersions are books and a rulebook that will judge in their place from 2027-02-01: R-1 asks for more, R-3 is new, R-2 is fatal.
func twoVersions(announce string) shelf {
	s := books(schemaFor("a"))
	rules := strings.NewReplacer(`flag="warning"`, `flag="fatal"`, `test="@x"`, `test="@x = '1'"`,
		"</rule>", `<assert id="R-3" flag="fatal" test="not(@z)">No z.</assert><assert id="R-4" flag="warning" test="@w">No w.</assert></rule>`).Replace(twoRules)
	s["next"] = struct {
		manifest string
		files    map[string]string
	}{"valid: {from: \"2027-02-01\"}\n" + announce + "schematron: [{file: r.sch}]\nbindings: [{name: a, root: a, after: [form]}]\nhouseCodes: {R-3: XX_NEW}\n", map[string]string{"r.sch": rules}}
	return s
}

const newFaults = `<a><b x="2" y="5"/><b x="1"/></a>`

// TestReport_Announced ensures that what is new in an announced rulebook warns until its first day, and that nothing else changes.
func TestReport_Announced(t *testing.T) {
	today := reportOn(t, twoVersions("announce: true\n").plan(t), newFaults, "2026-09-01")
	if got := brief(today); got != "R-2 1, R-1 0, R-2 0" {
		t.Fatal(got)
	}
	for _, f := range today.Findings[1:] {
		if want := (Pending{From: "2027-02-01", Key: "next:" + f.Rule, Spec: "next@1"}); f.Pending == nil || *f.Pending != want {
			t.Errorf("%s: %+v, want %+v", f.Rule, f.Pending, want)
		}
	}
	e := today.Entries(plainPlacer{}, false)
	if len(e.Errors) != 0 || len(e.Warnings) != 3 || e.Warnings[1].Code != finding.SpecRulePending || e.Warnings[1].EnforceFrom != "2027-02-01" || e.Warnings[1].Rule != "R-1" {
		t.Errorf("%+v", e)
	}
	if e := today.Entries(plainPlacer{}, true); len(e.Errors) != 2 || e.Errors[0].EnforceFrom != "2027-02-01" || e.Errors[0].PendingKey != "next:R-1" {
		t.Errorf("with enforcePending: %+v", e)
	}
	if len(today.Books) != 2 || today.Books[1].Manifest.ID != "rules" {
		t.Errorf("judged by %v", today.Books)
	}
}

// TestReport_NotAnnounced ensures that a rulebook which its manifest does not announce judges nothing before its first day, and that what
// a document breaks already, or a schema refuses, is not announced.
func TestReport_NotAnnounced(t *testing.T) {
	for name, c := range map[string]struct{ announce, document, want string }{
		"silent":                      {"", newFaults, "R-2 1"},
		"broken already":              {"announce: true\n", `<a><b/></a>`, "R-1 0"},
		"refused by the schema":       {"announce: true\n", `<a><b x="2"/><c/></a>`, "XSD-ERROR 0"},
		"nothing is wrong by either":  {"announce: true\n", `<a><b x="1"/></a>`, ""},
		"another rule breaks already": {"announce: true\n", `<a><b y="5"/></a>`, "R-1 0, R-2 1, R-2 0"},
	} {
		if got := brief(reportOn(t, twoVersions(c.announce).plan(t), c.document, "2026-09-01")); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
