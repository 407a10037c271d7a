package syntax

// nodeTest reads a test by name or by kind (production 35).
func (p *parser) nodeTest() NodeTest {
	t := p.peek()
	switch {
	case p.accept("*"):
		return NodeTest{AnyPrefix: true, AnyLocal: true}
	case t.kind == wildToken:
		p.take()
		if t.prefix == "*" {
			return NodeTest{Name: Name{Local: t.text}, AnyPrefix: true}
		}
		return NodeTest{Name: Name{Prefix: t.prefix}, AnyLocal: true}
	case t.isKindTest() && p.peekAfter(1).isSymbol("("):
		return p.kindTest()
	}
	return NodeTest{Name: p.qname()}
}

// kindTest reads a test by kind (production 54).
func (p *parser) kindTest() NodeTest {
	test := NodeTest{Kind: kindTests[p.take().text]}
	p.want("(")
	switch test.Kind {
	case DocumentTest:
		p.documentContent(&test)
	case ElementTest, AttributeTest:
		p.nameAndType(&test)
	case ProcessingInstructionTest:
		p.target(&test)
	case SchemaElementTest, SchemaAttributeTest:
		test.Name = p.qname()
	}
	p.want(")")
	return test
}

func (p *parser) documentContent(test *NodeTest) {
	t := p.peek()
	if t.isWord("element") || t.isWord("schema-element") {
		inner := p.kindTest()
		test.Inner = &inner
	}
}

// nameAndType reads what stands in the parentheses of element() and attribute().
func (p *parser) nameAndType(test *NodeTest) {
	switch {
	case p.peek().isSymbol(")"):
		test.AnyPrefix, test.AnyLocal = true, true
		return
	case p.accept("*"):
		test.AnyPrefix, test.AnyLocal = true, true
	default:
		test.Name = p.qname()
	}
	if p.accept(",") {
		name := p.qname()
		test.Type = &name
		test.Nillable = test.Kind == ElementTest && p.accept("?")
	}
}

func (p *parser) target(test *NodeTest) {
	t := p.peek()
	if t.kind == stringToken || t.kind == nameToken && t.prefix == "" {
		p.take()
		test.Named, test.Name.Local = true, t.text
	}
}

// singleType reads the type of a cast (production 49).
func (p *parser) singleType() SequenceType {
	name := p.qname()
	t := SequenceType{Atomic: &name}
	if p.accept("?") {
		t.Occurrence = '?'
	}
	return t
}

// sequenceType reads a type with its occurrence indicator (production 50).
func (p *parser) sequenceType() SequenceType {
	t := p.peek()
	call := p.peekAfter(1).isSymbol("(")
	if call && t.isWord("empty-sequence") {
		p.parentheses()
		return SequenceType{Empty: true}
	}
	item := p.itemType()
	for _, indicator := range []string{"?", "*", "+"} {
		if p.accept(indicator) {
			item.Occurrence = indicator[0]
			break
		}
	}
	return item
}

func (p *parser) itemType() SequenceType {
	t := p.peek()
	switch call := p.peekAfter(1).isSymbol("("); {
	case call && t.isWord("item"):
		p.parentheses()
		return SequenceType{AnyItem: true}
	case call && t.isKindTest():
		test := p.kindTest()
		return SequenceType{Test: &test}
	}
	name := p.qname()
	return SequenceType{Atomic: &name}
}

// parentheses takes a name and the empty parentheses behind it.
func (p *parser) parentheses() {
	p.take()
	p.want("(")
	p.want(")")
}
