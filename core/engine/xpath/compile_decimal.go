package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// Rules read amounts as "if (normalize-space(string($v)) castable as xs:decimal) then xs:decimal(normalize-space(string($v))) else 0".
// Neither the text nor the one without white space is needed for that: reading a number ignores white space around it (XML Schema
// part 2, 4.3.6), and the text of a decimal reads as that decimal.

// decimalFunc reads the only item of an expression as xs:decimal. Where it is none, i is nothing and text what stands there; some is
// false where there is no item.
type decimalFunc func(m *Machine, f node) (i xdm.Item, text string, some bool)

// readDecimal compiles reading the operand of a cast to xs:decimal, or of a question for one; nil for other casts.
func (k *compiler) readDecimal(e *cast) decimalFunc {
	if e.to != xdm.Decimal {
		return nil
	}
	if a, ok := e.operand.(*atomize); ok {
		return k.readNode(a.operand, e.castable)
	}
	if arg, ok := normalized(e.operand); ok && !k.isKept(e.operand) {
		return k.readText(arg)
	}
	if t := e.operand.info().typ; t.kinds.within(stringKinds|bit(xdm.UntypedAtomic)) && t.occurs == oneItem {
		return k.readText(e.operand)
	}
	return nil
}

// readNode reads the only node of an expression. Several are an error, but not to the question whether they can be read: nil where
// there may be several, and for what is no node.
func (k *compiler) readNode(e expr, question bool) decimalFunc {
	if t := e.info().typ; !t.nodes() || question && !t.single() {
		return nil
	}
	only := k.onlyNode(e)
	return func(m *Machine, f node) (xdm.Item, string, bool) {
		if f = only(m, f); f.t == nil {
			return xdm.Item{}, "", false
		}
		i, text := m.decimalOf(f)
		return i, text, true
	}
}

// A number is read by many rules, a few times in a row: a machine keeps what it read last, at the place that the node's number gives.

// lastRead is the number that a node was found to be.
type lastRead struct {
	at    node
	value xdm.Item
}

// placesRead is a power of two: enough for what one line of an invoice and its neighbours hold.
const placesRead = 256

// decimalOf reads the value of a node as xs:decimal. Where it is none, i is nothing and text what stands there.
func (m *Machine) decimalOf(f node) (i xdm.Item, text string) {
	last := &m.read[f.n%placesRead]
	if last.at == f {
		return last.value, ""
	}
	i, text, _ = readText(m, f.value())
	if i.Exists() {
		last.at, last.value = f, i
	}
	return i, text
}

// readText reads a text, of which no item is the empty one.
func (k *compiler) readText(e expr) decimalFunc {
	if c, ok := e.(*call); ok && c.fn.name == "string" && !k.isKept(e) && textOfString(k, c.args) == nil {
		one := k.one(c.args[0])
		return func(m *Machine, f node) (xdm.Item, string, bool) {
			i := one(m, f)
			if d, ok := i.AsDecimal(); ok {
				return d, "", true
			}
			return readText(m, String(i))
		}
	}
	text := k.text(e)
	return func(m *Machine, f node) (xdm.Item, string, bool) { return readText(m, text(m, f)) }
}

func readText(m *Machine, text string) (i xdm.Item, read string, some bool) {
	m.tick(len(text) / textStep)
	i, _ = xdm.ParseDecimal(text)
	return i, text, true
}

// decimalRead makes a cast of a decimalFunc.
func decimalRead(read decimalFunc, optional bool) oneFunc {
	return func(m *Machine, f node) xdm.Item {
		i, text, some := read(m, f)
		switch {
		case i.Exists():
		case some:
			_, err := xdm.Parse(text, xdm.Decimal)
			m.check(err)
		case !optional:
			m.fail("XPTY0004", "an empty value cannot be cast to %v", xdm.Decimal)
		}
		return i
	}
}
