package xmp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// metadata is metadata in the making.
type metadata struct {
	root   *etree.Element // x:xmpmeta, or rdf:RDF itself
	rdf    *etree.Element // rdf:RDF
	prefix string         // of the namespace of RDF
}

// The processing instructions around metadata (ISO 16684-1 §7.3.2), without the attributes that ISO 19005-3 §6.6.2.1 forbids.
const (
	packetBegin = "<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
	packetEnd   = "\n<?xpacket end=\"w\"?>"
)

// bytes writes the metadata in its packet.
func (m *metadata) bytes() []byte {
	doc := etree.NewDocumentWithRoot(m.root)
	text, err := doc.WriteToString()
	if err != nil {
		panic(err) // strings take everything
	}
	return []byte(packetBegin + strings.TrimSpace(text) + packetEnd)
}

// parse reads metadata: under the limits of xmltree first, then as a tree that can be changed.
func parse(data []byte) (*metadata, error) {
	read, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	defer read.Release()
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(withoutDeclaration(read.Source())); err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	for _, e := range append([]*etree.Element{doc.Root()}, doc.Root().ChildElements()...) {
		if e.Tag == "RDF" && e.NamespaceURI() == rdfNamespace {
			return newMetadata(doc.Root(), e), nil
		}
	}
	return nil, fmt.Errorf("read the metadata: it has no rdf:RDF")
}

// newMetadata takes the prefix of RDF. Attributes need one, also where elements have none.
func newMetadata(root, rdf *etree.Element) *metadata {
	m := &metadata{root: root, rdf: rdf, prefix: rdf.Space}
	if m.prefix == "" {
		m.prefix = "rdf"
		rdf.CreateAttr("xmlns:"+m.prefix, rdfNamespace)
	}
	return m
}

// withoutDeclaration leaves out what says the encoding: xmltree gives UTF-8, whatever it was.
func withoutDeclaration(source []byte) []byte {
	text := strings.TrimPrefix(string(source), "\uFEFF")
	if strings.HasPrefix(text, "<?xml ") {
		_, text, _ = strings.Cut(text, "?>")
	}
	return []byte(text)
}

// description is an rdf:Description for the properties of one namespace.
type description struct {
	*etree.Element
	m  *metadata
	ns namespace
}

// description adds one. All are about the same, as the first that is there says.
func (m *metadata) description(ns namespace) description {
	about := ""
	for _, d := range m.descriptions() {
		about = attribute(d, rdfNamespace, "about")
		break
	}
	e := m.rdf.CreateElement(m.name("Description"))
	e.CreateAttr(m.name("about"), about)
	e.CreateAttr("xmlns:"+ns.prefix, ns.uri)
	return description{e, m, ns}
}

// name is a name of RDF with the prefix that the metadata has for it.
func (m *metadata) name(local string) string { return prefixed(m.prefix, local) }

func prefixed(prefix, local string) string { return prefix + ":" + local }

// descriptions are those that are there.
func (m *metadata) descriptions() []*etree.Element {
	return slices.DeleteFunc(m.rdf.ChildElements(), func(e *etree.Element) bool {
		return e.Tag != "Description" || e.NamespaceURI() != rdfNamespace
	})
}

// attribute gives an attribute by its namespace; empty where there is none.
func attribute(e *etree.Element, uri, local string) string {
	for i := range e.Attr {
		if e.Attr[i].Key == local && e.Attr[i].NamespaceURI() == uri {
			return e.Attr[i].Value
		}
	}
	return ""
}

// property adds one with its prefix; what it holds is up to the caller.
func (d description) property(name string) *etree.Element {
	return d.CreateElement(prefixed(d.ns.prefix, name))
}

// text adds a property, unless it is empty.
func (d description) text(name, value string) {
	if value != "" {
		d.property(name).SetText(clean(value))
	}
}

// alternative adds a property in one language, the default.
func (d description) alternative(name, value string) {
	if value == "" {
		return
	}
	li := d.property(name).CreateElement(d.m.name("Alt")).CreateElement(d.m.name("li"))
	li.CreateAttr("xml:lang", "x-default")
	li.SetText(clean(value))
}

// list adds a property with several values, unless there are none.
func (d description) list(name, kind string, values []string) {
	if len(values) == 0 {
		return
	}
	list := d.property(name).CreateElement(d.m.name(kind))
	for _, value := range values {
		list.CreateElement(d.m.name("li")).SetText(clean(value))
	}
}

// clean leaves out what no XML document can hold (XML 1.0 §2.2).
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
