package mapping

import (
	"fmt"
	"maps"
	"slices"
)

// Element is a document element of a syntax.
type Element struct {
	Name      string // with its prefix if it has one, e.g. Invoice
	Namespace string // URI of names without a prefix; empty where they are in none
}

// Edition is one extent of a syntax: a profile, a version or an extension of it.
type Edition struct {
	Name string
	// Includes are the editions, listed before, whose rows it has as well, with those that they include.
	Includes []string
	// Specifications are the identifiers (BT-24) of its documents; without any it is for all documents that no other edition of
	// the same document element is for.
	Specifications []string
	// Namespaces are the URIs of prefixes that are not those of the table. That of the empty prefix takes the place of the document
	// element's.
	Namespaces map[string]string
	// Elements are the document elements that have the edition; empty for all.
	Elements []string
	// ByName is for an edition that documents are written in where Env names it. None is read as it: they are read as an edition
	// that includes it, so that what goes beyond it is not lost.
	ByName bool
}

// Holds tells whether a row holds for a document element in an edition.
func (t *Table[T]) Holds(row *Row[T], element, edition string) bool {
	has := func(e Edition) bool { return e.Name == edition && e.has(element) }
	if len(t.Editions) > 0 && !slices.ContainsFunc(t.Editions, has) {
		return false
	}
	return (row.On == "" || row.On == element) && (row.In == "" || slices.Contains(included(t.Editions, edition), row.In))
}

// has tells whether a document element has the edition.
func (e *Edition) has(element string) bool {
	return len(e.Elements) == 0 || slices.Contains(e.Elements, element)
}

// included lists an edition with those that it includes. Each is looked for among those listed before it alone, so that there
// are no circles.
func included(editions []Edition, name string) []string {
	all := []string{name}
	for i := range editions {
		if editions[i].Name != name {
			continue
		}
		for _, other := range editions[i].Includes {
			all = append(all, included(editions[:i], other)...)
		}
	}
	return all
}

// check finds names that the table does not explain.
func (s *syntax) check() error {
	known := map[string]bool{}
	for i := range s.elements {
		known[s.elements[i].Name] = true
	}
	seen := map[string]bool{}
	for i := range s.editions {
		e := &s.editions[i]
		if seen[e.Name] {
			return fmt.Errorf("edition %q is listed twice", e.Name)
		}
		for _, name := range e.Includes {
			if !seen[name] {
				return fmt.Errorf("edition %q includes %q, which is not listed before it", e.Name, name)
			}
		}
		for _, name := range e.Elements {
			if !known[name] {
				return fmt.Errorf("edition %q is for %q, which is no document element of the table", e.Name, name)
			}
		}
		seen[e.Name] = true
	}
	return checkRows(s.rows, known, seen)
}

func checkRows(rows []row, elements, editions map[string]bool) error {
	for i := range rows {
		r := &rows[i]
		if r.on != "" && !elements[r.on] {
			return r.fault(fmt.Errorf("%q is no document element of the table", r.on))
		}
		if r.in != "" && !editions[r.in] {
			return r.fault(fmt.Errorf("%q is no edition of the table", r.in))
		}
		if err := checkRows(r.rows, elements, editions); err != nil {
			return r.fault(err)
		}
	}
	return nil
}

// checkHeld finds rows that no document has, as those of one edition within a group of another.
func checkHeld(rows []row) error {
	for i := range rows {
		r := &rows[i]
		if !r.held {
			return r.fault(fmt.Errorf("no edition of a document element has it"))
		}
		if err := checkHeld(r.rows); err != nil {
			return r.fault(err)
		}
	}
	return nil
}

// checkDistinct finds editions that documents cannot tell apart.
func checkDistinct(plans []*plan) error {
	type document struct {
		name          uint32
		specification string
	}
	taken := map[document]string{}
	for _, p := range plans {
		if p.edition.ByName {
			continue
		}
		specifications := p.edition.Specifications
		if len(specifications) == 0 {
			specifications = []string{""}
		}
		for _, s := range specifications {
			d := document{p.tree.name, s}
			if other, ok := taken[d]; ok {
				return fmt.Errorf("%s: the edition %q is for the same documents (specification %q)", p, other, s)
			}
			taken[d] = p.edition.Name
		}
	}
	return nil
}

// holds tells whether a row holds in the plan's documents.
func (p *plan) holds(r *row) bool {
	return (r.on == "" || r.on == p.element.Name) && (r.in == "" || slices.Contains(p.included, r.in))
}

// replaces tells whether a row takes the place of another one with the same path: it is for fewer editions.
func (p *plan) replaces(r, other *row) bool {
	return r.in != "" && r.in != other.in && (other.in == "" || slices.Contains(included(p.syntax.editions, r.in), other.in))
}

// namespaces are those of the plan's documents by prefix; that of names without one has the empty prefix.
func (s *syntax) namespacesOf(element *Element, edition *Edition) map[string]string {
	all := map[string]string{"": element.Namespace}
	maps.Copy(all, s.namespaces)
	maps.Copy(all, edition.Namespaces)
	return all
}
