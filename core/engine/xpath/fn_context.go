package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// contextFunctions are the functions of F&O 3, 4 and 16 and current() of XSLT 2.0, 16.6.1.
var contextFunctions = []entry{
	{name: "position", result: "xs:integer", needs: needsPosition, one: func(*compiler, []expr) oneFunc { return position }},
	{name: "last", result: "xs:integer", needs: needsLast, one: func(*compiler, []expr) oneFunc { return last }},
	{name: "current", result: "node()", needs: needsCurrent, xslt: true, one: func(*compiler, []expr) oneFunc { return current }},
	{name: "default-collation", result: "xs:string", impl: itemFunc(func(*Machine, []xdm.Item) xdm.Item { return xdm.Text(codepointOrder) })},
	{name: "error", result: "none", impl: sequenceFunc(raise), needs: needsDocument},
	{name: "error", params: "xs:QName", result: "none", impl: sequenceFunc(raise), needs: needsDocument},
	{name: "error", params: "xs:QName? xs:string", result: "none", impl: sequenceFunc(raise), needs: needsDocument},
	{name: "error", params: "xs:QName? xs:string item()*", result: "none", impl: sequenceFunc(raise), needs: needsDocument},
	{name: "trace", params: "item()* xs:string", result: "1*", impl: sequenceFunc(same), keepsOrder: true},
}

func position(m *Machine, _ node) xdm.Item {
	if m.pos == 0 {
		m.fail("XPDY0002", "there is no context item")
	}
	return xdm.Int64(int64(m.pos))
}

func last(m *Machine, _ node) xdm.Item {
	if m.size == 0 {
		m.fail("XPDY0002", "there is no context item")
	}
	return xdm.Int64(int64(m.size))
}

func current(m *Machine, _ node) xdm.Item {
	if m.current.t == nil {
		m.fail("XTDE1360", "there is no current node")
	}
	return m.current.item()
}

// raise is fn:error. The code is the local part of the name given.
func raise(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	code, reason := "FOER0000", "fn:error was called"
	if len(args) > 0 && len(args[0]) > 0 {
		code = args[0][0].Name().Local
	}
	if len(args) > 1 {
		reason = args[1][0].Text()
	}
	m.fail(code, "%s", reason)
	return out
}
