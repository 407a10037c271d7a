// Package syntax reads XPath 2.0 (XML Path Language 2.0, second edition) into a tree and writes the tree back as text.
//
// The tree is what was written, with two exceptions: abbreviated steps are spelt out (".." becomes parent::node(), "//" a step
// of its own) and parentheses that only group are gone. Names keep their prefix; resolving them needs a static context and is
// left to the compiler.
//
// Parse cuts the text into tokens first (token.go), as the tokens of XPath 2.0 do not depend on the grammar, and then reads them by
// recursive descent (parser*.go), under limits, since rule sets come from outside. The only error is *Error, with an offset.
package syntax

// Expr is an expression. The concrete types are the pointers to the structs of this file.
type Expr interface {
	// Pos is the offset in bytes of the expression's first token in the text it was read from.
	Pos() int
}

// At is the place of an expression; every expression embeds it.
type At int

// Pos gives the offset in bytes.
func (a At) Pos() int { return int(a) }

// Name is a qualified name as written; Prefix is empty where there is none.
type Name struct{ Prefix, Local string }

// String is the name as written.
func (n Name) String() string {
	if n.Prefix == "" {
		return n.Local
	}
	return n.Prefix + ":" + n.Local
}

// LiteralKind says which kind of literal stands in the text.
type LiteralKind uint8

// The kinds of literals (section 3.1.1): 12, 1.2, 1.2e0, 'text'.
const (
	IntegerLiteral LiteralKind = iota
	DecimalLiteral
	DoubleLiteral
	StringLiteral
)

// Literal is a number as written or a string without its quotes and with doubled quotes undone.
type Literal struct {
	At
	Kind LiteralKind
	Text string
}

// VarRef is $name.
type VarRef struct {
	At
	Name Name
}

// ContextItem is the dot.
type ContextItem struct{ At }

// Sequence is a comma list; without items it is the empty sequence. It never has exactly one item.
type Sequence struct {
	At
	Items []Expr
}

// Op is an operator of two operands.
type Op uint8

// The binary operators, from or to set operations.
const (
	Or Op = iota
	And
	Eq // value comparisons
	Ne
	Lt
	Le
	Gt
	Ge
	GeneralEq // general comparisons
	GeneralNe
	GeneralLt
	GeneralLe
	GeneralGt
	GeneralGe
	Is // node comparisons
	Precedes
	Follows
	To
	Add
	Subtract
	Multiply
	Divide
	IntegerDivide
	Modulo
	Union
	Intersect
	Except
)

// Binary is an operator between two expressions.
type Binary struct {
	At
	Op          Op
	Left, Right Expr
}

// Unary is a run of signs before an expression, reduced to one: Minus for an odd number of minus signs.
type Unary struct {
	At
	Minus   bool
	Operand Expr
}

// If is if (Cond) then Then else Else.
type If struct {
	At
	Cond, Then, Else Expr
}

// For is for $Var in In return Return; a for with several variables is several of them, nested.
type For struct {
	At
	Var        Name
	In, Return Expr
}

// Quantified is some or every $Var in In satisfies Satisfies; several variables are several of them, nested.
type Quantified struct {
	At
	Every         bool
	Var           Name
	In, Satisfies Expr
}

// TypeOp is a operator with a type on its right side.
type TypeOp uint8

// The operators on types (sections 3.10.1 to 3.10.5).
const (
	InstanceOf TypeOp = iota
	TreatAs
	CastableAs
	CastAs
)

// Typed is an expression followed by an operator on types. For CastableAs and CastAs the type is a plain name with occurrence
// '?' or none.
type Typed struct {
	At
	Op      TypeOp
	Operand Expr
	Type    SequenceType
}

// Path is steps between slashes. Rooted says that it starts with a slash; a rooted path may have no steps. Otherwise it has at
// least two. A step is any expression; axis steps are *Step.
type Path struct {
	At
	Rooted bool
	Steps  []Expr
}

// Step is an axis step.
type Step struct {
	At
	Axis       Axis
	Test       NodeTest
	Predicates []Expr
}

// Filter is an expression that is no axis step, followed by predicates.
type Filter struct {
	At
	Base       Expr
	Predicates []Expr
}

// Call is a function call.
type Call struct {
	At
	Name Name
	Args []Expr
}

// Axis is one of the thirteen axes.
type Axis uint8

// The axes (section 3.2.1.1).
const (
	Child Axis = iota
	Descendant
	DescendantOrSelf
	Self
	Attribute
	Parent
	Ancestor
	AncestorOrSelf
	Following
	FollowingSibling
	Preceding
	PrecedingSibling
	Namespace
)

// Reverse tells whether positions on the axis count against document order.
func (a Axis) Reverse() bool {
	switch a {
	case Parent, Ancestor, AncestorOrSelf, Preceding, PrecedingSibling:
		return true
	}
	return false
}

// TestKind is the kind of a node test.
type TestKind uint8

// Node tests by name and by kind (sections 2.5.3 and 3.2.1.2). The names of the tests are those of the syntax.
const (
	NameTest TestKind = iota
	AnyKindTest
	DocumentTest
	ElementTest
	AttributeTest
	TextTest
	CommentTest
	ProcessingInstructionTest
	SchemaElementTest
	SchemaAttributeTest
)

// NodeTest is a node test. AnyPrefix and AnyLocal are the wildcards of *:name, prefix:* and *; element() without a name has
// both. For a processing instruction Name.Local is the target and Named tells whether there is one.
type NodeTest struct {
	Kind                TestKind
	Name                Name
	AnyPrefix, AnyLocal bool
	Named               bool      // processing-instruction(target)
	Type                *Name     // element(name, Type)
	Nillable            bool      // element(name, Type?)
	Inner               *NodeTest // document-node(element(…))
}

// SequenceType is a type with an occurrence indicator. Exactly one of Empty, AnyItem, Atomic and Test is set.
type SequenceType struct {
	Empty      bool      // empty-sequence()
	AnyItem    bool      // item()
	Atomic     *Name     // a named type
	Test       *NodeTest // a node
	Occurrence byte      // 0, '?', '*' or '+'
}
