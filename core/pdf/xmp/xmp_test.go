package xmp

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

var invoice = FacturX{DocumentType: "INVOICE", DocumentFileName: "factur-x.xml", Version: "1.0", ConformanceLevel: "EN 16931"}

// said lists the simple properties of metadata as {namespace}name=value, and the namespaces of extension schemas.
func said(t *testing.T, data []byte) (list []string) {
	t.Helper()
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	for i := range doc.Len() {
		n := xmltree.Node(i)
		kind := doc.Kind(n)
		if kind == xmltree.KindElement && !strings.Contains(doc.String(n), "\n") || kind == xmltree.KindAttribute {
			if value := strings.TrimSpace(doc.String(n)); value != "" {
				list = append(list, "{"+doc.Namespace(n)+"}"+doc.Local(n)+"="+value)
			}
		}
	}
	return list
}

// count counts a property with its value.
func count(list []string, ns namespace, name, value string) (n int) {
	for _, s := range list {
		if s == "{"+ns.uri+"}"+name+"="+value {
			n++
		}
	}
	return n
}

// TestPacket_SaysAll ensures that each value is written as the property that PDF/A and Factur-X name, and that all properties beyond those
// of PDF/A are described.
func TestPacket_SaysAll(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := Packet{Part: 3, Conformance: "B", UA: 1, Title: "Invoice <1> & more\x01", Description: "D", Language: "de-AT", Creators: []string{"A & B", "C"},
		Keywords: "K", Producer: "P", CreatorTool: "T", Created: at, Modified: at, FacturX: &invoice}
	data := p.Bytes()
	list := said(t, data)
	for _, want := range []struct {
		namespace
		name, value string
	}{
		{pdfaid, "part", "3"}, {pdfaid, "conformance", "B"}, {pdfuaid, "part", "1"}, {dublinCore, "title", "Invoice <1> & more"},
		{dublinCore, "description", "D"}, {dublinCore, "language", "de-AT"}, {adobePDF, "Keywords", "K"}, {adobePDF, "Producer", "P"},
		{xmpBasic, "CreatorTool", "T"}, {xmpBasic, "CreateDate", "2026-01-02T03:04:05Z"}, {xmpBasic, "ModifyDate", "2026-01-02T03:04:05Z"},
		{facturX, "DocumentType", "INVOICE"}, {facturX, "DocumentFileName", "factur-x.xml"}, {facturX, "Version", "1.0"},
		{facturX, "ConformanceLevel", "EN 16931"}, {pdfaSchema, "namespaceURI", facturX.uri}, {pdfaSchema, "namespaceURI", pdfuaid.uri},
		{namespace{"", rdfNamespace}, "li", "A & B"}, {pdfaProperty, "name", "ConformanceLevel"},
	} {
		if n := count(list, want.namespace, want.name, want.value); n != 1 {
			t.Errorf("%s:%s %q stands there %d times", want.prefix, want.name, want.value, n)
		}
	}
	if !bytes.HasPrefix(data, []byte(packetBegin)) || !bytes.HasSuffix(data, []byte(packetEnd)) || !bytes.Equal(data, p.Bytes()) {
		t.Errorf("%s", data)
	}
}

// TestPacket_LeavesOutWhatIsEmpty ensures that no property stands there without a value.
func TestPacket_LeavesOutWhatIsEmpty(t *testing.T) {
	if list := said(t, Packet{}.Bytes()); len(list) != 0 {
		t.Errorf("%q", list)
	}
}

// carrier is metadata as programs write it: properties as attributes, another invoice, another part of PDF/A, a schema of its own.
const carrier = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d" bytes="9"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
 <r:Description r:about="uuid:1" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="Maker"/>
 <r:Description r:about="uuid:1" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="PART" pdfaid:conformance="LEVEL"/>
 <r:Description r:about="uuid:1" xmlns:zf="urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#"><zf:DocumentFileName>ZUGFeRD-invoice.xml</zf:DocumentFileName></r:Description>
 <r:Description r:about="uuid:1" xmlns:e="http://www.aiim.org/pdfa/ns/extension/" xmlns:s="http://www.aiim.org/pdfa/ns/schema#"><e:schemas><r:Bag>
  <r:li r:parseType="Resource"><s:schema>old</s:schema><s:namespaceURI>urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#</s:namespaceURI></r:li>
  <r:li><r:Description s:schema="mine" s:namespaceURI="urn:mine"/></r:li>
 </r:Bag></e:schemas></r:Description>
</r:RDF></x:xmpmeta>
<?xpacket end="w"?>`

func carrierOf(part, level string) []byte {
	return []byte(strings.NewReplacer("PART", part, "LEVEL", level).Replace(carrier))
}

// TestMerge_KeepsWhatIsNotOfTheInvoice ensures that a merge replaces what was said of an invoice, once, and leaves the rest.
func TestMerge_KeepsWhatIsNotOfTheInvoice(t *testing.T) {
	data, err := Merge(carrierOf("1", "B"), invoice)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // a merge of what was merged changes nothing
		list := said(t, data)
		for _, want := range []struct {
			namespace
			name, value string
			times       int
		}{
			{adobePDF, "Producer", "Maker", 1}, {pdfaSchema, "namespaceURI", "urn:mine", 1}, {pdfaSchema, "namespaceURI", facturX.uri, 1},
			{pdfaid, "part", "3", 1}, {pdfaid, "part", "1", 0}, {facturX, "DocumentFileName", "factur-x.xml", 1}, {pdfaSchema, "schema", "old", 0},
			{namespace{"", rdfNamespace}, "about", "uuid:1", 4},
		} {
			if n := count(list, want.namespace, want.name, want.value); n != want.times {
				t.Errorf("%s %q stands there %d times, want %d", want.name, want.value, n, want.times)
			}
		}
		if bytes.Contains(data, []byte("bytes=")) || bytes.Contains(data, []byte("urn:ferd")) {
			t.Errorf("%s", data)
		}
		again, err := Merge(data, invoice)
		if err != nil || len(again) != len(data) {
			t.Errorf("%v\n%s\n%s", err, data, again)
		}
		data = again
	}
}

// TestMerge_KeepsTheLevelOfPDFA ensures that a file keeps the level that it has in a part with the same levels.
func TestMerge_KeepsTheLevelOfPDFA(t *testing.T) {
	for _, test := range []struct{ part, level, want string }{{"3", "A", "A"}, {"2", "U", "U"}, {"1", "A", "B"}, {"3", "X", "B"}, {"", "", "B"}} {
		data, err := Merge(carrierOf(test.part, test.level), invoice)
		if err != nil || count(said(t, data), pdfaid, "conformance", test.want) != 1 {
			t.Errorf("%+v: %v\n%s", test, err, data)
		}
	}
}

// TestMerge_Encodings ensures that metadata in UTF-16, with a declaration or without a wrapper, is read.
func TestMerge_Encodings(t *testing.T) {
	_, rdf, _ := strings.Cut(carrier, `adobe:ns:meta/">`)
	rdf, _, _ = strings.Cut(rdf, "</x:xmpmeta>")
	wide := []byte{0xFE, 0xFF}
	for _, c := range []byte(carrier) {
		wide = append(wide, 0, c)
	}
	for name, data := range map[string][]byte{
		"default":    []byte(strings.NewReplacer("r:about", "xml:base", "xmlns:r=", "xmlns=", "<r:", "<", "</r:", "</", "r:parse", "s:parse").Replace(carrier)),
		"no wrapper": []byte(rdf), "declared": []byte(`<?xml version="1.0" encoding="ISO-8859-1"?>` + rdf), "UTF-16": wide,
	} {
		merged, err := Merge(data, invoice)
		if err != nil || count(said(t, merged), adobePDF, "Producer", "Maker") != 1 ||
			count(said(t, merged), namespace{"", rdfNamespace}, "parseType", "Resource") < 5 {
			t.Errorf("%s: %v\n%s", name, err, merged)
		}
	}
}

// TestMerge_Refuses ensures that what is no metadata is an error.
func TestMerge_Refuses(t *testing.T) {
	for _, data := range []string{"", "<a/>", "<a", "<!DOCTYPE a><a/>", `<x:xmpmeta xmlns:x="adobe:ns:meta/"><RDF/></x:xmpmeta>`} {
		if merged, err := Merge([]byte(data), invoice); err == nil {
			t.Errorf("%s became %s", data, merged)
		}
	}
}

// FuzzMerge ensures that metadata from outside gives an error or metadata that can be read and merged again, never a panic.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(carrier))
	f.Add(Packet{Part: 3, UA: 1, FacturX: &invoice}.Bytes())
	f.Add([]byte(`<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Description/></RDF>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		merged, err := Merge(data, invoice)
		if err != nil {
			return
		}
		if _, err := Merge(merged, invoice); err != nil {
			t.Errorf("%v\n%s", err, merged)
		}
	})
}
