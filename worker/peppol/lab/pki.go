package lab

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"time"
)

// pki is a root and what it has issued.
type pki struct {
	root       *x509.Certificate
	rootKey    crypto.Signer
	rootPEM    []byte
	server     tls.Certificate // of HTTPS
	publisher  tls.Certificate // signs what the publisher answers; RSA, as the network has it
	receipts   tls.Certificate // signs receipts
	receiptPEM []byte
	wrong      crypto.Signer // signs what is to be wrong
}

// lifetime is how long the certificates are good.
const lifetime = 30 * 24 * time.Hour

func newPKI(now time.Time) (*pki, error) {
	p := &pki{}
	var keys [3]*ecdsa.PrivateKey
	var errs [5]error
	for i := range keys {
		keys[i], errs[i] = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	publisher, err := rsa.GenerateKey(rand.Reader, 2048)
	wrong, other := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	errs[3], errs[4] = err, other
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	p.rootKey, p.wrong = keys[0], wrong
	p.root = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "einvoiced laboratory root"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign}
	der, err := x509.CreateCertificate(rand.Reader, p.root, p.root, p.rootKey.Public(), p.rootKey)
	if err != nil {
		return nil, err
	}
	if p.root, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	p.rootPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for serial, issue := range []struct {
		name string
		key  crypto.Signer
		into *tls.Certificate
	}{{"localhost", keys[1], &p.server}, {"einvoiced laboratory publisher", publisher, &p.publisher}, {"einvoiced laboratory access point", keys[2], &p.receipts}} {
		if *issue.into, err = p.issue(int64(serial)+2, issue.name, issue.key); err != nil {
			return nil, err
		}
	}
	p.receiptPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.receipts.Certificate[0]})
	return p, nil
}

// issue makes the certificate of a key.
func (p *pki) issue(serial int64, name string, key crypto.Signer) (tls.Certificate, error) {
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: p.root.NotBefore, NotAfter: p.root.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}}
	der, err := x509.CreateCertificate(rand.Reader, template, p.root, key.Public(), p.rootKey)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
