package xpath

import "github.com/einvoiced/einvoiced/core/engine/xpath/xdm"

// booleanFunctions are the functions of F&O 9 and 15.1 that give truth values about their argument as it is.
var booleanFunctions = []entry{
	{name: "true", result: "xs:boolean"}, // the resolver makes literals of these two
	{name: "false", result: "xs:boolean"},
	{name: "not", params: "item()*", result: "xs:boolean", truth: func(k *compiler, args []expr) boolFunc {
		return negated(k.truth(args[0]))
	}},
	{name: "boolean", params: "item()*", result: "xs:boolean", truth: func(k *compiler, args []expr) boolFunc {
		return k.truth(args[0])
	}},
	{name: "exists", params: "item()*", result: "xs:boolean", truth: func(k *compiler, args []expr) boolFunc {
		return boolFunc(k.exists(args[0]))
	}},
	{name: "empty", params: "item()*", result: "xs:boolean", truth: func(k *compiler, args []expr) boolFunc {
		return negated(boolFunc(k.exists(args[0])))
	}},
}

func negated(truth boolFunc) boolFunc {
	return func(m *Machine, f node) bool { return !truth(m, f) }
}

// onTexts makes a truth hook for a function of two strings, where a missing one is empty.
func onTexts(test func(a, b string) bool) truthHook {
	return func(k *compiler, args []expr) boolFunc {
		if len(args) != 2 {
			return nil
		}
		left, right := k.text(args[0]), k.text(args[1])
		return func(m *Machine, f node) bool {
			a := left(m, f)
			return test(a, right(m, f))
		}
	}
}

// boolItem gives a function of two strings a result of xs:boolean. A third argument is a collation.
func boolItem(test func(a, b string) bool) itemFunc {
	return func(m *Machine, args []xdm.Item) xdm.Item {
		if len(args) > 2 {
			m.collation(args[2].Text())
		}
		return xdm.Bool(test(args[0].Text(), args[1].Text()))
	}
}

// collation refuses all collations but that by code point.
func (m *Machine) collation(uri string) {
	if uri != codepointOrder {
		m.fail("FOCH0002", "the collation %q is not supported", uri)
	}
}
