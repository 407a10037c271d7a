package xmp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// identify says which part and level of PDF/A the file follows, in place of what was said before.
func (m *metadata) identify(part int, conformance string) {
	m.remove(func(uri string) bool { return uri == pdfaid.uri })
	d := m.description(pdfaid)
	d.text("part", strconv.Itoa(part))
	d.text("conformance", conformance)
}

// conformance is the level that the file keeps as it becomes PDF/A-3: the parts 2 and 3 have the same levels, and the part that is no such
// promise is B.
func (m *metadata) conformance() string {
	level := m.value(pdfaid.uri, "conformance")
	if part := m.value(pdfaid.uri, "part"); (part == "2" || part == "3") && (level == "A" || level == "U") {
		return level
	}
	return "B"
}

// value gives a simple property, which is an attribute or an element of a description; empty where there is none.
func (m *metadata) value(uri, local string) string {
	for _, d := range m.descriptions() {
		if value := attribute(d, uri, local); value != "" {
			return value
		}
		for _, e := range d.ChildElements() {
			if e.Tag == local && e.NamespaceURI() == uri {
				return strings.TrimSpace(e.Text())
			}
		}
	}
	return ""
}

// invoice says which invoice is embedded, and describes the properties that say it.
func (m *metadata) invoice(v FacturX) {
	d := m.description(facturX)
	d.text("DocumentType", v.DocumentType)
	d.text("DocumentFileName", v.DocumentFileName)
	d.text("Version", v.Version)
	d.text("ConformanceLevel", v.ConformanceLevel)
	m.extend(facturXSchema)
}

// ofInvoice tells whether a namespace describes an invoice.
func ofInvoice(uri string) bool {
	return slices.ContainsFunc(invoiceNamespaces, func(begin string) bool { return strings.HasPrefix(uri, begin) })
}

// forget removes what is said of invoices, and the schemas that describe it.
func (m *metadata) forget() {
	m.remove(ofInvoice)
	for _, bag := range m.bags() {
		for _, li := range bag.ChildElements() {
			if ofInvoice(described(li)) {
				bag.RemoveChild(li)
			}
		}
	}
}

// remove removes the properties of some namespaces, and the descriptions that were of nothing else.
func (m *metadata) remove(which func(uri string) bool) {
	for _, d := range m.descriptions() {
		removed := false
		for _, e := range d.ChildElements() {
			if which(e.NamespaceURI()) {
				d.RemoveChild(e)
				removed = true
			}
		}
		for _, a := range slices.Clone(d.Attr) {
			if a.Space != "" && a.Space != "xmlns" && which(a.NamespaceURI()) {
				d.RemoveAttr(a.FullKey())
				removed = true
			}
		}
		if removed && saysNothing(d) {
			m.rdf.RemoveChild(d)
		}
	}
}

// saysNothing tells whether a description has no property left.
func saysNothing(d *etree.Element) bool {
	return len(d.ChildElements()) == 0 && !slices.ContainsFunc(d.Attr, func(a etree.Attr) bool {
		return a.Space != "xmlns" && a.Key != "xmlns" && a.NamespaceURI() != rdfNamespace && a.NamespaceURI() != xmlNamespace
	})
}

// bags are the lists of extension schemas that are there (ISO 19005-3 §6.6.2.3.2).
func (m *metadata) bags() (list []*etree.Element) {
	for _, d := range m.descriptions() {
		for _, e := range d.ChildElements() {
			if e.Tag == "schemas" && e.NamespaceURI() == extension.uri {
				list = append(list, e.ChildElements()...)
			}
		}
	}
	return list
}

// described is the namespace that an extension schema is of.
func described(li *etree.Element) string {
	if uri := attribute(li, pdfaSchema.uri, "namespaceURI"); uri != "" {
		return uri
	}
	for _, e := range append(li.ChildElements(), li.FindElements("*/*")...) {
		if e.Tag == "namespaceURI" && e.NamespaceURI() == pdfaSchema.uri {
			return strings.TrimSpace(e.Text())
		}
	}
	return ""
}

// extend adds an extension schema to the list that is there, or to a new one.
func (m *metadata) extend(s schema) {
	var bag *etree.Element
	if bags := m.bags(); len(bags) > 0 {
		bag = bags[0]
	} else {
		bag = m.description(extension).property("schemas").CreateElement(m.name("Bag"))
	}
	li := m.resource(bag, pdfaSchema)
	field(li, pdfaSchema, "schema", s.description)
	field(li, pdfaSchema, "namespaceURI", s.uri)
	field(li, pdfaSchema, "prefix", s.prefix)
	properties := li.CreateElement(prefixed(pdfaSchema.prefix, "property")).CreateElement(m.name("Seq"))
	for _, p := range s.properties {
		entry := m.resource(properties, pdfaProperty)
		field(entry, pdfaProperty, "name", p.name)
		field(entry, pdfaProperty, "valueType", p.valueType)
		field(entry, pdfaProperty, "category", p.category)
		field(entry, pdfaProperty, "description", p.description)
	}
}

// resource adds a structure to a list.
func (m *metadata) resource(list *etree.Element, ns namespace) *etree.Element {
	li := list.CreateElement(m.name("li"))
	li.CreateAttr(m.name("parseType"), "Resource")
	li.CreateAttr("xmlns:"+ns.prefix, ns.uri)
	return li
}

func field(of *etree.Element, ns namespace, name, value string) {
	of.CreateElement(prefixed(ns.prefix, name)).SetText(value)
}
