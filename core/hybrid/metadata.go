package hybrid

import (
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// maxMetadata is how many bytes the metadata may have.
const maxMetadata = 4 << 20

// metadata is what the metadata of a PDF (XMP, ISO 16684-1) says of PDF/A and of the invoice.
type metadata struct {
	part    string // pdfaid:part
	invoice string // DocumentFileName of the extension schema of Factur-X or ZUGFeRD
}

// pdfaNamespace is that of the identification of PDF/A (ISO 19005-3 §6.6.4).
const pdfaNamespace = "http://www.aiim.org/pdfa/ns/id/"

// metadata reads the metadata; what cannot be read says nothing.
func (d *Document) metadata() (m metadata) {
	stream := d.file.Stream(d.catalog["Metadata"])
	if stream == nil {
		return m
	}
	data, err := d.file.Decode(stream, maxMetadata)
	if err != nil {
		return m
	}
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		return m
	}
	defer doc.Release()
	for n := range doc.Len() {
		m.take(doc, xmltree.Node(n))
	}
	return m
}

// take looks at one property, which XMP writes as an element or an attribute.
func (m *metadata) take(doc *xmltree.Document, n xmltree.Node) {
	kind := doc.Kind(n)
	if kind != xmltree.KindElement && kind != xmltree.KindAttribute {
		return
	}
	switch local := doc.Local(n); { // the first counts, so that elements in each other are not read again and again
	case local == "part" && m.part == "" && doc.Namespace(n) == pdfaNamespace:
		m.part = doc.String(n)
	case local == "DocumentFileName" && m.invoice == "":
		m.invoice = doc.String(n)
	}
}
