package xpath

import (
	"net/url"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// uriFunctions are the functions of F&O 2.5, 7.4.10 to 7.4.12, 8.1 and 15.5 about URIs and the documents behind them. Those that
// are hidden get the base URI as last argument.
var uriFunctions = []entry{
	{name: "encode-for-uri", params: "xs:string?", result: "xs:string", text: onText(escaper(isUnreserved))},
	{name: "iri-to-uri", params: "xs:string?", result: "xs:string", text: onText(escaper(isURIChar))},
	{name: "escape-html-uri", params: "xs:string?", result: "xs:string", text: onText(escaper(isPrintable))},
	{name: "resolve-uri", params: "xs:string? xs:string", result: "xs:anyURI?", impl: itemFunc(resolveURI)},
	{name: "static-base-uri", params: "xs:string", result: "xs:anyURI?", impl: itemFunc(staticBaseURI), hidden: true},
	{name: "doc", params: "xs:string? xs:string", result: "node()?", impl: itemFunc(loadDoc), hidden: true},
	{name: "doc-available", params: "xs:string? xs:string", result: "xs:boolean", impl: itemFunc(docAvailable), hidden: true},
	{name: "document", params: "item()* xs:string", result: "node()*", impl: sequenceFunc(loadDocuments), hidden: true, xslt: true},
	{name: "collection", result: "node()*", impl: sequenceFunc(noCollection)},
	{name: "collection", params: "xs:string? xs:string", result: "node()*", impl: sequenceFunc(noCollection), hidden: true},
}

const hexDigits = "0123456789ABCDEF"

// escaper makes a function that writes the octets of all characters but those that keep holds for as %XX.
func escaper(keep func(c byte) bool) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			if keep(s[i]) {
				b.WriteByte(s[i])
				continue
			}
			b.WriteByte('%')
			b.WriteByte(hexDigits[s[i]>>4])
			b.WriteByte(hexDigits[s[i]&15])
		}
		return b.String()
	}
}

func isLetterOrDigit(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

func isUnreserved(c byte) bool { return isLetterOrDigit(c) || strings.IndexByte("-_.~", c) >= 0 }

func isURIChar(c byte) bool { return c > ' ' && c < 0x7F && strings.IndexByte(`<>"{}|\^`+"`", c) < 0 }

func isPrintable(c byte) bool { return c >= ' ' && c < 0x7F }

// resolveReference resolves a URI reference against a base URI (RFC 3986, 5). Without a base the reference stands for itself.
// The scheme keeps the spelling of the base, which package url would write in lower case.
func resolveReference(ref, base string) (string, error) {
	r, err := url.Parse(ref)
	if err != nil || base == "" || r.IsAbs() {
		return ref, err
	}
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	resolved := b.ResolveReference(r).String()
	if n := len(b.Scheme); strings.EqualFold(resolved[:n], base[:n]) {
		resolved = base[:n] + resolved[n:]
	}
	return resolved, nil
}

// isReference tells whether s has only characters that a URI or IRI may have.
func isReference(s string) bool { return !strings.ContainsAny(s, " <>\"{}|\\^`") }

func resolveURI(m *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.Item{}
	}
	ref, base := args[0].Text(), args[1].Text()
	if r, err := url.Parse(ref); err == nil && r.IsAbs() {
		return xdm.URI(ref)
	}
	if base == "" {
		m.fail("FONS0005", "there is no base URI")
	}
	if b, err := url.Parse(base); err != nil || !b.IsAbs() || b.Opaque != "" || b.Fragment != "" {
		m.fail("FORG0002", "%q is no absolute URI", base)
	}
	resolved, err := resolveReference(ref, base)
	if err != nil || !isReference(ref) {
		m.fail("FORG0002", "%q is no URI", ref)
	}
	return xdm.URI(resolved)
}

func staticBaseURI(_ *Machine, args []xdm.Item) xdm.Item {
	if args[0].Text() == "" {
		return xdm.Item{}
	}
	return xdm.URI(args[0].Text())
}

func loadDoc(m *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() {
		return xdm.Item{}
	}
	uri, err := resolveReference(args[0].Text(), args[1].Text())
	if err != nil || strings.ContainsRune(uri, '#') {
		m.fail("FODC0005", "%q is no URI of a document", args[0].Text())
	}
	return node{m.load(uri, "FODC0002"), 0}.item()
}

func docAvailable(m *Machine, args []xdm.Item) (available xdm.Item) {
	if !args[0].Exists() {
		return xdm.False
	}
	uri, err := resolveReference(args[0].Text(), args[1].Text())
	if err != nil {
		m.fail("FODC0005", "%q is no URI", args[0].Text())
	}
	if _, ok := m.loaded[uri]; ok {
		return xdm.True
	}
	if m.config.Load == nil {
		return xdm.False
	}
	_, err = m.config.Load(uri)
	return xdm.Bool(err == nil)
}

// loadDocuments is document() of XSLT 2.0, 16.1, with one argument.
func loadDocuments(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	for _, i := range args[0] {
		uri, err := resolveReference(String(i), args[1][0].Text())
		if err != nil {
			m.fail("FODC0005", "%q is no URI", String(i))
		}
		out = append(out, node{m.load(uri, "FODC0002"), 0}.item())
	}
	return sortNodeItems(out)
}

// noCollection fails, as there are no collections.
func noCollection(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	m.fail("FODC0002", "there is no such collection")
	return out
}
