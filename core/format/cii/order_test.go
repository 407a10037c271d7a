package cii

import (
	"slices"
	"strings"
	"testing"
)

// TestTheOrderListsEveryChildOfEveryParent ensures that the schema has each element of each path where the path has it.
func TestTheOrderListsEveryChildOfEveryParent(t *testing.T) {
	children := map[string][]string{}
	for at, element := range Table.Elements {
		for _, edition := range Table.Editions {
			addChildren(t, children, local(element.Name), Table.Rows, document{at, element.Name, edition.Name})
		}
	}
	for parent, names := range children {
		listed := strings.Fields(Table.Order[parent])
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

// addChildren collects the children of each element that the rows name, predicates that are written included.
func addChildren(t *testing.T, children map[string][]string, parent string, rows []row, doc document) {
	t.Helper()
	for _, row := range rows {
		if !Table.Holds(&row, doc.element, doc.edition) {
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
			at = addChild(children, at, name)
			if path, _, equality := strings.Cut(predicate, "="); equality && !strings.HasSuffix(path, "!") {
				inner := at
				for child := range strings.SplitSeq(path, "/") {
					if !strings.HasPrefix(child, "@") {
						inner = addChild(children, inner, child)
					}
				}
			}
		}
		addChildren(t, children, at, row.Rows, doc)
	}
}

// addChild notes a child and gives its local name.
func addChild(children map[string][]string, parent, name string) string {
	if !slices.Contains(children[parent], name) {
		children[parent] = append(children[parent], name)
	}
	return local(name)
}

func local(name string) string {
	_, local, _ := strings.Cut(name, ":")
	return local
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
