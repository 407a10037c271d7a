package validate

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Placer names what a finding is about, for the entries of an answer.
type Placer interface {
	// Place gives the member field of a finding and its message, which names the place, and the place in a document.
	Place(f *Finding) (field, message string, at finding.Place)
}

// Entries are the findings of a report as an answer has them.
type Entries struct {
	Errors     []finding.Finding // fatal ones; the code is the id of the rule
	Compliance []finding.Finding // the same with house codes, and the ids in rule
	Warnings   []finding.Finding // with house codes, and the ids in rule
}

// listed is how many errors, and how many warnings, an answer lists.
const listed = 500

// Entries gives the findings as entries. With enforcePending, rules in their warning phase are errors.
func (r *Report) Entries(at Placer, enforcePending bool) Entries {
	var e Entries
	var moreErrors, moreWarnings int
	for i := range r.Findings {
		f := &r.Findings[i]
		list, more := &e.Warnings, &moreWarnings
		if f.enforced(enforcePending) {
			list, more = &e.Errors, &moreErrors
		}
		*more += f.More
		if len(*list) == listed {
			*more++
			continue
		}
		e.add(f, at, enforcePending)
	}
	if moreErrors > 0 {
		e.Errors, e.Compliance = append(e.Errors, omitted(moreErrors)), append(e.Compliance, omitted(moreErrors))
	}
	if moreWarnings > 0 {
		e.Warnings = append(e.Warnings, omitted(moreWarnings))
	}
	return e
}

func (e *Entries) add(f *Finding, at Placer, enforcePending bool) {
	field, message, place := at.Place(f)
	entry := finding.Finding{Code: f.Rule, Message: message, Field: field, Place: place}
	if p := f.Pending; p != nil {
		entry.EnforceFrom, entry.PendingKey, entry.SpecID = p.From, p.Key, p.Spec
	}
	coded := entry
	coded.Code, coded.Rule = f.House, f.Rule
	switch {
	case f.enforced(enforcePending):
		entry.SpecID = ""
		e.Errors, e.Compliance = append(e.Errors, entry), append(e.Compliance, coded)
	case f.Pending != nil:
		coded.Code = finding.SpecRulePending
		coded.Message = fmt.Sprintf("%s (enforced from %s)", message, f.Pending.From)
		e.Warnings = append(e.Warnings, coded)
	default:
		e.Warnings = append(e.Warnings, coded)
	}
}

// omitted is the note after the last finding that is listed.
func omitted(n int) finding.Finding {
	return finding.Finding{Code: finding.FindingsOmitted, Message: fmt.Sprintf("%d further findings are not listed", n)}
}

// named is a message that begins with what it is about.
func named(subject, message string) string {
	if subject == "" {
		return message
	}
	return subject + ": " + message
}
