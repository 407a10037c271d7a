package peppol

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// ErrUnregistered says that the network does not know a participant, or that the participant does not take a document type.
var ErrUnregistered = errors.New("is not registered in the network")

// Entry is what the network knows of a participant.
type Entry struct {
	SMP           string // address of the service metadata publisher
	DocumentTypes []DocumentType
}

// Metadata is what an SMP tells of one document type of a participant (SMP specification 1.x, clause 2.3).
type Metadata struct {
	Participant  string // with its scheme
	DocumentType string // with its scheme
	Endpoints    []Endpoint
	Redirect     string // address of another SMP that has it; empty where this one has
}

// Endpoint is where a document of a process is to be sent.
type Endpoint struct {
	Process   string // with its scheme
	Transport string // e.g. peppol-transport-as4-v2_0
	URL       string
	From      time.Time // zero: no bound
	Until     time.Time // zero: no bound
}

// ErrMetadata says that an answer of an SMP is none; it is wrapped with what is wrong.
var ErrMetadata = errors.New("the answer of the service metadata publisher cannot be read")

const smpNamespace = "http://busdox.org/serviceMetadata/publishing/1.0/"

// ParseGroup reads the list of document types of a participant. References to other places than document types are left out. The error wraps
// ErrMetadata.
func ParseGroup(data []byte) ([]DocumentType, error) {
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	defer doc.Release()
	root := doc.Root()
	if doc.Local(root) != "ServiceGroup" || doc.Namespace(root) != smpNamespace {
		return nil, fmt.Errorf("%w: it is no ServiceGroup", ErrMetadata)
	}
	list := []DocumentType{}
	references := doc.ChildNamed(root, "ServiceMetadataReferenceCollection")
	if references == xmltree.None {
		return list, nil
	}
	for c, end := doc.Children(references); c < end; c = doc.End(c) {
		if doc.Kind(c) != xmltree.KindElement {
			continue
		}
		href, _ := doc.AttrValue(c, "href")
		_, segment, ok := lastCut(string(href), "/services/")
		if text, err := url.PathUnescape(segment); ok && err == nil {
			if d, err := ParseDocumentType(text); err == nil {
				list = append(list, d)
			}
		}
	}
	return list, nil
}

// ParseMetadata reads the answer for one document type; its signature is checked by CheckSignature. The error wraps ErrMetadata.
func ParseMetadata(data []byte) (Metadata, error) {
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		return Metadata{}, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	defer doc.Release()
	root := doc.Root()
	metadata := root
	if doc.Local(root) == "SignedServiceMetadata" {
		metadata = doc.ChildNamed(root, "ServiceMetadata")
	}
	if metadata == xmltree.None || doc.Local(metadata) != "ServiceMetadata" || doc.Namespace(root) != smpNamespace {
		return Metadata{}, fmt.Errorf("%w: it is no ServiceMetadata", ErrMetadata)
	}
	if redirect := doc.ChildNamed(metadata, "Redirect"); redirect != xmltree.None {
		href, _ := doc.AttrValue(redirect, "href")
		return Metadata{Redirect: string(href)}, nil
	}
	info := doc.ChildNamed(metadata, "ServiceInformation")
	if info == xmltree.None {
		return Metadata{}, fmt.Errorf("%w: there is neither ServiceInformation nor Redirect", ErrMetadata)
	}
	m := Metadata{Participant: identifierAt(doc, info, "ParticipantIdentifier"), DocumentType: identifierAt(doc, info, "DocumentIdentifier")}
	for _, process := range within(doc, info, "ProcessList", "Process") {
		for _, e := range within(doc, process, "ServiceEndpointList", "Endpoint") {
			transport, _ := doc.AttrValue(e, "transportProfile")
			m.Endpoints = append(m.Endpoints, Endpoint{Process: identifierAt(doc, process, "ProcessIdentifier"), Transport: string(transport),
				URL: textAt(doc, e, "EndpointReference/Address"), From: timeAt(doc, e, "ServiceActivationDate"), Until: timeAt(doc, e, "ServiceExpirationDate")})
		}
	}
	return m, nil
}

// within gives the elements of a name in the list of a name.
func within(doc *xmltree.Document, n xmltree.Node, list, name string) (found []xmltree.Node) {
	if n = doc.ChildNamed(n, list); n == xmltree.None {
		return nil
	}
	for c, end := doc.Children(n); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && doc.Local(c) == name {
			found = append(found, c)
		}
	}
	return found
}

// identifierAt is an identifier with the scheme of its attribute in front.
func identifierAt(doc *xmltree.Document, n xmltree.Node, name string) string {
	c := doc.ChildNamed(n, name)
	if c == xmltree.None {
		return ""
	}
	scheme, _ := doc.AttrValue(c, "scheme")
	return string(scheme) + "::" + strings.TrimSpace(doc.String(c))
}

// timeAt is a time; zero where there is none that can be read.
func timeAt(doc *xmltree.Document, n xmltree.Node, name string) time.Time {
	text := textAt(doc, n, name)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02Z07:00", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Takes tells whether the participant takes the document type in the process, at the moment now; the error is ErrUnregistered, with what is
// missing. Case does not matter in the participant.
func (m Metadata) Takes(p Participant, d DocumentType, process Process, now time.Time) error {
	if !strings.EqualFold(m.Participant, p.URI()) || m.DocumentType != d.URI() {
		return fmt.Errorf("%w: the answer is for %s and %s", ErrMetadata, m.Participant, m.DocumentType)
	}
	for _, e := range m.Endpoints {
		if e.Process == process.URI() && e.Transport == TransportProfileV2 && !now.Before(e.From) && (e.Until.IsZero() || now.Before(e.Until)) {
			return nil
		}
	}
	return fmt.Errorf("%s %w for the process %s over %s", p, ErrUnregistered, process.Value, TransportProfileV2)
}
