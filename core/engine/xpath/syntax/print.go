package syntax

import "strings"

// Print writes an expression as text that Parse reads back as the same tree, offsets aside.
func Print(e Expr) string {
	var p printer
	p.expr(e)
	return p.String()
}

// String writes the type as it stands in an expression.
func (t SequenceType) String() string {
	var p printer
	p.sequenceType(t)
	return p.String()
}

// opText are the binary operators as written, in the order of Op.
var opText = [...]string{"or", "and", "eq", "ne", "lt", "le", "gt", "ge", "=", "!=", "<", "<=", ">", ">=", "is", "<<", ">>",
	"to", "+", "-", "*", "div", "idiv", "mod", "union", "intersect", "except"}

// String is the operator as written.
func (op Op) String() string { return opText[op] }

// axisText are the axes as written, in the order of Axis.
var axisText = [...]string{"child", "descendant", "descendant-or-self", "self", "attribute", "parent", "ancestor",
	"ancestor-or-self", "following", "following-sibling", "preceding", "preceding-sibling", "namespace"}

// String is the axis as written.
func (a Axis) String() string { return axisText[a] }

type printer struct{ strings.Builder }

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// operand writes an expression in parentheses unless it is primary.
func (p *printer) operand(e Expr) {
	switch e.(type) {
	case *Literal, *VarRef, *ContextItem, *Call, *Sequence:
		p.expr(e)
	default:
		p.put("(")
		p.expr(e)
		p.put(")")
	}
}

func (p *printer) list(items []Expr) {
	for i, e := range items {
		if i > 0 {
			p.put(", ")
		}
		p.expr(e)
	}
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *Literal:
		p.literal(e)
	case *VarRef:
		p.put("$", e.Name.String())
	case *ContextItem:
		p.put(".")
	case *Sequence:
		p.put("(")
		p.list(e.Items)
		p.put(")")
	case *Binary:
		p.operand(e.Left)
		p.put(" ", e.Op.String(), " ")
		p.operand(e.Right)
	case *Unary:
		p.put(map[bool]string{true: "-", false: "+"}[e.Minus])
		p.operand(e.Operand)
	case *Typed:
		p.operand(e.Operand)
		p.put(" ", typeWords[e.Op][0], " ", typeWords[e.Op][1], " ")
		p.sequenceType(e.Type)
	case *Call:
		p.put(e.Name.String(), "(")
		p.list(e.Args)
		p.put(")")
	default:
		p.compound(e)
	}
}

func (p *printer) literal(e *Literal) {
	if e.Kind != StringLiteral {
		p.put(e.Text)
		return
	}
	p.put("'", strings.ReplaceAll(e.Text, "'", "''"), "'")
}

// compound writes the expressions that begin with a keyword, and paths.
func (p *printer) compound(e Expr) {
	switch e := e.(type) {
	case *If:
		p.put("if (")
		p.expr(e.Cond)
		p.put(") then ")
		p.operand(e.Then)
		p.put(" else ")
		p.operand(e.Else)
	case *For:
		p.put("for ")
		p.binding(e.Var, e.In)
		p.put(" return ")
		p.operand(e.Return)
	case *Quantified:
		p.put(map[bool]string{true: "every ", false: "some "}[e.Every])
		p.binding(e.Var, e.In)
		p.put(" satisfies ")
		p.operand(e.Satisfies)
	case *Path:
		p.path(e)
	case *Step:
		p.put(e.Axis.String(), "::")
		p.nodeTest(e.Test)
		p.predicates(e.Predicates)
	case *Filter:
		p.operand(e.Base)
		p.predicates(e.Predicates)
	}
}

func (p *printer) binding(name Name, in Expr) {
	p.put("$", name.String(), " in ")
	p.operand(in)
}

func (p *printer) predicates(list []Expr) {
	for _, e := range list {
		p.put("[")
		p.expr(e)
		p.put("]")
	}
}

func (p *printer) path(e *Path) {
	if e.Rooted {
		p.put("/")
	}
	for i, s := range e.Steps {
		if i > 0 {
			p.put("/")
		}
		switch s.(type) {
		case *Step, *Filter:
			p.expr(s)
		default:
			p.operand(s)
		}
	}
}
