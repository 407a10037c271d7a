package syntax

// path reads a path (production 25).
func (p *parser) path() Expr {
	at := p.peek().at
	switch {
	case p.accept("//"):
		steps := p.relative([]Expr{anyDescendant(at)})
		return &Path{At(at), true, steps}
	case p.accept("/"):
		if !p.peek().startsStep() {
			return &Path{At: At(at), Rooted: true}
		}
		return &Path{At(at), true, p.relative(nil)}
	}
	steps := p.relative(nil)
	if len(steps) == 1 {
		return steps[0]
	}
	return &Path{At(at), false, steps}
}

// relative reads steps and appends them.
func (p *parser) relative(steps []Expr) []Expr {
	steps = append(steps, p.step())
	for {
		if len(steps) > maxNesting {
			p.fail("the path has too many steps")
		}
		at := p.peek().at
		switch {
		case p.accept("//"):
			steps = append(steps, anyDescendant(at), p.step())
		case p.accept("/"):
			steps = append(steps, p.step())
		default:
			return steps
		}
	}
}

// anyDescendant is the step that // stands for.
func anyDescendant(at int) Expr {
	return &Step{At: At(at), Axis: DescendantOrSelf, Test: NodeTest{Kind: AnyKindTest}}
}

// startsStep tells whether a step may begin with t. After a single slash whatever may begin a step does (A.1.2, constraint
// leading-lone-slash).
func (t token) startsStep() bool {
	if t.kind != symbolToken {
		return t.kind != endToken
	}
	switch t.text {
	case "*", "@", ".", "..", "(", "$":
		return true
	}
	return false
}

// step reads an axis step or a primary expression with its predicates (production 27).
func (p *parser) step() Expr {
	t := p.peek()
	if s, ok := p.axisStep(); ok {
		s.Predicates = p.predicates()
		return s
	}
	base := p.primary()
	if predicates := p.predicates(); predicates != nil {
		return &Filter{At(t.at), base, predicates}
	}
	return base
}

func (p *parser) predicates() []Expr {
	var list []Expr
	for p.accept("[") {
		list = append(list, p.expr())
		p.want("]")
	}
	return list
}

var axes = map[string]Axis{
	"child": Child, "descendant": Descendant, "descendant-or-self": DescendantOrSelf, "self": Self, "attribute": Attribute,
	"parent": Parent, "ancestor": Ancestor, "ancestor-or-self": AncestorOrSelf, "following": Following,
	"following-sibling": FollowingSibling, "preceding": Preceding, "preceding-sibling": PrecedingSibling,
	"namespace": Namespace,
}

// kindTests are the names before a parenthesis that begin a node test.
var kindTests = map[string]TestKind{
	"node": AnyKindTest, "document-node": DocumentTest, "element": ElementTest, "attribute": AttributeTest, "text": TextTest,
	"comment": CommentTest, "processing-instruction": ProcessingInstructionTest,
	"schema-element": SchemaElementTest, "schema-attribute": SchemaAttributeTest,
}

// reserved are names before a parenthesis that are neither a node test nor a function (A.3).
var reserved = map[string]bool{"empty-sequence": true, "if": true, "item": true, "typeswitch": true}

// axisStep reads a step without its predicates; false, with nothing taken, when the next tokens do not begin one.
func (p *parser) axisStep() (*Step, bool) {
	t := p.peek()
	s := &Step{At: At(t.at)}
	switch {
	case p.accept(".."):
		s.Axis, s.Test.Kind = Parent, AnyKindTest
		return s, true
	case p.accept("@"):
		s.Axis, s.Test = Attribute, p.nodeTest()
		return s, true
	case t.kind == nameToken && p.peekAfter(1).isSymbol("::"):
		s.Axis = p.axis()
		s.Test = p.nodeTest()
		return s, true
	case t.kind == wildToken, t.isSymbol("*"), t.kind == nameToken && (!p.peekAfter(1).isSymbol("(") || t.isKindTest()):
		s.Test = p.nodeTest()
		if s.Test.Kind == AttributeTest || s.Test.Kind == SchemaAttributeTest {
			s.Axis = Attribute
		}
		return s, true
	}
	return nil, false
}

func (t token) isKindTest() bool {
	_, ok := kindTests[t.text]
	return ok && t.prefix == ""
}

func (p *parser) axis() Axis {
	t := p.peek()
	axis, ok := axes[t.text]
	if !ok || t.prefix != "" {
		p.fail("found %v where an axis is expected", t)
	}
	p.next += 2
	return axis
}

// primary reads a primary expression (production 41).
func (p *parser) primary() Expr {
	t := p.peek()
	switch {
	case t.kind == stringToken:
		p.take()
		return &Literal{At(t.at), StringLiteral, t.text}
	case t.kind == numberToken:
		p.take()
		return &Literal{At(t.at), t.literal, t.text}
	case t.kind == nameToken:
		return p.call()
	case p.accept("$"):
		return &VarRef{At(t.at), p.qname()}
	case p.accept("."):
		return &ContextItem{At(t.at)}
	case p.accept("("):
		return p.parenthesized(t.at)
	}
	p.fail("found %v where an expression is expected", t)
	return nil
}

func (p *parser) parenthesized(at int) Expr {
	if p.accept(")") {
		return &Sequence{At: At(at)}
	}
	e := p.expr()
	p.want(")")
	return e
}

func (p *parser) call() Expr {
	t := p.peek()
	if t.prefix == "" && reserved[t.text] {
		p.fail("%v is not the name of a function", t)
	}
	c := &Call{At: At(t.at), Name: p.qname()}
	p.want("(")
	if p.accept(")") {
		return c
	}
	c.Args = append(c.Args, p.exprSingle())
	for p.accept(",") {
		c.Args = append(c.Args, p.exprSingle())
	}
	p.want(")")
	return c
}
