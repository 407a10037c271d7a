// Package sbdh wraps documents in the envelope of the Peppol network, takes them out, and checks envelopes: the Standard Business Document
// Header 1.3 of UN/CEFACT with the rules of the Peppol Business Message Envelope 2.0, and for what is no XML the elements BinaryContent
// and TextContent (Peppol envelope 1.2).
//
// Unwrapping is lenient, because a document is what it is whatever was written on its envelope. Checking is strict.
package sbdh

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/peppol"
)

// Namespace is that of the envelope.
const Namespace = "http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"

// ContentNamespace is that of the elements that hold what is no XML.
const ContentNamespace = "http://peppol.eu/xsd/ticc/envelope/1.0"

const (
	envelopeName = "StandardBusinessDocument"
	headerName   = "StandardBusinessDocumentHeader"
)

// Header is what an envelope says.
type Header struct {
	Sender, Receiver peppol.Participant
	DocumentType     peppol.DocumentType
	Process          peppol.Process
	Instance         string    // globally unique id of the envelope, which the network calls the message's
	Country          string    // of who sends (COUNTRY_C1), two letters
	Created          time.Time // to the second
}

// Is tells whether a document is an envelope, or the header of one.
func Is(doc *xmltree.Document) bool {
	root := doc.Root()
	return doc.Namespace(root) == Namespace && (doc.Local(root) == envelopeName || doc.Local(root) == headerName)
}

// ErrEmpty says that an envelope holds nothing.
var ErrEmpty = errors.New("the envelope (SBDH) holds no document")

// Unwrap gives the document in an envelope: XML with the namespaces that it had there, or the bytes of what is no XML. The error is
// ErrEmpty, or says that the content is no base64.
func Unwrap(doc *xmltree.Document) ([]byte, error) {
	n := payloadOf(doc)
	if n == xmltree.None {
		return nil, ErrEmpty
	}
	if doc.Namespace(n) == ContentNamespace {
		return contentOf(doc, n)
	}
	return doc.Cut(n), nil
}

// payloadOf is the first element beside the header, or None.
func payloadOf(doc *xmltree.Document) xmltree.Node {
	if doc.Local(doc.Root()) != envelopeName {
		return xmltree.None
	}
	for c, end := doc.Children(doc.Root()); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && !(doc.Namespace(c) == Namespace && doc.Local(c) == headerName) {
			return c
		}
	}
	return xmltree.None
}

// contentOf gives what BinaryContent or TextContent holds.
func contentOf(doc *xmltree.Document, n xmltree.Node) ([]byte, error) {
	if doc.Local(n) == "TextContent" {
		return []byte(doc.String(n)), nil
	}
	plain := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\r' || r == '\n' {
			return -1
		}
		return r
	}, doc.String(n))
	data, err := base64.StdEncoding.DecodeString(plain)
	if err != nil {
		return nil, fmt.Errorf("read the BinaryContent of the envelope: %w", err)
	}
	if len(data) == 0 {
		return nil, ErrEmpty
	}
	return data, nil
}

var quote = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")

// Wrap puts a document of XML into an envelope. Its prolog is left out; the rest stands there byte for byte. The same header and document
// give the same bytes. The error says that the document cannot be read.
func Wrap(h Header, document []byte) ([]byte, error) {
	doc, err := xmltree.Parse(document, xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("wrap a document: %w", err)
	}
	defer doc.Release()
	source, root := doc.Source(), doc.Root()
	end := len(source)
	if after := doc.NextSibling(root); after != xmltree.None {
		end = doc.Offset(after)
	}
	end = strings.LastIndexByte(string(source[:end]), '>') + 1
	var b strings.Builder
	b.Grow(len(source) + 3000)
	h.write(&b)
	b.Write(source[doc.Offset(root):end])
	b.WriteString("</sh:" + envelopeName + ">\n")
	return []byte(b.String()), nil
}

// write writes the envelope up to the document.
func (h Header) write(b *strings.Builder) {
	fmt.Fprintf(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sh:%s xmlns:sh=\"%s\"><sh:%s><sh:HeaderVersion>1.0</sh:HeaderVersion>", envelopeName, Namespace, headerName)
	for _, partner := range []struct {
		name string
		id   peppol.Participant
	}{{"Sender", h.Sender}, {"Receiver", h.Receiver}} {
		fmt.Fprintf(b, `<sh:%s><sh:Identifier Authority="%s">%s</sh:Identifier></sh:%s>`, partner.name, peppol.ParticipantScheme, quote.Replace(partner.id.String()), partner.name)
	}
	b.WriteString("<sh:DocumentIdentification>")
	for _, leaf := range [][2]string{{"Standard", h.DocumentType.Standard()}, {"TypeVersion", h.DocumentType.Version()}, {"InstanceIdentifier", h.Instance},
		{"Type", h.DocumentType.Local()}, {"CreationDateAndTime", h.Created.UTC().Format(time.RFC3339)}} {
		fmt.Fprintf(b, "<sh:%s>%s</sh:%s>", leaf[0], quote.Replace(leaf[1]), leaf[0])
	}
	b.WriteString("</sh:DocumentIdentification><sh:BusinessScope>")
	for _, s := range [][3]string{{"DOCUMENTID", h.DocumentType.Value, h.DocumentType.Scheme}, {"PROCESSID", h.Process.Value, h.Process.Scheme}, {"COUNTRY_C1", h.Country, ""}} {
		fmt.Fprintf(b, "<sh:Scope><sh:Type>%s</sh:Type><sh:InstanceIdentifier>%s</sh:InstanceIdentifier>", s[0], quote.Replace(s[1]))
		if s[2] != "" {
			fmt.Fprintf(b, "<sh:Identifier>%s</sh:Identifier>", quote.Replace(s[2]))
		}
		b.WriteString("</sh:Scope>")
	}
	fmt.Fprintf(b, "</sh:BusinessScope></sh:%s>", headerName)
}
