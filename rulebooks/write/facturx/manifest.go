package facturx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// manifest makes the manifest without the hashes of files.
func (m *maker) manifest() []byte {
	var b strings.Builder
	s := m.set
	fmt.Fprintf(&b, "# Made by rulebooks/write from its tables: change them, not this file\nmanifest: 1\nid: %s\nversion: %q\n", s.id(), s.version.release)
	fmt.Fprintf(&b, "title: Factur-X %s / ZUGFeRD %s, profile %s\nsyntax: cii\n", s.version.name, s.version.zugferd, s.profile.title)
	if s.version.from != "" {
		fmt.Fprintf(&b, "valid:\n  from: %q\n  source: \"the day that the release names, https://fnfe-mpe.org/factur-x/\"\n", s.version.from)
	}
	fmt.Fprintf(&b, "xsd:\n  - {file: %s/rsm.xsd, root: \"%s\"}\n", s.schema(), documentElement())
	b.WriteString("schematron:\n  - {file: rules.sch}\n")
	m.bindings(&b)
	b.WriteString("source:\n  publisher: FNFE-MPE and FeRD\n  url: \"https://fnfe-mpe.org/factur-x/\"\n")
	fmt.Fprintf(&b, "  revision: %q\n  note: ids, conditions, code lists and element structures; texts and expressions are our own\n", s.version.release)
	b.WriteString("standsFor:\n")
	for _, ours := range slices.Sorted(maps.Keys(m.standsFor)) {
		if m.standsFor[ours] != ours {
			fmt.Fprintf(&b, "  %s: %q\n", ours, m.standsFor[ours])
		}
	}
	b.WriteString("files:\n")
	for _, file := range []string{"qdt", "ram", "rsm", "udt"} {
		fmt.Fprintf(&b, "  %s/%s.xsd:\n", s.schema(), file)
	}
	return []byte(b.String())
}

// bound is the version that judges documents of which only the profile is known: all versions have the same identifiers.
const bound = "1.08"

// bindings writes which documents the rulebook judges: those of its profile where a format of its version is asked for, and where
// no format is asked for those of the bound version.
func (m *maker) bindings(b *strings.Builder) {
	b.WriteString("bindings:\n")
	for _, specification := range m.set.profile.specifications {
		binding := fmt.Sprintf("  - name: Factur-X / ZUGFeRD %s\n    root: \"%s\"\n    specification: %q\n", m.set.profile.title, documentElement(), specification)
		b.WriteString(binding + "    formats: [" + m.set.version.formats + "]\n")
		if m.set.version.name == bound && specification != coreSpecification {
			b.WriteString(binding)
		}
	}
}

// documentElement is the expanded name of the document element.
func documentElement() string { return "{" + namespaces()[0].URI + "}CrossIndustryInvoice" }
