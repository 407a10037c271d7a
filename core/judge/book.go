package judge

import (
	"fmt"
	"strings"

	"einvoiced/core/rulebook"
	"einvoiced/core/xmltree"
	"einvoiced/core/xsd"
)

// OfBook compiles what a rulebook judges by. Errors have the reason rulebook.LoadFailed.
func OfBook(b *rulebook.Book) (*Set, error) {
	programs, err := b.Programs()
	if err != nil {
		return nil, err
	}
	s := &Set{Rules: programs}
	for _, entry := range b.Manifest.Schemas {
		schema, err := xsd.Compile(b.FS(), xsd.Options{}, entry.File)
		if err != nil {
			return nil, &rulebook.Error{Reason: rulebook.LoadFailed, Book: b.Name(), Cause: fmt.Errorf("compile %s: %w", entry.File, err)}
		}
		s.Schemas = append(s.Schemas, Schema{schema, expandedName(entry.Root)})
	}
	return s, nil
}

// expandedName reads {namespace}local.
func expandedName(s string) xmltree.Name {
	if space, local, ok := strings.Cut(strings.TrimPrefix(s, "{"), "}"); ok {
		return xmltree.Name{Space: space, Local: local}
	}
	return xmltree.Name{Local: s}
}
