package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// expr is an expression whose names are resolved and whose type and needs are known. It is what the syntax tree becomes before
// it becomes closures. The concrete types are the pointers to the structs of this file.
type expr interface {
	info() *facts
}

// needs says what of the dynamic context the value of an expression depends on.
type needs uint8

const (
	needsFocus    needs = 1 << iota // the context item
	needsRoot                       // the tree of the context item, but not where in it
	needsPosition                   // position()
	needsLast                       // last()
	needsCurrent                    // current(), or a variable that belongs to the current node
	needsDocument                   // the document under evaluation as a whole, through a variable
)

// needsPlace is what changes from one context item to the next.
const needsPlace = needsFocus | needsPosition | needsLast

// order says what is known about the sequence of nodes that an expression gives.
type order uint8

const (
	sorted      order = 1 << iota // in document order
	distinct                      // no node twice
	peers                         // no node is an ancestor of another
	below                         // all in the subtree of the context node
	wellOrdered = sorted | distinct
)

// facts are what the static analysis finds out about an expression.
type facts struct {
	typ    seqType
	needs  needs
	locals uint64 // variables bound by for, some, every or a function: a bit for each depth of binding
	order  order
	key    int // the same for expressions that have the same value in the same context, 0 where that is unknown
	at     int // offset in the source
	cost   int // a rough number of operations, to decide what is worth remembering
}

func (f *facts) info() *facts { return f }

// literal is a constant item.
type literal struct {
	facts
	item xdm.Item
}

// sequence is a comma list; without items the empty sequence.
type sequence struct {
	facts
	items []expr
}

// varRef is a reference to a variable.
type varRef struct {
	facts
	v *variable
}

// contextItem is the dot.
type contextItem struct{ facts }

// rootNode is the document node above the context node, the slash.
type rootNode struct{ facts }

// step is an axis step from every node of in.
type step struct {
	facts
	in    expr
	axis  syntax.Axis
	test  nodeTest
	preds []predicate
}

// slash evaluates right with every node of left as context item.
type slash struct {
	facts
	left, right expr
}

// filter keeps the items of base for which all predicates hold.
type filter struct {
	facts
	base  expr
	preds []predicate
}

// predicate is a condition in brackets.
type predicate struct {
	cond expr
	kind predicateKind
}

// call is a call of a function of the library.
type call struct {
	facts
	fn   *function
	args []expr
}

// userCall is a call of a declared function.
type userCall struct {
	facts
	fn   *userFunction
	args []expr
}

// arithmetic is a binary operator on numbers, durations and points in time.
type arithmetic struct {
	facts
	op          xdm.Op
	left, right expr
}

// negation is the unary minus, or the unary plus, which only converts.
type negation struct {
	facts
	minus   bool
	operand expr
}

// comparison is a value comparison or a general comparison.
type comparison struct {
	facts
	general     bool
	relation    xdm.Relation
	left, right expr
}

// nodeComparison compares two nodes: is, << or >>.
type nodeComparison struct {
	facts
	op          syntax.Op
	left, right expr
}

// logic is a chain of and or of or.
type logic struct {
	facts
	all      bool // and
	operands []expr
}

// conditional is if.
type conditional struct {
	facts
	cond, yes, no expr
}

// loop is for with one variable.
type loop struct {
	facts
	v       *variable
	in, ret expr
}

// quantified is some or every with one variable.
type quantified struct {
	facts
	every bool
	v     *variable
	in    expr
	cond  expr

	lookup *lookup // of some, when an index can find the items in question
}

// binding gives a variable the whole value of an expression; it comes from hosts, not from XPath 2.0.
type binding struct {
	facts
	v         *variable
	value, in expr
}

// setOp is union, intersect or except.
type setOp struct {
	facts
	op          syntax.Op
	left, right expr
}

// rangeOf is to.
type rangeOf struct {
	facts
	from, to expr
}

// instanceOf asks for a type.
type instanceOf struct {
	facts
	operand expr
	want    wanted
}

// convert gives a value the type that a parameter or result wants by the function conversion rules, or fails; treat only
// checks.
type convert struct {
	facts
	operand expr
	want    wanted
	treat   bool   // no conversion, error XPDY0050
	what    string // what is converted, for messages
}

// cast is cast as or castable as.
type cast struct {
	facts
	operand  expr
	to       xdm.Type
	optional bool
	castable bool
}

// atomize gives the typed values of the items.
type atomize struct {
	facts
	operand expr
}

// textNode makes a text node of the string values of the items, as xsl:value-of does.
type textNode struct {
	facts
	operand   expr
	separator string
}
