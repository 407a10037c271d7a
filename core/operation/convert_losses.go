package operation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// lossCodes are the codes of warnings which say that something of the invoice is not in the document.
var lossCodes = []string{finding.FieldNotWritten, finding.DecimalsReduced, "GROUP_NOT_REPRESENTABLE", "INVOICE_SERVICE_PERIOD_NOT_REPRESENTABLE"}

// isLoss tells the warnings that stand among the conversion warnings alone.
func isLoss(w finding.Finding) bool {
	return slices.Contains(lossCodes, w.Code) && w.Field != notAttachedField
}

// isTold tells the warnings that stand among the conversion warnings: also those on terms that stand there as another one, or with another
// value, which are warnings as well.
func isTold(w finding.Finding) bool {
	moved := w.Code == finding.SellerIdentifierDerived && w.Field == "seller.vatId" // that of a tax number is a copy
	return isLoss(w) || moved || w.Code == "DOCUMENT_TYPE_FALLBACK"
}

// lossesOf lists what of the source is not in the document: the leaves that were not read, the members that the target has no place
// for, and what its steps leave out or change.
func (s *Service) lossesOf(c *Conversion, reading *format.Reading, made *written) []finding.Finding {
	target := made.targetName()
	lost := []finding.Finding{}
	for _, leaf := range reading.Account.Leaves {
		lost = append(lost, finding.Finding{Code: finding.ElementNotMapped, Field: leaf.Path,
			Message: fmt.Sprintf("%s with %q is not carried: %s", origin{leaf.Path, leaf.Line, leaf.Term}, leaf.Value, leaf.Reason)})
	}
	names, canonical := made.lostMembers()
	origins := s.originsOf(c, reading.Invoice, names, canonical)
	for _, u := range made.lost {
		name := made.draft.Original(u.Field)
		what := "is not carried: " + target + " has no place for it, or none for this value"
		if u.Rounded {
			what = "loses decimals: " + target + " has fewer"
		}
		lost = append(lost, finding.Finding{Code: finding.FieldNotWritten, Field: cmp.Or(origins[name].path, name), Message: origins[name].subject(name) + " " + what + more(u)})
	}
	for _, w := range made.warnings {
		if isTold(w) {
			from := origins[w.Field]
			lost = append(lost, finding.Finding{Code: w.Code, Field: cmp.Or(from.path, w.Field), Message: from.before(w.Message)})
		}
	}
	return bounded(lost, reading.Account.Reported-len(reading.Account.Leaves))
}

// targetName is the target in messages, with what was chosen of it.
func (w *written) targetName() string {
	name := w.token.Name
	if len(w.token.Profiles) > 0 {
		name = fmt.Sprintf("%s %s %s", name, w.options.Version, w.options.Profile)
	}
	return name
}

func more(u mapping.Unwritten) string {
	if u.More == 0 {
		return ""
	}
	return fmt.Sprintf("; the same holds for %d further entries", u.More)
}

// bounded leaves as many entries as an answer lists; the last one tells how many there are beyond, with those that are not even here.
func bounded(list []finding.Finding, omitted int) []finding.Finding {
	if len(list) > warningLimit {
		omitted += len(list) - warningLimit
		list = list[:warningLimit]
	}
	if omitted > 0 {
		list = append(list, finding.Finding{Code: finding.ElementNotMapped, Message: fmt.Sprintf("%d further pieces of the source are not carried", omitted)})
	}
	return list
}

// lostMembers gives the names that lost members have in the invoice which was read, and by name the canonical ones where they are known.
func (w *written) lostMembers() (names []string, canonical map[string]string) {
	canonical = map[string]string{}
	for _, u := range w.lost {
		name := w.draft.Original(u.Field)
		names, canonical[name] = append(names, name), u.Field
	}
	for _, told := range w.warnings {
		if isTold(told) {
			names = append(names, told.Field)
		}
	}
	return names, canonical
}

// origin is where the source has something.
type origin struct {
	path string // XPath with positions; empty where it is not known
	line int
	term string // business term or group; empty where it has none
}

// String is the place in messages.
func (o origin) String() string {
	text := fmt.Sprintf("%s (line %d)", o.path, o.line)
	if o.term != "" {
		text = o.term + " at " + text
	}
	return text
}

// subject is the place of a member in messages.
func (o origin) subject(name string) string {
	switch {
	case o.path == "":
		return name
	case o.term == "":
		return fmt.Sprintf("%s at %s", name, o)
	}
	return fmt.Sprintf("%s, %s,", o, name)
}

// before puts the place in front of a message that names the member.
func (o origin) before(message string) string {
	if o.path == "" {
		return message
	}
	return o.String() + ": " + message
}

// finder is a format.Locator that finds members in the document.
type finder interface {
	Find(members []string) map[string]mapping.Found
}

// originsOf finds where the source has members of the invoice that was read from it, by their names there. Canonical names are those of
// members before the steps were taken back; those that are not given are found out.
func (s *Service) originsOf(c *Conversion, read *invoice.Invoice, names []string, canonical map[string]string) map[string]origin {
	origins := map[string]origin{}
	doc := c.opened.doc
	find, can := s.formats.Syntax(c.opened.found.Syntax).Codec.Locator(doc, nil).(finder)
	if !can || len(names) == 0 {
		return origins
	}
	paths := xmltree.NewLocator(doc)
	look := func(canonical map[string]string) (left []string) {
		var members []string
		for _, name := range names {
			if canonical[name] != "" {
				members = append(members, canonical[name])
			}
		}
		found := find.Find(members)
		for _, name := range names {
			at, there := found[canonical[name]]
			if _, known := origins[name]; there && !known {
				origins[name] = origin{paths.Path(at.At), doc.Line(at.At), at.Term}
			}
			if _, known := origins[name]; !known {
				left = append(left, name)
			}
		}
		return left
	}
	if left := look(canonical); len(left) > 0 {
		look(canonicalOf(c.opened, read, left))
	}
	return origins
}

// canonicalOf finds the canonical names of members of the invoice that was read, by the steps that were taken back.
func canonicalOf(o *Opened, read *invoice.Invoice, names []string) map[string]string {
	steps := followed(o.found)
	if o.found.Customisation == nil || o.found.Customisation.Steps == nil {
		steps = profile.New(*steps)
	}
	open, long, inLines := map[string]bool{}, map[int]bool{}, false
	for _, name := range names {
		open[name], long[len(name)] = true, true
		inLines = inLines || strings.HasPrefix(name, "items")
	}
	canonical := map[string]string{}
	draft := steps.Derive(read)
	for leaf := range invoice.Leaves(draft.Invoice) {
		if !inLines && strings.HasPrefix(leaf, "items[") {
			continue
		}
		for name := draft.Original(leaf); name != ""; name = name[:max(0, strings.LastIndexAny(name, ".["))] {
			if long[len(name)] && open[name] && canonical[name] == "" { // most names differ in length, and those of sub-items are long
				canonical[name] = leaf
			}
		}
	}
	return canonical
}
