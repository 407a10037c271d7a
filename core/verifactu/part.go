package verifactu

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// part is an element within what T is: how it is written, and how it is read.
type part[T any] struct {
	name  string
	empty func(of *T) bool // it has nothing to say, and is not written
	write func(w *xmltree.Writer, of *T)
	read  func(d *xmltree.Document, n xmltree.Node, into *T)
}

// prefixed is an element of SuministroInformacion.
func prefixed(name string) *xmltree.QName { return xmltree.MustQName("sf:" + name) }

// text is an element with a text.
func text[T any](name string, at func(*T) *string) part[T] {
	q := prefixed(name)
	return part[T]{
		name:  name,
		empty: func(of *T) bool { return *at(of) == "" },
		write: func(w *xmltree.Writer, of *T) { w.Leaf(q, *at(of)) },
		read:  func(d *xmltree.Document, n xmltree.Node, into *T) { *at(into) = d.String(n) },
	}
}

// within is an element that holds others.
func within[T any](name string, parts ...part[T]) part[T] {
	return group(name, func(of *T) *T { return of }, parts)
}

// group is an element that holds what G is.
func group[T, G any](name string, at func(*T) *G, parts []part[G]) part[T] {
	q := prefixed(name)
	return part[T]{
		name:  name,
		empty: func(of *T) bool { return allEmpty(at(of), parts) },
		write: func(w *xmltree.Writer, of *T) { writeElement(w, q, at(of), parts) },
		read:  func(d *xmltree.Document, n xmltree.Node, into *T) { readParts(d, n, at(into), parts) },
	}
}

// option is a group that may be absent.
func option[T, G any](name string, at func(*T) **G, parts []part[G]) part[T] {
	q := prefixed(name)
	return part[T]{
		name:  name,
		empty: func(of *T) bool { return *at(of) == nil },
		write: func(w *xmltree.Writer, of *T) { writeElement(w, q, *at(of), parts) },
		read: func(d *xmltree.Document, n xmltree.Node, into *T) {
			*at(into) = new(G)
			readParts(d, n, *at(into), parts)
		},
	}
}

// list is an element that may be repeated.
func list[T, G any](name string, at func(*T) *[]G, parts []part[G]) part[T] {
	q := prefixed(name)
	return part[T]{
		name:  name,
		empty: func(of *T) bool { return len(*at(of)) == 0 },
		write: func(w *xmltree.Writer, of *T) {
			for i := range *at(of) {
				writeElement(w, q, &(*at(of))[i], parts)
			}
		},
		read: func(d *xmltree.Document, n xmltree.Node, into *T) {
			entries := at(into)
			*entries = append(*entries, *new(G))
			readParts(d, n, &(*entries)[len(*entries)-1], parts)
		},
	}
}

func allEmpty[T any](of *T, parts []part[T]) bool {
	return !slices.ContainsFunc(parts, func(p part[T]) bool { return !p.empty(of) })
}

func writeElement[T any](w *xmltree.Writer, q *xmltree.QName, of *T, parts []part[T]) {
	w.Start(q)
	writeParts(w, of, parts)
	w.End()
}

func writeParts[T any](w *xmltree.Writer, of *T, parts []part[T]) {
	for i := range parts {
		if p := &parts[i]; !p.empty(of) {
			p.write(w, of)
		}
	}
}

// readParts reads the children of an element. What no row has, such as a signature, is passed over: it is no part of the chain.
func readParts[T any](d *xmltree.Document, n xmltree.Node, into *T, parts []part[T]) {
	for c, end := d.Children(n); c < end; c = d.End(c) {
		if d.Kind(c) != xmltree.KindElement || d.Namespace(c) != Information {
			continue
		}
		local := d.Local(c)
		if i := slices.IndexFunc(parts, func(p part[T]) bool { return p.name == local }); i >= 0 {
			parts[i].read(d, c, into)
		}
	}
}
