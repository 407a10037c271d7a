package xsd

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Bounds for what messages repeat.
const (
	shownValue = 60 // characters
	shownNames = 8  // alternatives
)

// quote repeats a value, shortened.
func quote(b []byte) string {
	if utf8.RuneCount(b) <= shownValue {
		return `"` + string(b) + `"`
	}
	cut := 0
	for range shownValue {
		_, n := utf8.DecodeRune(b[cut:])
		cut += n
	}
	return `"` + string(b[:cut]) + `…"`
}

// oneOf joins alternatives: a, b or c.
func oneOf(all []string) string {
	switch n := len(all); {
	case n == 0:
		return "nothing"
	case n == 1:
		return all[0]
	case n > shownNames+1:
		return strings.Join(all[:shownNames], ", ") + " or one of " + strconv.Itoa(n-shownNames) + " others"
	default:
		return strings.Join(all[:n-1], ", ") + " or " + all[n-1]
	}
}

// tag writes an element's name as the document does.
func (v *validation) tag(n xmltree.Node) string { return "<" + string(v.doc.QName(n)) + ">" }

// written writes an expanded name with the prefix that its namespace has at node n, else with the namespace name in braces.
func (v *validation) written(name xmltree.Name, n xmltree.Node) string {
	if name.Space == "" {
		return name.Local
	}
	for e := n; e != xmltree.None; e = v.doc.Parent(e) {
		for prefix, uri := range v.doc.Declarations(e) {
			if now, ok := v.doc.LookupPrefix(n, prefix); uri != name.Space || !ok || now != uri {
				continue
			}
			if prefix == "" {
				return name.Local
			}
			return prefix + ":" + name.Local
		}
	}
	return "{" + name.Space + "}" + name.Local
}

// expected lists what may come next in a state. The namespace is added to names that differ from found in that only.
func (v *validation) expected(s *state, counts []int32, n xmltree.Node, found xmltree.Name) []string {
	var all []string
	seen := map[sym]bool{}
	for i := range s.edges {
		if e := &s.edges[i]; e.ops.pass(counts) && !seen[e.sym] && !e.decl.abstract {
			seen[e.sym] = true
			tag := "<" + v.written(e.decl.name, n) + ">"
			if e.decl.name.Local == found.Local {
				tag += inSpace(e.decl.name.Space)
			}
			all = append(all, tag)
		}
	}
	for i := range s.wild {
		if e := &s.wild[i]; e.ops.pass(counts) {
			all = append(all, e.wildcard.describe())
		}
	}
	return all
}

// expects notes with the last violation what may come in a state in which the element cannot end.
func (v *validation) expects(s *state, counts []int32, n xmltree.Node) {
	last := &v.found[len(v.found)-1]
	if s.complete(counts) {
		return
	}
	for i := range s.edges {
		if e := &s.edges[i]; last.Kind != KindMore && e.ops.pass(counts) && !e.decl.abstract {
			last.Expected = append(last.Expected, v.written(e.decl.name, n))
		}
	}
}

func (w *wildcard) describe() string {
	switch w.spaces.kind {
	case everySpace:
		return "any element"
	case notSpace:
		return "an element of another namespace"
	}
	return "an element of the namespace " + oneOf(w.spaces.list)
}

// valueForms says, for a message, what values of a primitive type look like.
var valueForms = map[primitive]string{
	primBoolean:      "true or false",
	primDecimal:      "a decimal number such as 12.50",
	primFloat:        "a number such as 1.5E3",
	primDouble:       "a number such as 1.5E3",
	primDuration:     "a duration such as P1Y2M3DT4H",
	primDateTime:     "a date with a time such as 2026-01-31T12:00:00",
	primTime:         "a time such as 12:00:00",
	primDate:         "a date such as 2026-01-31",
	primGYearMonth:   "a month such as 2026-01",
	primGYear:        "a year such as 2026",
	primGMonthDay:    "a day of a year such as --01-31",
	primGDay:         "a day of a month such as ---31",
	primGMonth:       "a month of a year such as --01",
	primHexBinary:    "hexadecimal digits, two for each byte",
	primBase64Binary: "base64",
	primAnyURI:       "a URI",
	primQName:        "a name whose prefix is declared",
	primNotation:     "the name of a notation of the schema",
}

// specialForms does the same for the built-in types derived from string and decimal.
var specialForms = map[special]string{
	specialInteger:  "a whole number",
	specialLanguage: "a language such as en or de-AT",
	specialNMToken:  "a word of letters, digits and . - _ :",
	specialName:     "an XML name",
	specialNCName:   "an XML name without colon",
	specialID:       "an XML name without colon",
	specialIDRef:    "an XML name without colon",
	specialEntity:   "an entity, and there can be none without a DTD",
}

// form says what values of the type look like.
func (t *simpleType) form() string {
	switch {
	case t.variety == varietyUnion:
		var all []string
		for _, m := range t.members {
			all = append(all, m.form())
		}
		return oneOf(unique(all))
	case t.special != 0:
		return specialForms[t.special]
	case valueForms[t.prim] != "":
		return valueForms[t.prim]
	}
	return "a text"
}

func unique(all []string) []string {
	sort.Strings(all)
	kept := all[:0]
	for i, s := range all {
		if i == 0 || s != all[i-1] {
			kept = append(kept, s)
		}
	}
	return kept
}

// wants says what a value should have been, for the fault that a check found.
func (f fault) wants(text []byte) string {
	t := f.typ
	switch f.kind {
	case KindEnumeration:
		all := make([]string, 0, len(t.enum.texts))
		for _, s := range t.enum.texts {
			all = append(all, quote([]byte(s)))
		}
		return "allowed is " + oneOf(all)
	case KindDatatype:
		return "expected is " + t.form()
	}
	switch f.facet {
	case facetPattern:
		step := t.patterns[len(t.patterns)-1]
		for _, s := range t.patterns {
			if !matchesAny(s, text) {
				step = s
				break
			}
		}
		return "it must match the pattern " + quote([]byte(step[0].text))
	case facetLength:
		return "it must have " + t.units(t.length.exact)
	case facetMinLength:
		return "it must have at least " + t.units(t.length.min)
	case facetMaxLength:
		return "it must have at most " + t.units(t.length.max)
	case facetTotalDigits:
		return "it must have at most " + counted(t.total, "digit")
	case facetFractionDigits:
		return "it must have at most " + counted(t.fraction, "digit") + " after the point"
	case facetMinInclusive:
		return "it must be at least " + t.lower.text
	case facetMinExclusive:
		return "it must be more than " + t.lower.text
	case facetMaxInclusive:
		return "it must be at most " + t.upper.text
	}
	return "it must be less than " + t.upper.text
}

// units counts what the length of a value is measured in.
func (t *simpleType) units(n int) string {
	switch {
	case t.variety == varietyList:
		return counted(n, "item")
	case t.prim == primHexBinary || t.prim == primBase64Binary:
		return counted(n, "byte")
	}
	return counted(n, "character")
}

func counted(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}
