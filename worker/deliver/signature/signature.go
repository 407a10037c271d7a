// Package signature signs the requests that deliver events, and verifies them for those who try webhooks out.
//
// Each request is signed twice. The contract's signature covers the body alone and is keyed with the whole secret as it is written.
// That of Standard Webhooks 1.0.0 covers id, time and body and is keyed with the bytes that the secret stands for; receivers should
// prefer it, because a request cannot be sent again later under another time.
package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The header fields of a delivery.
const (
	Contract  = "X-Service-Signature" // sha256= and the HMAC in lower-case hex
	Event     = "X-Service-Event"     // type of the event
	Delivery  = "X-Service-Delivery"  // id, the same over all attempts
	Timestamp = "X-Service-Timestamp" // seconds since 1970, of this attempt

	StandardID        = "Webhook-Id"        // the delivery's id
	StandardTimestamp = "Webhook-Timestamp" // as Timestamp
	StandardSignature = "Webhook-Signature" // v1, and the HMAC in base64; several are separated by spaces
)

// prefix begins a secret; base64 follows.
const prefix = "whsec_"

// ErrSecret says that a secret is not whsec_ and base64.
var ErrSecret = errors.New("a secret is whsec_ followed by base64")

// mac is the HMAC-SHA256 of the parts together (RFC 2104).
func mac(key []byte, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

// OfBody gives the contract's signature of a body.
func OfBody(secret string, body []byte) string {
	return "sha256=" + hex.EncodeToString(mac([]byte(secret), string(body)))
}

// OfMessage gives the signature of Standard Webhooks. The error is ErrSecret.
func OfMessage(secret, id, timestamp string, body []byte) (string, error) {
	key, err := keyOf(secret)
	if err != nil {
		return "", err
	}
	return "v1," + base64.StdEncoding.EncodeToString(mac(key, id, ".", timestamp, ".", string(body))), nil
}

// keyOf gives the bytes that a secret stands for.
func keyOf(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, prefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) == 0 {
		return nil, ErrSecret
	}
	return key, nil
}

// Message is what is signed.
type Message struct {
	Delivery string // id
	Event    string // type
	Time     time.Time
	Body     []byte
}

// Header gives the header fields of a message. The contract's signature has place for one secret and takes the current one; the
// other has both during a rotation. previous may be empty. The error is ErrSecret.
func Header(m Message, current, previous string) (http.Header, error) {
	seconds := strconv.FormatInt(m.Time.Unix(), 10)
	signatures := ""
	for _, secret := range []string{current, previous} {
		if secret == "" {
			continue
		}
		s, err := OfMessage(secret, m.Delivery, seconds, m.Body)
		if err != nil {
			return nil, err
		}
		signatures = strings.TrimSpace(signatures + " " + s)
	}
	return http.Header{
		Contract: {OfBody(current, m.Body)}, Event: {m.Event}, Delivery: {m.Delivery}, Timestamp: {seconds},
		StandardID: {m.Delivery}, StandardTimestamp: {seconds}, StandardSignature: {signatures},
	}, nil
}

// Verdict is what came of verifying one signature.
type Verdict struct {
	Name    string // the header field
	Present bool
	Valid   bool
	Why     string // what is wrong; empty for a valid one
}

// Verify judges both signatures of a request. With a tolerance above 0, the time that is signed must be that near to now. The error is
// ErrSecret.
func Verify(secret string, header http.Header, body []byte, now time.Time, tolerance time.Duration) ([]Verdict, error) {
	if _, err := keyOf(secret); err != nil {
		return nil, err
	}
	verdicts := []Verdict{verifyBody(secret, header, body), verifyMessage(secret, header, body)}
	if late := tooFar(header.Get(StandardTimestamp), now, tolerance); late != "" && verdicts[1].Valid {
		verdicts[1].Valid, verdicts[1].Why = false, late
	}
	return verdicts, nil
}

func verifyBody(secret string, header http.Header, body []byte) Verdict {
	got := header.Get(Contract)
	v := Verdict{Name: Contract, Present: got != "", Valid: hmac.Equal([]byte(got), []byte(OfBody(secret, body)))}
	switch {
	case !v.Present:
		v.Why = "is not there"
	case !strings.HasPrefix(got, "sha256="):
		v.Why = "does not begin with sha256="
	case !v.Valid:
		v.Why = "is not that of this body under this secret"
	}
	return v
}

func verifyMessage(secret string, header http.Header, body []byte) Verdict {
	got := header.Get(StandardSignature)
	v := Verdict{Name: StandardSignature, Present: got != ""}
	want, err := OfMessage(secret, header.Get(StandardID), header.Get(StandardTimestamp), body)
	for _, s := range strings.Fields(got) {
		if hmac.Equal([]byte(s), []byte(want)) && err == nil {
			v.Valid = true
		}
	}
	switch {
	case !v.Present:
		v.Why = "is not there"
	case header.Get(StandardID) == "" || header.Get(StandardTimestamp) == "":
		v.Valid, v.Why = false, "needs "+StandardID+" and "+StandardTimestamp
	case !v.Valid:
		v.Why = "is not that of this id, time and body under this secret"
	}
	return v
}

// tooFar says that the signed time is farther from now than the tolerance; empty if not.
func tooFar(timestamp string, now time.Time, tolerance time.Duration) string {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if tolerance <= 0 {
		return ""
	}
	if err != nil {
		return "its time is no number of seconds"
	}
	if age := now.Sub(time.Unix(seconds, 0)); age.Abs() > tolerance {
		return fmt.Sprintf("its time is %s from now", age.Abs().Round(time.Second))
	}
	return ""
}
