package pint

import (
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// manifests makes the manifests of all rulebooks, without the hashes of files.
func manifests() map[string][]byte {
	files := map[string][]byte{}
	for i := range specifications {
		s := &specifications[i]
		b, o := base(s), own(s)
		files["books/"+b.Folder+"/"+rulebooks.ManifestFile] = s.manifest(s.id+"-base", b.Title, "", b.Shared)
		files["books/"+o.Folder+"/"+rulebooks.ManifestFile] = s.manifest(s.id, o.Title, s.bindings(), o.Shared)
	}
	return files
}

// manifest makes the manifest of one of the two rulebooks of a specification. The base has no bindings: the other one names it.
func (s *specification) manifest(id, title, bindings string, shared map[string]string) []byte {
	j := s.jurisdiction
	text := fmt.Sprintf("# Made by rulebooks/write from its tables: change them, not this file\nmanifest: 1\nid: %s\nversion: %q\ntitle: %s\nsyntax: ubl\n"+
		"valid:\n  from: %q\n  source: %q\n"+
		"schematron:\n  - {file: rules.sch}\n%ssource:\n  publisher: OpenPeppol\n  url: %q\n  revision: %q\n"+
		"  note: our own text; ids, conditions, code lists and levels are those of the publisher's rules\nfiles:\n", id, j.version, title, j.from, "released on that day, "+j.url, bindings, j.url, j.revision)
	for _, file := range shared {
		text += fmt.Sprintf("  %s/%s:\n", rulebooks.SharedFolder, file)
	}
	return []byte(text)
}

// bindings says which documents the rulebook judges: those with the specification's identifier, after the schema and the base.
func (s *specification) bindings() string {
	var b strings.Builder
	b.WriteString("bindings:\n")
	for i, kind := range []struct{ name, element, schema string }{{"invoice", "Invoice", "ubl-invoice"}, {"credit note", "CreditNote", "ubl-creditnote"}} {
		if i > 0 && s.invoicesOnly {
			break
		}
		fmt.Fprintf(&b, "  - name: %s on UBL %s\n    root: \"{%s}%s\"\n    specification: %q\n    after: [%s, %s-base]\n",
			s.title(), kind.name, sch.UBL()[i].URI, kind.element, s.identifier, kind.schema, s.id)
	}
	return b.String()
}
