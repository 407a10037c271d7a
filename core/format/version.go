package format

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Version says what specification identifiers of a family tell beside the family: which version of it a document is of, and which
// variant.
type Version struct {
	Contains      string // in lower case: identifiers that contain it are of the family
	Family        string // name of the family, told where the detection id is that of the syntax alone, e.g. UBL.BE
	Variant       string // name of the variant that shares the family's detection id, e.g. self-billing. Default: it is the usual one
	After         string // in lower case: what stands before the version. Default: the identifier tells none
	Specification string // the whole identifier of a variant whose identifier goes on from the family's. Default: there is none
}

// of is the version that an identifier tells, such as 3.0; empty where it tells none.
func (v *Version) of(specification string) string {
	if v.After == "" {
		return ""
	}
	at := strings.Index(strings.ToLower(specification), v.After)
	if at < 0 || at+len(v.After) > len(specification) {
		return ""
	}
	after := specification[at+len(v.After):]
	end := strings.IndexFunc(after, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(after)
	}
	return strings.TrimRight(after[:end], ".")
}

// Told is what a document says of its version.
type Told struct {
	Version string // of the specification, such as 3.0; empty where the document tells none
	Family  string // customisation that its detection id does not name
	Variant string // variant of the customisation
	Unknown string // part of the identifier that nobody knows, as it stands there
}

// String is all of it in one text, such as "self-billing 3.0"; empty where the document tells nothing.
func (t Told) String() string {
	said := []string{t.Family, t.Variant, t.Version, t.Unknown}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")
}

// Told gives what a specification identifier tells of a document that is of a customisation.
func (c *Catalogue) Told(row *Customisation, specification string) Told {
	lower := strings.ToLower(specification)
	if !row.Named() {
		return Told{Unknown: clipped(beyond(specification, c.Syntax(row.Syntax)))}
	}
	told := Told{}
	i := slices.IndexFunc(c.list.Versions, func(v Version) bool { return strings.Contains(lower, v.Contains) })
	if i >= 0 {
		v := &c.list.Versions[i]
		told.Version, told.Variant = v.of(specification), v.Variant
		if c.element(row.Detection) {
			told.Family = v.Family
		}
		if v.Specification != "" && lower == strings.ToLower(v.Specification) {
			return told
		}
	}
	if row.GoesOn(specification) {
		told.Unknown = clipped(bare(specification[len(row.Specification):]))
	}
	return told
}

// element tells whether a detection id is that of a document element, which names no customisation.
func (c *Catalogue) element(detection string) bool {
	return slices.ContainsFunc(c.list.Syntaxes, func(s *Syntax) bool {
		return slices.ContainsFunc(s.Elements, func(e Element) bool { return e.Detection == detection })
	})
}

// beyond is what an identifier has beyond those of a syntax's standard; empty where it is one of them.
func beyond(specification string, syntax *Syntax) string {
	for _, core := range syntax.cores() {
		if rest, ok := cutFold(specification, core); ok && (rest == "" || rest[0] == '#') {
			return bare(rest)
		}
	}
	return specification
}

func (s *Syntax) cores() []string {
	if s == nil {
		return nil
	}
	return s.Cores
}

// bare is what follows the words that join the parts of an identifier (CEN/TS 16931-3-1, annex on specification identifiers).
func bare(rest string) string {
	for _, joint := range []string{"#compliant#", "#conformant#", "#"} {
		rest = strings.TrimPrefix(rest, joint)
	}
	return rest
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// mostUnknown bounds what is repeated of an identifier, in bytes.
const mostUnknown = 120

func clipped(s string) string {
	if len(s) <= mostUnknown {
		return s
	}
	end := mostUnknown
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// GoesOn tells whether an identifier begins with that of the customisation and has a suffix that is not its own.
func (c *Customisation) GoesOn(specification string) bool {
	rest, ok := cutFold(specification, c.Specification)
	if c.Specification == "" || !ok || rest == "" {
		return false
	}
	return c.Steps == nil || !strings.EqualFold(specification, cmp.Or(c.Steps.Extension, c.Specification))
}
