package xpath

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// nodeFunctions are the functions of F&O 2, 14 and 15.5 about nodes.
var nodeFunctions = []entry{
	{name: "name", params: "node()?", result: "xs:string", text: onNode(func(f node) string { return textOf(f.t.doc.QName(f.n)) })},
	{name: "local-name", params: "node()?", result: "xs:string", text: onNode(func(f node) string { return f.t.doc.Local(f.n) })},
	{name: "namespace-uri", params: "node()?", result: "xs:anyURI", impl: itemFunc(namespaceURI)},
	{name: "node-name", params: "node()?", result: "xs:QName?", impl: itemFunc(nodeName)},
	{name: "nilled", params: "node()?", result: "xs:boolean?", impl: itemFunc(nilled)},
	{name: "root", params: "node()?", result: "node()?", impl: onNodeItem(func(f node) xdm.Item { return node{f.t, 0}.item() })},
	{name: "base-uri", params: "node()?", result: "xs:anyURI?", impl: onNodeItem(baseURI)},
	{name: "document-uri", params: "node()?", result: "xs:anyURI?", impl: onNodeItem(documentURI)},
	{name: "lang", params: "xs:string? node()", result: "xs:boolean", impl: itemFunc(lang)},
	{name: "id", params: "xs:string* node()", result: "element()*", impl: sequenceFunc(byID)},
	{name: "element-with-id", params: "xs:string* node()", result: "element()*", impl: sequenceFunc(byID)},
	{name: "idref", params: "xs:string* node()", result: "node()*", impl: sequenceFunc(noNodes)},
	{name: "in-scope-prefixes", params: "element()", result: "xs:string*", impl: sequenceFunc(inScopePrefixes)},
	{name: "namespace-uri-for-prefix", params: "xs:string? element()", result: "xs:anyURI?", impl: itemFunc(namespaceForPrefix)},
	{name: "resolve-QName", params: "xs:string? element()", result: "xs:QName?", impl: itemFunc(resolveQName)},
}

// onNode makes a text hook of a function of one node, empty for none.
func onNode(fn func(f node) string) textHook {
	return func(k *compiler, args []expr) textFunc {
		if args[0].info().typ.nodes() {
			only := k.onlyNode(args[0])
			return func(m *Machine, f node) string {
				if f = only(m, f); f.t == nil {
					return ""
				}
				return fn(f)
			}
		}
		one := k.one(args[0])
		return func(m *Machine, f node) string {
			i := one(m, f)
			if !i.Exists() {
				return ""
			}
			return fn(nodeOf(i))
		}
	}
}

// onNodeItem makes a function of one node that gives nothing for nothing.
func onNodeItem(fn func(f node) xdm.Item) itemFunc {
	return func(_ *Machine, args []xdm.Item) xdm.Item {
		if !args[0].Exists() {
			return xdm.Item{}
		}
		return fn(nodeOf(args[0]))
	}
}

func namespaceURI(_ *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.URI("")
	}
	f := nodeOf(args[0])
	return xdm.URI(f.t.doc.Namespace(f.n))
}

func nodeName(_ *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.Item{}
	}
	f := nodeOf(args[0])
	local := f.t.doc.Local(f.n)
	if local == "" {
		return xdm.Item{}
	}
	return xdm.QualifiedName(xdm.Name{Space: f.t.doc.Namespace(f.n), Local: local, Prefix: string(f.t.doc.Prefix(f.n))})
}

// nilled is false for every element, as no schema said otherwise.
func nilled(_ *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.Item{}
	}
	if f := nodeOf(args[0]); f.t.doc.Kind(f.n) != xmltree.KindElement {
		return xdm.Item{}
	}
	return xdm.False
}

// baseURI follows xml:base from the outermost element inwards (XML Base).
func baseURI(f node) xdm.Item {
	switch f.t.doc.Kind(f.n) {
	case xmltree.KindDocument:
		return documentURI(f)
	case xmltree.KindElement:
	default:
		p := f.t.doc.Parent(f.n)
		if p == xmltree.None {
			return xdm.Item{}
		}
		return baseURI(node{f.t, p})
	}
	outer := baseURI(node{f.t, f.t.doc.Parent(f.n)})
	base, ok := f.attribute(xmlSpace, "base")
	if !ok {
		return outer
	}
	if resolved, err := resolveReference(base, outer.Text()); err == nil {
		return xdm.URI(resolved)
	}
	return xdm.URI(base)
}

// attribute gives the value of an attribute by its expanded name.
func (f node) attribute(space, local string) (string, bool) {
	first, count := f.t.doc.Attributes(f.n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if f.t.doc.Local(a) == local && f.t.doc.Namespace(a) == space {
			return node{f.t, a}.value(), true
		}
	}
	return "", false
}

func documentURI(f node) xdm.Item {
	if f.n != 0 || f.t.uri == "" {
		return xdm.Item{}
	}
	return xdm.URI(f.t.uri)
}

// lang tells whether the nearest xml:lang is the language asked for or a variety of it.
func lang(_ *Machine, args []xdm.Item) xdm.Item {
	want := strings.ToLower(args[0].Text())
	for f := nodeOf(args[1]); ; {
		if f.t.doc.Kind(f.n) == xmltree.KindElement {
			if value, ok := f.attribute(xmlSpace, "lang"); ok {
				value = strings.ToLower(value)
				return xdm.Bool(value == want || strings.HasPrefix(value, want+"-"))
			}
		}
		p := f.t.doc.Parent(f.n)
		if p == xmltree.None {
			return xdm.False
		}
		f.n = p
	}
}

// byID finds elements by xml:id, the only attribute of type ID in a document without DTD and schema. Of several with one ID
// the first counts (F&O 15.5.2).
func byID(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	wanted := map[string]bool{}
	for _, i := range args[0] {
		for _, id := range strings.Fields(i.Text()) {
			wanted[id] = true
		}
	}
	f := nodeOf(args[1][0])
	run(m, f.t, 1, xmltree.Node(f.t.doc.Len()), func(_ *Machine, f node) bool {
		if f.t.doc.Kind(f.n) != xmltree.KindElement {
			return false
		}
		if id, ok := f.attribute(xmlSpace, "id"); ok && wanted[xdm.Collapse(id)] {
			delete(wanted, xdm.Collapse(id))
			out = append(out, f.item())
		}
		return false
	})
	return out
}

// noNodes is fn:idref: a document without DTD and schema has no attributes of type IDREF.
func noNodes(_ *Machine, _ [][]xdm.Item, out []xdm.Item) []xdm.Item { return out }

// inScopePrefixes goes outwards, so that the nearest declaration of a prefix counts: xmlns="" hides the default namespace of
// the elements around.
func inScopePrefixes(_ *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	f := nodeOf(args[0][0])
	out = append(out, xdm.Text("xml"))
	seen := map[string]bool{"xml": true}
	for n := f.n; n != xmltree.None; n = f.t.doc.Parent(n) {
		for prefix, uri := range f.t.doc.Declarations(n) {
			if !seen[prefix] && uri != "" {
				out = append(out, xdm.Text(prefix))
			}
			seen[prefix] = true
		}
	}
	return out
}

func namespaceForPrefix(_ *Machine, args []xdm.Item) xdm.Item {
	f := nodeOf(args[1])
	uri, ok := f.t.doc.LookupPrefix(f.n, args[0].Text())
	if !ok || uri == "" {
		return xdm.Item{}
	}
	return xdm.URI(uri)
}

// resolveQName is fn:resolve-QName, whose error for a text that is no name is FOCA0002 (F&O 11.1.1), where that of a cast is
// FORG0001.
func resolveQName(m *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.Item{}
	}
	f := nodeOf(args[1])
	name, err := parseQName(args[0].Text(), func(prefix string) (string, bool) {
		uri, ok := f.t.doc.LookupPrefix(f.n, prefix)
		return uri, ok || prefix == ""
	})
	if Code(err) == "FORG0001" {
		m.fail("FOCA0002", "%v", err)
	}
	m.check(err)
	return xdm.QualifiedName(name)
}
