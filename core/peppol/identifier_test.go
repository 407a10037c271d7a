package peppol

import (
	"errors"
	"os"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// TestParticipants ensures what is an identifier of a participant, and that both ways to write it mean the same.
func TestParticipants(t *testing.T) {
	for text, want := range map[string]string{
		"0088:7315458756324": "0088:7315458756324", "iso6523-actorid-upis::9915:test": "9915:test", "0204:991-33333TEST-33": "0204:991-33333TEST-33",
		"88:1": "", "0088": "", "0088:": "", "busdox::0088:1": "", "0088:a b": "", "0088:ä": "", "0088:a/b": "", "0088:a:b": "", "": "",
	} {
		p, err := ParseParticipant(text)
		if want == "" {
			if !errors.Is(err, ErrIdentifier) {
				t.Errorf("%q: %v %v", text, p, err)
			}
			continue
		}
		if err != nil || p.String() != want {
			t.Errorf("%q: %v %v", text, p, err)
		}
	}
}

// TestNamesInDNS ensures the names by which look-ups find participants: those that public tools give for 9915:test.
func TestNamesInDNS(t *testing.T) {
	p := Participant{"9915", "TEST"}
	if got, want := p.OldName("acc.edelivery.tech.ec.europa.eu"), "B-85008b8279e07ab0392da75fa55856a2.iso6523-actorid-upis.acc.edelivery.tech.ec.europa.eu"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := p.Name("edelivery.tech.ec.europa.eu"), "EH5BOAVAKTMBGZYH2A63DZ4QOV33FVP5NSDVQKLUCFRAAYOODW6A.iso6523-actorid-upis.edelivery.tech.ec.europa.eu"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDocumentTypes ensures the parts of document types, those of files that are no XML included.
func TestDocumentTypes(t *testing.T) {
	d, err := ParseDocumentType("busdox-docid-qns::" + ublInvoice + "::Invoice##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1")
	if err != nil || d.Standard() != ublInvoice || d.Local() != "Invoice" || d.Version() != "2.1" || d.Customisation() != "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0" {
		t.Errorf("%+v %v", d, err)
	}
	d, err = ParseDocumentType("urn:peppol:doctype:pdf+xml##urn:cen.eu:en16931:2017#conformant#urn:peppol:france:billing:Factur-X:1.0::D22B")
	if err != nil || d.Standard() != "urn:peppol:doctype:pdf+xml" || d.Local() != "" || d.Version() != "D22B" {
		t.Errorf("%+v %v", d, err)
	}
	for _, bad := range []string{"", "Invoice", "a::b##c", "##c::1", "a##b::"} {
		if _, err := ParseDocumentType(bad); !errors.Is(err, ErrIdentifier) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	path := MetadataPath(Participant{"0088", "ABC"}, DocumentType{DocumentScheme, "a::b##c@d+e::2.1"})
	if want := "/iso6523-actorid-upis%3A%3A0088%3Aabc/services/busdox-docid-qns%3A%3Aa%3A%3Ab%23%23c%40d%2Be%3A%3A2.1"; path != want {
		t.Errorf("%s, want %s", path, want)
	}
}

// TestKindOfADocument ensures what is derived from an invoice for its way through the network.
func TestKindOfADocument(t *testing.T) {
	data, err := os.ReadFile("../../testdata/documents/peppol-bis.xml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := KindOf(doc)
	if err != nil || k.DocumentType.Local() != "Invoice" || k.Process.Value != billing || k.Country == "" || k.Number == "" || k.Receiver.ID == "" {
		t.Errorf("%+v %v", k, err)
	}
	if doc, err = xmltree.Parse([]byte("<a/>"), xmltree.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := KindOf(doc); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
}
