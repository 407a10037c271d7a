package peppol

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Callback says how call-backs prove where they come from.
type Callback struct {
	Secret string   `json:"secret,omitzero"` // shared with the provider, 16 characters or more; without one no call-back is taken
	Scheme string   `json:"scheme,omitzero"` // hmac (default): the header has t=seconds,v1=hex of HMAC-SHA-256 over "seconds.body"; secret: it has the secret
	Header string   `json:"header,omitzero"` // default: X-Signature
	Answer *Mapping `json:"answer,omitzero"` // default: that of answers
}

// callbackAge is how old a signed call-back may be, and how far ahead.
const callbackAge = 5 * time.Minute

// ErrCallback says that a call-back does not prove where it comes from.
var ErrCallback = errors.New("the call-back does not prove where it comes from")

// Verify checks the header of a call-back over its body, at the moment now, and gives a digest by which the same call-back is known again.
// The error is ErrCallback.
func (c Callback) Verify(header string, body []byte, now time.Time) (digest string, err error) {
	if len(c.Secret) < 16 {
		return "", ErrCallback
	}
	if c.Scheme == "secret" {
		given, want := sha256.Sum256([]byte(strings.TrimPrefix(header, "Bearer "))), sha256.Sum256([]byte(c.Secret))
		if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
			return "", ErrCallback
		}
		return digestOf("", body), nil
	}
	seconds, signature, ok := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || err != nil || now.Sub(time.Unix(at, 0)).Abs() > callbackAge {
		return "", ErrCallback
	}
	given, err := hex.DecodeString(signature)
	if err != nil || !hmac.Equal(given, c.mac(seconds, body)) {
		return "", ErrCallback
	}
	return digestOf(seconds, body), nil
}

// Sign gives the header of a call-back by the scheme hmac.
func (c Callback) Sign(body []byte, now time.Time) string {
	seconds := strconv.FormatInt(now.Unix(), 10)
	return "t=" + seconds + ",v1=" + hex.EncodeToString(c.mac(seconds, body))
}

func (c Callback) mac(seconds string, body []byte) []byte {
	m := hmac.New(sha256.New, []byte(c.Secret))
	_, _ = fmt.Fprintf(m, "%s.%s", seconds, body) // a hash does not fail
	return m.Sum(nil)
}

func digestOf(seconds string, body []byte) string {
	sum := sha256.Sum256(append([]byte(seconds+"."), body...))
	return hex.EncodeToString(sum[:])
}

// HeaderName is the header field that Verify takes.
func (c Callback) HeaderName() string {
	if c.Header == "" {
		return "X-Signature"
	}
	return c.Header
}
