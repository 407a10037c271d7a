package xpath

// joined compiles an expression to the string values of its items with a separator between them.
func (k *compiler) joined(e expr, separator string) textFunc {
	if i := e.info(); i.typ.single() {
		one := k.one(e)
		return func(m *Machine, f node) string { return String(one(m, f)) }
	}
	items := k.sequence(e)
	return func(m *Machine, f node) string {
		var text []byte
		for n, i := range items(m, f) {
			if n > 0 {
				text = append(text, separator...)
			}
			s := String(i)
			m.tick(len(s) / textStep)
			if len(text)+len(s) > mostText {
				m.build(len(text) + len(s))
			}
			text = append(text, s...)
		}
		return string(text)
	}
}

// text compiles an expression whose only item is a string, untyped or a URI.
func (k *compiler) text(e expr) textFunc {
	if k.isKeptValue(e) {
		one := k.one(e)
		return func(m *Machine, f node) string { return one(m, f).Text() }
	}
	switch e := e.(type) {
	case *literal:
		text := e.item.Text()
		return func(*Machine, node) string { return text }
	case *conditional:
		return choose(k.truth(e.cond), k.text(e.yes), k.text(e.no))
	case *call:
		if e.fn.text != nil {
			if text := e.fn.text(k, e.args); text != nil {
				return text
			}
		}
	case *convert:
		if text := k.textConverted(e); text != nil {
			return text
		}
	case *atomize:
		if text := k.textOfNode(e.operand); text != nil {
			return text
		}
	}
	one := k.one(e)
	return func(m *Machine, f node) string { return one(m, f).Text() }
}
