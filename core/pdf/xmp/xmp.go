// Package xmp writes the metadata of PDF files (XMP, ISO 16684-1) as PDF/A-3 (ISO 19005-3 §6.6) and Factur-X ask for it, and adds to metadata
// that is there.
package xmp

import (
	"strconv"
	"time"

	"github.com/beevik/etree"
)

// FacturX is what the metadata says of the embedded invoice (Factur-X 1.0 §6, ZUGFeRD 2.x technical supplement).
type FacturX struct {
	DocumentType     string // INVOICE
	DocumentFileName string // of the embedded file, e.g. factur-x.xml
	Version          string // of the schema of the XML: 1.0 for all Factur-X 1.x and ZUGFeRD 2.x
	ConformanceLevel string // MINIMUM, BASIC WL, BASIC, EN 16931, EXTENDED or XRECHNUNG
}

// Packet is the metadata of a file. What is empty is left out.
type Packet struct {
	Part        int       // pdfaid:part: the part of ISO 19005 that the file says to follow; zero for none
	Conformance string    // pdfaid:conformance: A, B or U
	UA          int       // pdfuaid:part: the part of ISO 14289 (PDF/UA); zero for none
	Title       string    // dc:title; as Title of the document information dictionary
	Description string    // dc:description; as Subject
	Language    string    // dc:language, a tag of RFC 5646
	Creators    []string  // dc:creator; as Author
	Keywords    string    // pdf:Keywords; as Keywords
	Producer    string    // pdf:Producer; as Producer
	CreatorTool string    // xmp:CreatorTool; as Creator
	Created     time.Time // xmp:CreateDate; as CreationDate
	Modified    time.Time // xmp:ModifyDate and xmp:MetadataDate; as ModDate
	FacturX     *FacturX
}

// Bytes gives the metadata as the stream of a file has it: UTF-8, in a packet. The same values give the same bytes.
func (p Packet) Bytes() []byte {
	m := empty()
	m.describe(p)
	if p.UA > 0 {
		m.description(pdfuaid).text("part", strconv.Itoa(p.UA))
		m.extend(uaSchema)
	}
	if p.Part > 0 {
		m.identify(p.Part, p.Conformance)
	}
	if p.FacturX != nil {
		m.invoice(*p.FacturX)
	}
	return m.bytes()
}

// describe writes the properties that the document information dictionary has too.
func (m *metadata) describe(p Packet) {
	dc := m.description(dublinCore)
	dc.alternative("title", p.Title)
	dc.alternative("description", p.Description)
	dc.list("creator", "Seq", p.Creators)
	if p.Language != "" {
		dc.list("language", "Bag", []string{p.Language})
	}
	pdf := m.description(adobePDF)
	pdf.text("Producer", p.Producer)
	pdf.text("Keywords", p.Keywords)
	basic := m.description(xmpBasic)
	basic.text("CreatorTool", p.CreatorTool)
	basic.text("CreateDate", date(p.Created))
	basic.text("ModifyDate", date(p.Modified))
	basic.text("MetadataDate", date(p.Modified))
	for _, d := range []description{dc, pdf, basic} {
		if len(d.ChildElements()) == 0 {
			m.rdf.RemoveChild(d.Element)
		}
	}
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// Merge adds to metadata what a file with an embedded invoice says: that it follows PDF/A-3, and which invoice it has. What else is there
// stays; what was said of another invoice, or of another part of PDF/A, goes. Metadata that cannot be read gives an error, which names
// the reason.
func Merge(data []byte, invoice FacturX) ([]byte, error) {
	m, err := parse(data)
	if err != nil {
		return nil, err
	}
	m.identify(3, m.conformance())
	m.forget()
	m.invoice(invoice)
	return m.bytes(), nil
}

// empty is metadata that says nothing.
func empty() *metadata {
	doc := etree.NewDocument()
	meta := doc.CreateElement("x:xmpmeta")
	meta.CreateAttr("xmlns:x", "adobe:ns:meta/")
	rdf := meta.CreateElement("rdf:RDF")
	rdf.CreateAttr("xmlns:rdf", rdfNamespace)
	return newMetadata(meta, rdf)
}
