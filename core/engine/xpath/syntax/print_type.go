package syntax

func (p *printer) nodeTest(t NodeTest) {
	switch {
	case t.Kind != NameTest:
		p.kindTest(t)
	case t.AnyPrefix && t.AnyLocal:
		p.put("*")
	case t.AnyPrefix:
		p.put("*:", t.Name.Local)
	case t.AnyLocal:
		p.put(t.Name.Prefix, ":*")
	default:
		p.put(t.Name.String())
	}
}

// kindText are the tests by kind as written, in the order of TestKind.
var kindText = [...]string{"", "node", "document-node", "element", "attribute", "text", "comment", "processing-instruction",
	"schema-element", "schema-attribute"}

func (p *printer) kindTest(t NodeTest) {
	p.put(kindText[t.Kind], "(")
	switch t.Kind {
	case DocumentTest:
		if t.Inner != nil {
			p.kindTest(*t.Inner)
		}
	case ElementTest, AttributeTest:
		p.nameAndType(t)
	case ProcessingInstructionTest:
		if t.Named {
			p.literal(&Literal{Kind: StringLiteral, Text: t.Name.Local})
		}
	case SchemaElementTest, SchemaAttributeTest:
		p.put(t.Name.String())
	}
	p.put(")")
}

func (p *printer) nameAndType(t NodeTest) {
	if t.AnyLocal {
		p.put("*")
	} else {
		p.put(t.Name.String())
	}
	if t.Type == nil {
		return
	}
	p.put(", ", t.Type.String())
	if t.Nillable {
		p.put("?")
	}
}

func (p *printer) sequenceType(t SequenceType) {
	switch {
	case t.Empty:
		p.put("empty-sequence()")
	case t.AnyItem:
		p.put("item()")
	case t.Atomic != nil:
		p.put(t.Atomic.String())
	case t.Test != nil:
		p.kindTest(*t.Test)
	}
	if t.Occurrence != 0 {
		p.WriteByte(t.Occurrence)
	}
}
