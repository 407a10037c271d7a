package mapping

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// statement is a place where a document states what a variable stands for: the elements below the document element, and an
// attribute of the last one or 0.
type statement struct {
	way  []uint32
	attr uint32
}

// findStatements looks for the places of each variable: those of the specification identifier, and of the members.
func (p *plan) findStatements() error {
	p.statements = make([][]statement, len(p.syntax.variables))
	for i, name := range p.syntax.variables[1:] {
		leaf, err := p.syntax.newLeaf(p.syntax.invoice, p.syntax.members[1+i])
		if err != nil {
			return fmt.Errorf("variable %s: %w", name, err)
		}
		if !strings.HasPrefix(name, "$") || leaf.typ.Kind() != reflect.String {
			return fmt.Errorf("variable %s: it needs the name of a text that begins with $", name)
		}
		p.variables = append(p.variables, leaf)
	}
	p.statementsBelow(p.tree, "", nil)
	return nil
}

func (p *plan) statementsBelow(n *node, prefix string, way []uint32) {
	if n.scope != nil {
		prefix = n.scope.below(prefix)
	}
	if n.constant == specified && n.leaf == nil {
		p.addStatement(0, statement{way: way})
	}
	p.addStatements(n.leaf, prefix, statement{way: way})
	for i := range n.attrs {
		a := &n.attrs[i]
		if a.constant == specified {
			p.addStatement(0, statement{way, a.name})
		}
		p.addStatements(a.leaf, prefix, statement{way, a.name})
	}
	if n.again != nil {
		return
	}
	for _, c := range n.children {
		p.statementsBelow(c, prefix, append(way[:len(way):len(way)], c.name))
	}
}

// addStatements notes the place of a member for the variables that stand for it.
func (p *plan) addStatements(leaf *field, prefix string, at statement) {
	if leaf == nil {
		return
	}
	for i, member := range p.syntax.members[1:] {
		if leaf.below(prefix) == member {
			p.addStatement(1+i, at)
		}
	}
}

func (p *plan) addStatement(variable int, at statement) {
	p.statements[variable] = append(p.statements[variable], at)
}

// stated gives what the document states for a variable of a plan; empty where it does not.
func (s *source) stated(p *plan, variable int) string {
	for _, at := range p.statements[variable] {
		if text := s.first(s.root, at.way, at.attr); text != "" {
			return text
		}
	}
	return ""
}

// first gives the first text at the end of a way below an element.
func (s *source) first(el xmltree.Node, way []uint32, attr uint32) string {
	if len(way) == 0 {
		return s.textAt(el, attr)
	}
	for c := range elements(s.doc, el) {
		if s.number(c) != way[0] {
			continue
		}
		if text := s.first(c, way[1:], attr); text != "" {
			return text
		}
	}
	return ""
}

// textAt gives the text of an element, or of one of its attributes.
func (s *source) textAt(el xmltree.Node, attr uint32) string {
	if attr == 0 {
		return trimmed(s.doc.String(el))
	}
	for a := range attributes(s.doc, el) {
		if s.number(a) == attr {
			return trimmed(s.doc.String(a))
		}
	}
	return ""
}

// follows tells how well a document fits the plan: by stating its specification, by the plan's being for any, or not.
func (s *source) follows(p *plan) fit {
	if p.edition.ByName {
		return noFit
	}
	if len(p.edition.Specifications) == 0 {
		return anySpecification
	}
	if slices.Contains(p.edition.Specifications, s.stated(p, 0)) {
		return itsSpecification
	}
	return noFit
}

// fit is how well a document fits a plan, the better the higher.
type fit int

const (
	noFit fit = iota
	anySpecification
	itsSpecification
)
