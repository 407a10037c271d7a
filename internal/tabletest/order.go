// Package tabletest has the checks that every format makes of its mapping table.
package tabletest

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/mapping"
)

// Order ensures that the order of each element lists every child that a path of the table gives it, predicates that are written included.
func Order[T any](t *testing.T, table *mapping.Table[T]) {
	t.Helper()
	children := family{}
	for at, element := range table.Elements {
		for _, edition := range table.Editions {
			addRows(children, table, localName(element.Name), table.Rows, document{at, element.Name, edition.Name})
		}
	}
	if len(children) == 0 {
		t.Error("the table names no element")
	}
	for parent, names := range children {
		listed := strings.Fields(table.Order[parent])
		for _, name := range names {
			if !slices.Contains(listed, name) {
				t.Errorf("the order of %s does not list %s", parent, name)
			}
		}
	}
}

// document is a document element, with its index, in an edition.
type document struct {
	index            int
	element, edition string
}

// family is the names of the children by the local name of their parent.
type family map[string][]string

// add notes a child and gives its local name.
func (f family) add(parent, name string) string {
	if !slices.Contains(f[parent], name) {
		f[parent] = append(f[parent], name)
	}
	return localName(name)
}

// addRows collects the children of each element that the rows name.
func addRows[T any](children family, table *mapping.Table[T], parent string, rows []mapping.Row[T], doc document) {
	for _, row := range rows {
		if !table.Holds(&row, doc.element, doc.edition) {
			continue
		}
		at := parent
		for _, step := range stepsOf(row.Path) {
			name, predicate, _ := strings.Cut(step, "[")
			if name == "." {
				continue
			}
			if names := strings.Split(name, "|"); len(names) > 1 {
				name = names[doc.index]
			}
			at = children.add(at, name)
			children.addWritten(at, predicate)
		}
		addRows(children, table, at, row.Rows, doc)
	}
}

// addWritten collects the elements of a predicate that is an equality, which writing makes true.
func (f family) addWritten(parent, predicate string) {
	path, _, equality := strings.Cut(predicate, "=")
	if !equality || strings.HasSuffix(path, "!") {
		return
	}
	for child := range strings.SplitSeq(path, "/") {
		if !strings.HasPrefix(child, "@") {
			parent = f.add(parent, child)
		}
	}
}

// localName is a name without its prefix.
func localName(name string) string {
	return name[strings.Index(name, ":")+1:]
}

// stepsOf splits a path at the slashes outside predicates.
func stepsOf(path string) (steps []string) {
	depth, from := 0, 0
	for i, r := range path {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == '/' && depth == 0:
			steps, from = append(steps, path[from:i]), i+1
		}
	}
	return append(steps, path[from:])
}
