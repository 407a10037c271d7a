package rulebook

import (
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// Standing is how a rule that fired counts in documents of a plan, on a day.
type Standing struct {
	Severity finding.Severity
	Pending  *rulebooks.Pending // the warning phase of a fatal rule: its date, and who announces it; nil when it is enforced
}

// Standing gives the standing of a rule of one of the plan's rulebooks. The severity is the level that the binding gives, else
// that of the rulebook's manifest, else published, which is what flag and role of the rule say (schematron.Assertion.Severity).
// Only what is fatal then has a warning phase: what is a warning anyway is not pending. The rule is named by the key of its
// assertion, as the manifest names it; the day is YYYY-MM-DD.
//
// Whoever turns what fired into findings asks once for each assertion, drops what is Information, and reports the rest as errors or
// warnings by Rejects.
func (p *Plan) Standing(b *Book, rule string, published finding.Severity, day string) Standing {
	s := Standing{Severity: published}
	if level, ok := p.Level(b, rule); ok {
		s.Severity = level
	}
	if s.Severity == finding.Fatal {
		s.Pending = b.Pending(rule, day)
	}
	return s
}

// Rejects tells whether the rule speaks against the document: it is fatal and enforced, or enforcePending asks for rules in their
// warning phase to count as well.
func (s Standing) Rejects(enforcePending bool) bool {
	return s.Severity == finding.Fatal && (s.Pending == nil || enforcePending)
}
