package lab

import (
	"crypto"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	core "github.com/einvoiced/einvoiced/core/peppol"
)

// billing are the document types that every participant of the laboratory lists.
var billing = []string{
	"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1",
	"urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2::CreditNote##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1",
}

const metadataNamespace = "http://busdox.org/serviceMetadata/publishing/1.0/"

// publish answers as a service metadata publisher: every participant is registered but those whose id ends in -unknown, and takes every document
// type but for those in -unsupported, in the process of Peppol BIS Billing.
func (l *Lab) publish(w http.ResponseWriter, r *http.Request) {
	group, document, one := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/smp/"), "/services/")
	who, err := url.PathUnescape(group)
	p, wrong := core.ParseParticipant(who)
	if err != nil || wrong != nil || strings.HasSuffix(p.ID, "-unknown") || one && strings.HasSuffix(p.ID, "-unsupported") {
		l.say("smp   %s: 404", who)
		http.NotFound(w, r)
		return
	}
	body := l.group(r, p)
	if one {
		if body, err = l.metadata(p, document); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	l.say("smp   %s: 200, %d bytes", who, len(body))
	w.Header().Set("Content-Type", "application/xml")
	_, _ = w.Write(body)
}

func (l *Lab) group(r *http.Request, p core.Participant) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<ServiceGroup xmlns="%s" xmlns:ids="http://busdox.org/transport/identifiers/1.0/"><ids:ParticipantIdentifier scheme="%s">%s</ids:ParticipantIdentifier><ServiceMetadataReferenceCollection>`,
		metadataNamespace, core.ParticipantScheme, html.EscapeString(p.String()))
	for _, value := range billing {
		path := core.MetadataPath(p, core.DocumentType{Scheme: core.DocumentScheme, Value: value})
		fmt.Fprintf(&b, `<ServiceMetadataReference href="https://%s/smp%s"/>`, html.EscapeString(r.Host), html.EscapeString(path))
	}
	b.WriteString(`</ServiceMetadataReferenceCollection></ServiceGroup>`)
	return []byte(b.String())
}

// metadata is the signed answer for one document type.
func (l *Lab) metadata(p core.Participant, segment string) ([]byte, error) {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return nil, err
	}
	d, err := core.ParseDocumentType(text)
	if err != nil {
		return nil, err
	}
	doc := etree.NewDocument()
	err = doc.ReadFromString(fmt.Sprintf(`<SignedServiceMetadata xmlns="%s"><ServiceMetadata><ServiceInformation>`+
		`<ids:ParticipantIdentifier xmlns:ids="http://busdox.org/transport/identifiers/1.0/" scheme="%s">%s</ids:ParticipantIdentifier>`+
		`<ids:DocumentIdentifier xmlns:ids="http://busdox.org/transport/identifiers/1.0/" scheme="%s">%s</ids:DocumentIdentifier><ProcessList><Process>`+
		`<ids:ProcessIdentifier xmlns:ids="http://busdox.org/transport/identifiers/1.0/" scheme="cenbii-procid-ubl">urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</ids:ProcessIdentifier>`+
		`<ServiceEndpointList><Endpoint transportProfile="peppol-transport-as4-v2_0"><wsa:EndpointReference xmlns:wsa="http://www.w3.org/2005/08/addressing"><wsa:Address>https://%s/ap</wsa:Address>`+
		`</wsa:EndpointReference><RequireBusinessLevelSignature>false</RequireBusinessLevelSignature><Certificate>%s</Certificate><ServiceDescription>laboratory</ServiceDescription>`+
		`<TechnicalContactUrl>https://%s/</TechnicalContactUrl></Endpoint></ServiceEndpointList></Process></ProcessList></ServiceInformation></ServiceMetadata></SignedServiceMetadata>`,
		metadataNamespace, core.ParticipantScheme, html.EscapeString(p.String()), d.Scheme, html.EscapeString(d.Value), l.Place(),
		base64.StdEncoding.EncodeToString(l.pki.receipts.Certificate[0]), l.Place()))
	if err != nil {
		return nil, err
	}
	signer, err := dsig.NewSigningContext(l.pki.publisher.PrivateKey.(crypto.Signer), l.pki.publisher.Certificate)
	if err != nil {
		return nil, err
	}
	signer.Canonicalizer = dsig.MakeC14N10RecCanonicalizer()
	signed, err := signer.SignEnveloped(doc.Root())
	if err != nil {
		return nil, err
	}
	doc.SetRoot(signed)
	return doc.WriteToBytes()
}
