package peppol

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// ErrSignature says that an answer of an SMP is not signed by one that is trusted.
var ErrSignature = errors.New("the answer of the service metadata publisher is not signed by one that is trusted")

// signatureNamespace is that of XML Signature.
const signatureNamespace = "http://www.w3.org/2000/09/xmldsig#"

// mostCertificates bounds the chain that a signature brings.
const mostCertificates = 8

// CheckSignature verifies the enveloped signature of an answer of an SMP (SMP specification 1.x, clause 4.2): its certificate must lead to one of
// the roots at the moment now. It gives what was signed, which is what may be read. The error wraps ErrSignature.
func CheckSignature(data []byte, roots *x509.CertPool, now time.Time) ([]byte, error) {
	signer, err := signerOf(data, roots, now)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	doc := etree.NewDocument()
	if err := doc.ReadFromBytes(data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	verifier := dsig.NewDefaultValidationContext(&dsig.MemoryX509CertificateStore{Roots: []*x509.Certificate{signer}})
	verifier.Clock = dsig.NewFakeClockAt(now)
	signed, err := verifier.Validate(doc.Root())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	out := etree.NewDocument()
	out.SetRoot(signed)
	return out.WriteToBytes()
}

// signerOf is the certificate in the signature of the document element, where it leads to a root. The document is read under the limits of xmltree first.
func signerOf(data []byte, roots *x509.CertPool, now time.Time) (*x509.Certificate, error) {
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		return nil, err
	}
	defer doc.Release()
	var certificates []*x509.Certificate
	signature := doc.ChildNamed(doc.Root(), "Signature")
	if signature == xmltree.None || doc.Namespace(signature) != signatureNamespace {
		return nil, errors.New("there is no signature")
	}
	holder := nodeAt(doc, signature, "KeyInfo/X509Data")
	if holder == xmltree.None {
		return nil, errors.New("the signature brings no certificate")
	}
	for c, end := doc.Children(holder); c < end && len(certificates) < mostCertificates; c = doc.End(c) {
		if doc.Kind(c) != xmltree.KindElement || doc.Local(c) != "X509Certificate" {
			continue
		}
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(doc.String(c)), ""))
		if err != nil {
			return nil, err
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		certificates = append(certificates, certificate)
	}
	return chained(certificates, roots, now)
}

// chained gives the first certificate, where it leads to a root over the others.
func chained(certificates []*x509.Certificate, roots *x509.CertPool, now time.Time) (*x509.Certificate, error) {
	if len(certificates) == 0 {
		return nil, errors.New("the signature brings no certificate")
	}
	between := x509.NewCertPool()
	for _, c := range certificates[1:] {
		between.AddCert(c)
	}
	_, err := certificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	return certificates[0], err
}
