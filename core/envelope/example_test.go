package envelope_test

import (
	"archive/zip"
	"bytes"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/envelope"
)

// A signed Italian invoice as it comes by mail (.p7m), in base64: the document is taken out, whoever has signed it.
func ExampleOpen() {
	type inner struct {
		Type asn1.ObjectIdentifier
		Data []byte `asn1:"explicit,tag:0"`
	}
	type signed struct {
		Version int
		Digests []asn1.RawValue `asn1:"set"`
		Content inner
		Signers []asn1.RawValue `asn1:"set"`
	}
	file, err := asn1.Marshal(struct {
		Type    asn1.ObjectIdentifier
		Content signed `asn1:"explicit,tag:0"`
	}{
		Type: asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}, // signed data, RFC 5652
		Content: signed{Version: 1, Content: inner{
			Type: asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1},
			Data: []byte(`<p:FatturaElettronica versione="FPA12">…</p:FatturaElettronica>`),
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	document, err := envelope.Open([]byte(base64.StdEncoding.EncodeToString(file)))
	fmt.Println(string(document), err)
	_, err = envelope.Open([]byte("<Invoice/>"))
	fmt.Println(err)
	// Output:
	// <p:FatturaElettronica versione="FPA12">…</p:FatturaElettronica> <nil>
	// the data is no signed envelope (CMS)
}

// A Czech invoice that travels with a photo of the goods: the archive says which file is the document.
func ExampleUnpack() {
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for _, entry := range [][2]string{
		{"manifest.xml", `<manifest xmlns="http://isdoc.cz/namespace/2013/manifest"><maindocument filename="FV-2026-0019.isdoc"/></manifest>`},
		{"FV-2026-0019.isdoc", `<Invoice xmlns="http://isdoc.cz/namespace/2013" version="6.0.2"/>`},
		{"photo.jpg", "…"},
	} {
		w, err := archive.Create(entry[0])
		if err != nil {
			log.Fatal(err)
		}
		if _, err := w.Write([]byte(entry[1])); err != nil {
			log.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		log.Fatal(err)
	}
	packed, err := envelope.Unpack(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(packed.Name, packed.Others)
	fmt.Println(string(packed.XML))
	// Output:
	// FV-2026-0019.isdoc [photo.jpg]
	// <Invoice xmlns="http://isdoc.cz/namespace/2013" version="6.0.2"/>
}
