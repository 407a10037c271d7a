package syntax

import (
	"errors"
	"fmt"
)

// Limits that keep hostile texts from exhausting the stack here and in whatever walks the tree.
const (
	maxNesting = 1_000   // parentheses, predicates, arguments and the like inside each other
	maxChained = 20_000  // binary operators in one text
	maxLength  = 1 << 20 // bytes
)

// Parse reads an expression (production 1). The error is an *Error.
func Parse(text string) (Expr, error) {
	if len(text) > maxLength {
		return nil, &Error{maxLength, "the expression is too long"}
	}
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	return p.run(p.expr)
}

// ParseSequenceType reads a sequence type (production 50), as in the as attribute of XSLT. The error is an *Error.
func ParseSequenceType(text string) (SequenceType, error) {
	tokens, err := tokenize(text)
	if err != nil {
		return SequenceType{}, err
	}
	p := &parser{tokens: tokens}
	var t SequenceType
	_, err = p.run(func() Expr { t = p.sequenceType(); return nil })
	return t, err
}

// parser reads tokens by recursive descent. Its methods panic with *Error, which run turns into an error.
type parser struct {
	tokens  []token
	next    int
	nesting int
	chained int
}

// run applies a production that must take all tokens.
func (p *parser) run(production func() Expr) (e Expr, err error) {
	defer func() {
		if r := recover(); r != nil {
			failure, ok := r.(error)
			var syntax *Error
			if !ok || !errors.As(failure, &syntax) {
				panic(r)
			}
			e, err = nil, syntax
		}
	}()
	e = production()
	if p.peek().kind != endToken {
		p.fail("found %v where an operator or the end is expected", p.peek())
	}
	return e, nil
}

func (p *parser) fail(format string, args ...any) {
	panic(&Error{p.peek().at, fmt.Sprintf(format, args...)})
}

func (p *parser) peek() token { return p.tokens[p.next] }

// peekAfter is the token n places behind the next one.
func (p *parser) peekAfter(n int) token { return p.tokens[min(p.next+n, len(p.tokens)-1)] }

func (p *parser) take() token {
	t := p.tokens[p.next]
	if t.kind != endToken {
		p.next++
	}
	return t
}

func (t token) isSymbol(s string) bool { return t.kind == symbolToken && t.text == s }

func (t token) isWord(s string) bool { return t.kind == nameToken && t.prefix == "" && t.text == s }

// accept takes the next token if it is the symbol s.
func (p *parser) accept(s string) bool {
	if !p.peek().isSymbol(s) {
		return false
	}
	p.next++
	return true
}

func (p *parser) want(s string) {
	if !p.accept(s) {
		p.fail("found %v where '%s' is expected", p.peek(), s)
	}
}

func (p *parser) wantWord(s string) {
	if !p.peek().isWord(s) {
		p.fail("found %v where '%s' is expected", p.peek(), s)
	}
	p.next++
}

func (p *parser) qname() Name {
	t := p.peek()
	if t.kind != nameToken {
		p.fail("found %v where a name is expected", t)
	}
	p.next++
	return Name{t.prefix, t.text}
}

// expr reads a comma list (production 2).
func (p *parser) expr() Expr {
	at := p.peek().at
	first := p.exprSingle()
	if !p.peek().isSymbol(",") {
		return first
	}
	items := []Expr{first}
	for p.accept(",") {
		items = append(items, p.exprSingle())
	}
	return &Sequence{At(at), items}
}

// exprSingle reads an expression without comma (production 3).
func (p *parser) exprSingle() Expr {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("the expression is nested too deeply")
	}
	defer func() { p.nesting-- }()
	t := p.peek()
	variable := p.peekAfter(1).isSymbol("$")
	switch {
	case variable && t.isWord("for"):
		p.take()
		return p.forBinding(t.at)
	case variable && (t.isWord("some") || t.isWord("every")):
		p.take()
		return p.quantified(t.at, t.text == "every")
	case t.isWord("if") && p.peekAfter(1).isSymbol("("):
		return p.ifExpr()
	}
	return p.binary(0)
}

// binding reads $name in expression.
func (p *parser) binding() (Name, Expr) {
	p.want("$")
	name := p.qname()
	p.wantWord("in")
	return name, p.exprSingle()
}

func (p *parser) forBinding(at int) Expr {
	p.chain()
	name, in := p.binding()
	if p.accept(",") {
		return &For{At(at), name, in, p.forBinding(p.peek().at)}
	}
	p.wantWord("return")
	return &For{At(at), name, in, p.exprSingle()}
}

func (p *parser) quantified(at int, every bool) Expr {
	p.chain()
	name, in := p.binding()
	if p.accept(",") {
		return &Quantified{At(at), every, name, in, p.quantified(p.peek().at, every)}
	}
	p.wantWord("satisfies")
	return &Quantified{At(at), every, name, in, p.exprSingle()}
}

func (p *parser) ifExpr() Expr {
	at := p.take().at
	p.want("(")
	cond := p.expr()
	p.want(")")
	p.wantWord("then")
	yes := p.exprSingle()
	p.wantWord("else")
	return &If{At(at), cond, yes, p.exprSingle()}
}

// level is a level of precedence: its operators as written, and whether they may follow each other. Comparisons and ranges do
// not: a = b = c is no expression (productions 10 and 11).
type level struct {
	ops    map[string]Op
	single bool
}

// levels are the binary operators from the weakest to the strongest (A.4).
var levels = []level{
	{ops: map[string]Op{"or": Or}},
	{ops: map[string]Op{"and": And}},
	{single: true, ops: map[string]Op{
		"eq": Eq, "ne": Ne, "lt": Lt, "le": Le, "gt": Gt, "ge": Ge,
		"=": GeneralEq, "!=": GeneralNe, "<": GeneralLt, "<=": GeneralLe, ">": GeneralGt, ">=": GeneralGe,
		"is": Is, "<<": Precedes, ">>": Follows}},
	{single: true, ops: map[string]Op{"to": To}},
	{ops: map[string]Op{"+": Add, "-": Subtract}},
	{ops: map[string]Op{"*": Multiply, "div": Divide, "idiv": IntegerDivide, "mod": Modulo}},
	{ops: map[string]Op{"|": Union, "union": Union}},
	{ops: map[string]Op{"intersect": Intersect, "except": Except}},
}

// chain counts an operator that makes the tree deeper without nesting in the text.
func (p *parser) chain() {
	if p.chained++; p.chained > maxChained {
		p.fail("the expression has too many operators")
	}
}

// binary reads operators of the given level and all stronger ones.
func (p *parser) binary(depth int) Expr {
	if depth == len(levels) {
		return p.typed(InstanceOf)
	}
	l, at := levels[depth], p.peek().at
	left := p.binary(depth + 1)
	for {
		op, ok := l.operator(p.peek())
		if !ok {
			return left
		}
		p.take()
		p.chain()
		left = &Binary{At(at), op, left, p.binary(depth + 1)}
		if l.single {
			return left
		}
	}
}

func (l level) operator(t token) (Op, bool) {
	if t.kind != symbolToken && (t.kind != nameToken || t.prefix != "") {
		return 0, false
	}
	op, ok := l.ops[t.text]
	return op, ok
}

// typeWords are the operators on types as written, in the order of TypeOp, which is that of precedence.
var typeWords = [...][2]string{{"instance", "of"}, {"treat", "as"}, {"castable", "as"}, {"cast", "as"}}

// typed reads an operator on types, or what binds stronger.
func (p *parser) typed(op TypeOp) Expr {
	if int(op) == len(typeWords) {
		return p.unary()
	}
	at := p.peek().at
	operand := p.typed(op + 1)
	if !p.peek().isWord(typeWords[op][0]) || !p.peekAfter(1).isWord(typeWords[op][1]) {
		return operand
	}
	p.next += 2
	if op == CastableAs || op == CastAs {
		return &Typed{At(at), op, operand, p.singleType()}
	}
	return &Typed{At(at), op, operand, p.sequenceType()}
}

func (p *parser) unary() Expr {
	at, signs, minus := p.peek().at, 0, false
	for ; p.peek().isSymbol("-") || p.peek().isSymbol("+"); signs++ {
		minus = minus != (p.take().text == "-")
	}
	operand := p.path()
	if signs == 0 {
		return operand
	}
	return &Unary{At(at), minus, operand}
}
