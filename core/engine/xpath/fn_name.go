package xpath

import (
	"github.com/einvoiced/einvoiced/core/engine/xmlname"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// nameFunctions are the functions of F&O 11 that need no node.
var nameFunctions = []entry{
	{name: "QName", params: "xs:string? xs:string", result: "xs:QName", impl: itemFunc(makeQName)},
	{name: "prefix-from-QName", params: "xs:QName?", result: "xs:NCName?", impl: onName(func(n xdm.Name) xdm.Item {
		return ncName(n.Prefix)
	})},
	{name: "local-name-from-QName", params: "xs:QName?", result: "xs:NCName?", impl: onName(func(n xdm.Name) xdm.Item {
		return ncName(n.Local)
	})},
	{name: "namespace-uri-from-QName", params: "xs:QName?", result: "xs:anyURI?", impl: onName(func(n xdm.Name) xdm.Item {
		return xdm.URI(n.Space)
	})},
}

func onName(fn func(xdm.Name) xdm.Item) itemFunc {
	return func(_ *Machine, args []xdm.Item) xdm.Item {
		if !args[0].Exists() {
			return xdm.Item{}
		}
		return fn(args[0].Name())
	}
}

// ncName is a part of a name as xs:NCName, or nothing for an empty one.
func ncName(s string) xdm.Item {
	i, err := xdm.Parse(s, xdm.NCName)
	if err != nil {
		return xdm.Item{}
	}
	return i
}

func makeQName(m *Machine, args []xdm.Item) xdm.Item {
	space, text := args[0].Text(), args[1].Text()
	prefix, local, ok := xmlname.SplitQName(text)
	if !ok || prefix != "" && space == "" {
		m.fail("FOCA0002", "%q is no qualified name in the namespace %q", text, space)
	}
	return xdm.QualifiedName(xdm.Name{Space: space, Local: local, Prefix: prefix})
}

// parseQName reads a qualified name whose prefix lookup resolves. Errors are FORG0001 for the form and FONS0004 for the prefix.
func parseQName(text string, lookup func(prefix string) (string, bool)) (xdm.Name, error) {
	prefix, local, ok := xmlname.SplitQName(xdm.Collapse(text))
	if !ok {
		return xdm.Name{}, xdm.Errorf("FORG0001", "%q is no qualified name", text)
	}
	space, ok := lookup(prefix)
	if !ok {
		return xdm.Name{}, xdm.Errorf("FONS0004", "the prefix %q is not declared", prefix)
	}
	return xdm.Name{Space: space, Local: local, Prefix: prefix}, nil
}
