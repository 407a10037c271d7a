package peppol

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Receipt is what an access point signs when it has taken a message.
type Receipt struct {
	MessageID string    `json:"messageId"`
	SHA256    string    `json:"sha256"` // of the envelope, lower-case hex
	Received  time.Time `json:"received"`
}

// ErrReceipt says that a receipt is not signed by the provider's certificate, or is one of another message.
var ErrReceipt = errors.New("the receipt is not signed by the provider for this message")

// SignReceipt gives a receipt as text: base64url of its JSON, a point, base64url of the signature over the SHA-256 of the part before the
// point (RSA PKCS #1 v1.5 or ECDSA in ASN.1).
func SignReceipt(r Receipt, key crypto.Signer) (string, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("write a receipt: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := key.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("sign a receipt: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// Digest is the hash that the receipt of an envelope has.
func Digest(envelope []byte) string {
	sum := sha256.Sum256(envelope)
	return hex.EncodeToString(sum[:])
}

// VerifyReceipt checks a receipt of SignReceipt against the certificate (PEM) of who signs, and against the message. An empty envelope is not
// compared. The error wraps ErrReceipt.
func VerifyReceipt(text, certificate, messageID string, envelope []byte) error {
	c, err := certificateOf(certificate)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrReceipt, err)
	}
	body, signed, _ := strings.Cut(text, ".")
	signature, err := base64.RawURLEncoding.DecodeString(signed)
	if err != nil || !verify(c.PublicKey, []byte(body), signature) {
		return fmt.Errorf("%w: its signature is wrong", ErrReceipt)
	}
	var r Receipt
	data, err := base64.RawURLEncoding.DecodeString(body)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil || r.MessageID != messageID || len(envelope) > 0 && r.SHA256 != Digest(envelope) {
		return fmt.Errorf("%w: it is for another message", ErrReceipt)
	}
	return nil
}

func verify(key any, text, signature []byte) bool {
	sum := sha256.Sum256(text)
	switch key := key.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, sum[:], signature)
	}
	return false
}

// certificateOf reads one certificate in PEM.
func certificateOf(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errors.New("there is no certificate in PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}
