package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
)

// scope says where the value of a variable comes from.
type scope uint8

const (
	scopeLocal    scope = iota // bound by an expression or function
	scopeDocument              // evaluated once for each document, at its root, when first asked for
	scopeCurrent               // evaluated once for each current node, when first asked for
	scopeExternal              // set by the host
)

// variable is a declared or bound variable.
type variable struct {
	name   string
	scope  scope
	number int // locals: depth of binding; others: number in the program
	typ    seqType
	needs  needs
	order  order
	value  expr                              // of a document or current variable
	slot   int                               // where the value is kept
	direct bool                              // locals: the slot holds one item, not a sequence
	fill   func(m *Machine, f node, c *cell) // of the others: computes the value
}

// depthBit is the variable's bit in facts.locals. Depths from 63 on share one.
func (v *variable) depthBit() uint64 {
	if v.scope != scopeLocal {
		return 0
	}
	return 1 << min(v.number, 63)
}

// bound is the variable's bit where it ends with the expression that binds it. A shared bit does not: it may be that of a variable around.
func (v *variable) bound() uint64 {
	if v.number >= 63 {
		return 0
	}
	return v.depthBit()
}

// Variable is a variable that a host declared, to be named in Static.Variables.
type Variable struct{ v *variable }

// Let is an expression beyond XPath 2.0, for hosts that compose function bodies: Var has the value of Value, converted to Type
// if there is one, in In. It stands for xsl:variable.
type Let struct {
	syntax.At
	Var       syntax.Name
	Type      *syntax.SequenceType
	Value, In syntax.Expr
}

// TextNode is an expression beyond XPath 2.0, for hosts that compose function bodies: a text node of the string values of the
// items of Select with Separator between them. It stands for xsl:value-of.
type TextNode struct {
	syntax.At
	Select    syntax.Expr
	Separator string
}
