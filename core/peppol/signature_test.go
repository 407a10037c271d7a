package peppol

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

// signer is a certificate that is its own root, with its key.
func signer(t testing.TB) (crypto.Signer, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a publisher"}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1e9, 0), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return key, c
}

const metadata = `<SignedServiceMetadata xmlns="` + smpNamespace + `"><ServiceMetadata><ServiceInformation><ids:ParticipantIdentifier xmlns:ids="i" scheme="iso6523-actorid-upis">9915:a</ids:ParticipantIdentifier>` +
	`<ids:DocumentIdentifier xmlns:ids="i" scheme="busdox-docid-qns">a::b##c::2.1</ids:DocumentIdentifier><ProcessList><Process><ids:ProcessIdentifier xmlns:ids="i" scheme="cenbii-procid-ubl">p</ids:ProcessIdentifier>` +
	`<ServiceEndpointList><Endpoint transportProfile="peppol-transport-as4-v2_0"><wsa:EndpointReference xmlns:wsa="w"><wsa:Address>https://ap.example/</wsa:Address></wsa:EndpointReference>` +
	`<ServiceExpirationDate>2001-01-01T00:00:00Z</ServiceExpirationDate></Endpoint></ServiceEndpointList></Process></ProcessList></ServiceInformation></ServiceMetadata></SignedServiceMetadata>`

func signed(t testing.TB, key crypto.Signer, c *x509.Certificate) []byte {
	t.Helper()
	doc := etree.NewDocument()
	ctx, err := dsig.NewSigningContext(key, [][]byte{c.Raw})
	if err == nil {
		err = doc.ReadFromString(metadata)
	}
	if err != nil {
		t.Fatal(err)
	}
	root, err := ctx.SignEnveloped(doc.Root())
	if err != nil {
		t.Fatal(err)
	}
	doc.SetRoot(root)
	data, err := doc.WriteToBytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCheckSignature ensures that an answer is read only as far as it is signed by a certificate that leads to a root, is good at the moment, and was not changed since.
func TestCheckSignature(t *testing.T) {
	key, certificate := signer(t)
	_, other := signer(t)
	ours, theirs := x509.NewCertPool(), x509.NewCertPool()
	ours.AddCert(certificate)
	theirs.AddCert(other)
	data, now := signed(t, key, certificate), time.Unix(9e8, 0)
	inside, err := CheckSignature(data, ours, now)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseMetadata(inside)
	if err != nil || len(m.Endpoints) != 1 || m.Endpoints[0].URL != "https://ap.example/" {
		t.Fatalf("%+v %v", m, err)
	}
	p, d, process := Participant{"9915", "A"}, DocumentType{DocumentScheme, "a::b##c::2.1"}, Process{ProcessScheme, "p"}
	if err := m.Takes(p, d, process, now); err != nil {
		t.Error(err)
	}
	if err := m.Takes(p, d, Process{ProcessScheme, "q"}, now); !errors.Is(err, ErrUnregistered) {
		t.Error(err)
	}
	if err := m.Takes(p, d, process, time.Unix(1e9, 0)); !errors.Is(err, ErrUnregistered) {
		t.Errorf("an endpoint that has expired is taken: %v", err)
	}
	if err := m.Takes(Participant{"9915", "b"}, d, process, now); !errors.Is(err, ErrMetadata) {
		t.Error(err)
	}
	for name, bad := range map[string]struct {
		data  []byte
		roots *x509.CertPool
		now   time.Time
	}{
		"another root":    {data, theirs, now},
		"expired":         {data, ours, time.Unix(2e9, 0)},
		"changed":         {[]byte(strings.Replace(string(data), "9915:a", "9915:b", 1)), ours, now},
		"not signed":      {[]byte(metadata), ours, now},
		"nothing":         {nil, ours, now},
		"with a DOCTYPE":  {append([]byte("<!DOCTYPE a>"), data...), ours, now},
		"wrong signature": {[]byte(strings.Replace(string(data), "<ds:SignatureValue>", "<ds:SignatureValue>AA", 1)), ours, now},
	} {
		if _, err := CheckSignature(bad.data, bad.roots, bad.now); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReceipts ensures that a receipt counts only for its message, its bytes and its signer.
func TestReceipts(t *testing.T) {
	key, certificate := signer(t)
	wrong, _ := signer(t)
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}))
	sign := func(k crypto.Signer) string {
		r, err := SignReceipt(Receipt{MessageID: "m", SHA256: Digest([]byte("<a/>"))}, k)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	good := sign(key)
	if err := VerifyReceipt(good, text, "m", []byte("<a/>")); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"another message":   VerifyReceipt(good, text, "n", nil),
		"other bytes":       VerifyReceipt(good, text, "m", []byte("<b/>")),
		"another signer":    VerifyReceipt(sign(wrong), text, "m", nil),
		"no receipt":        VerifyReceipt("", text, "m", nil),
		"no certificate":    VerifyReceipt(good, "x", "m", nil),
		"half of a receipt": VerifyReceipt(good[:len(good)/2], text, "m", nil),
	} {
		if !errors.Is(err, ErrReceipt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzMetadata ensures that nothing that an SMP answers ends the program.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte(metadata))
	f.Add([]byte(`<ServiceGroup xmlns="` + smpNamespace + `"><ServiceMetadataReferenceCollection><ServiceMetadataReference href="https://a/x/services/busdox-docid-qns%3A%3Aa%3A%3Ab%23%23c%3A%3A2.1"/></ServiceMetadataReferenceCollection></ServiceGroup>`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = ParseMetadata(data)
		_, _ = ParseGroup(data)
		_, _ = CheckSignature(data, x509.NewCertPool(), time.Unix(9e8, 0))
	})
}
