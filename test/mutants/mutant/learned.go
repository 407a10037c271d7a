package mutant

import (
	"regexp"
	"slices"
	"strings"
)

// learned is what the parents show of their vocabulary.
type learned struct {
	values   map[string][]string // values of leaves, by "parent name"
	children map[string][]graft  // elements that a parent can have, by its name
}

// graft is an element of one document that can be put into another.
type graft struct {
	name     string
	source   string
	before   []string          // names of the preceding siblings, the nearest first
	prefixes map[string]string // that it uses, and what they are bound to
}

// The most that is learned, so that many parents cost no more than needed.
const (
	mostValues = 64
	mostGrafts = 400
	mostSource = 4000 // bytes
)

func learn(documents []*Document) *learned {
	l := &learned{map[string][]string{}, map[string][]graft{}}
	for _, d := range documents {
		for _, e := range d.elements {
			if e.parent == nil {
				continue
			}
			if e.leaf() {
				l.value(e, d.value(e))
			}
			l.graft(d, e)
		}
	}
	return l
}

func (l *learned) value(e *element, value string) {
	key := e.parent.name + " " + e.name
	if len(l.values[key]) < mostValues && !slices.Contains(l.values[key], value) {
		l.values[key] = append(l.values[key], value)
	}
}

// graft keeps one example of a name per parent, and further ones while there is room.
func (l *learned) graft(d *Document, e *element) {
	known := l.children[e.parent.name]
	if len(known) >= mostGrafts || e.end-e.start > mostSource {
		return
	}
	same := 0
	for _, g := range known {
		if g.name == e.name {
			same++
		}
	}
	if same >= 4 {
		return
	}
	source := d.source(e)
	prefixes, ok := d.bindings(source)
	if !ok {
		return
	}
	l.children[e.parent.name] = append(known, graft{e.name, source, preceding(e), prefixes})
}

func preceding(e *element) []string {
	var names []string
	for _, c := range e.parent.children {
		if c == e {
			break
		}
		names = append(names, c.name)
	}
	slices.Reverse(names)
	return names
}

var prefixed = regexp.MustCompile(`[</ ]([A-Za-z_][\w.-]*):[A-Za-z_]`)

// bindings gives the prefixes that a piece of a document uses; ok is false when it declares namespaces itself, or uses others
// than those of the document element.
func (d *Document) bindings(source string) (prefixes map[string]string, ok bool) {
	if strings.Contains(source, "xmlns") {
		return nil, false
	}
	prefixes = map[string]string{"": d.prefixes[""]}
	for _, match := range prefixed.FindAllStringSubmatch(source, -1) {
		uri, bound := d.prefixes[match[1]]
		if !bound && match[1] != "xml" {
			return nil, false
		}
		prefixes[match[1]] = uri
	}
	return prefixes, true
}

// takes tells whether the graft means the same in a document.
func (d *Document) takes(g *graft) bool {
	for prefix, uri := range g.prefixes {
		if bound, ok := d.prefixes[prefix]; prefix != "" && (!ok || bound != uri) {
			return false
		}
	}
	return true
}

// after finds the child behind which something belongs whose preceding siblings are known; nil means before all.
func after(parent *element, before []string) *element {
	for _, name := range before {
		for _, c := range slices.Backward(parent.children) {
			if c.name == name {
				return c
			}
		}
	}
	return nil
}
