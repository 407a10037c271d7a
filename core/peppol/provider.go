package peppol

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Provider describes the HTTP interface of an access point provider: how a document is handed over, and what its answers and call-backs mean.
// In URL and Headers these words are replaced: {messageId} {sender} {recipient} {documentType} {process} {country} {transmissionId}; in the URL
// they are percent-encoded.
type Provider struct {
	URL         string            `json:"url"`                  // where documents are posted
	Body        string            `json:"body,omitzero"`        // envelope (the SBDH and the document in it, the default) or document
	ContentType string            `json:"contentType,omitzero"` // default: application/xml
	Headers     map[string]string `json:"headers,omitzero"`     // further header fields, such as Authorization
	StatusURL   string            `json:"statusUrl,omitzero"`   // is asked with GET what is known of a message, before it is sent again
	Answer      Mapping           `json:"answer,omitzero"`      // how answers are read
	Certificate string            `json:"certificate,omitzero"` // PEM of the certificate that receipts are signed with; a delivery counts then only with such a receipt
	Callback    Callback          `json:"callback,omitzero"`    // how the provider calls back
	LookUp      bool              `json:"lookup,omitzero"`      // the recipient's entry in SML and SMP is looked at first, as the operator has configured
}

// Mapping says where in the JSON of an answer things are, as names joined by points, and which values of the state mean what.
type Mapping struct {
	State     string   `json:"state,omitzero"`     // where the state is; default: a status of 2xx means sent
	Sent      []string `json:"sent,omitzero"`      // the values that mean: handed over, no receipt yet
	Delivered []string `json:"delivered,omitzero"` // that there is a receipt
	Failed    []string `json:"failed,omitzero"`    // that it will not be delivered
	Message   string   `json:"message,omitzero"`   // where the reason is
	Receipt   string   `json:"receipt,omitzero"`   // where the receipt is
	MessageID string   `json:"messageId,omitzero"` // where the message id is; it is needed for call-backs, default there: messageId
}

// Callback says how call-backs prove where they come from.
type Callback struct {
	Secret string   `json:"secret,omitzero"` // shared with the provider, 16 characters or more; without one no call-back is taken
	Scheme string   `json:"scheme,omitzero"` // hmac (default): the header has t=seconds,v1=hex of HMAC-SHA-256 over "seconds.body"; secret: it has the secret
	Header string   `json:"header,omitzero"` // default: X-Signature
	Answer *Mapping `json:"answer,omitzero"` // default: that of answers
}

// Settings are what an account and mode configures for Peppol.
type Settings struct {
	Provider Provider `json:"provider"`
	SenderID string   `json:"senderId,omitzero"` // who sends, where neither request nor document tells
}

// A SettingsError says which member of Settings is wrong. Its text is for clients.
type SettingsError struct{ Field, Message string }

// Error says what is wrong.
func (e *SettingsError) Error() string { return e.Field + ": " + e.Message }

const maxHeaders = 20

// Check looks at settings as far as that takes no network. The error is a *SettingsError.
func (s Settings) Check() error {
	p := s.Provider
	bad := func(field, message string) error { return &SettingsError{"provider." + field, message} }
	if s.SenderID != "" {
		if _, err := ParseParticipant(s.SenderID); err != nil {
			return &SettingsError{"senderId", err.Error()}
		}
	}
	for field, text := range map[string]string{"url": p.URL, "statusUrl": p.StatusURL} {
		_, rest, _ := strings.Cut(text, "://")
		host, _, _ := strings.Cut(rest, "/")
		if u, err := url.Parse(fill(text, nil)); text != "" && (err != nil || u.Host == "" || strings.Contains(host, "{")) {
			return bad(field, "must be a URL whose host is no placeholder")
		}
	}
	switch {
	case p.URL == "":
		return bad("url", "is required")
	case !slices.Contains([]string{"", "envelope", "document"}, p.Body):
		return bad("body", "must be envelope or document")
	case !slices.Contains([]string{"", "hmac", "secret"}, p.Callback.Scheme):
		return bad("callback.scheme", "must be hmac or secret")
	case p.Callback.Secret != "" && len(p.Callback.Secret) < 16:
		return bad("callback.secret", "must have 16 characters or more")
	case len(p.Headers) > maxHeaders:
		return bad("headers", "must be at most 20")
	}
	for name, value := range p.Headers {
		if !isToken(name) || strings.ContainsAny(value, "\r\n\x00") || slices.Contains([]string{"host", "content-length", "transfer-encoding", "connection"}, strings.ToLower(name)) {
			return bad("headers."+name, "is no header field that may be set")
		}
	}
	if p.Certificate != "" {
		if _, err := certificateOf(p.Certificate); err != nil {
			return bad("certificate", "must be one certificate in PEM")
		}
	}
	return nil
}

// isToken tells whether a text is the name of a header field (RFC 9110 §5.6.2).
func isToken(s string) bool {
	return s != "" && len(s) < 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

// Words are what placeholders stand for.
type Words map[string]string

// InURL fills the placeholders of a URL, percent-encoded.
func (w Words) InURL(template string) string { return fill(template, w.encoded()) }

// InHeader fills the placeholders of a header field.
func (w Words) InHeader(template string) string { return fill(template, w) }

func (w Words) encoded() Words {
	out := Words{}
	for name, value := range w {
		out[name] = escape(value)
	}
	return out
}

// fill replaces {name} by what it stands for; names that stand for nothing become x.
func fill(template string, words Words) string {
	var pairs []string
	for _, name := range []string{"messageId", "sender", "recipient", "documentType", "process", "country", "transmissionId"} {
		value, ok := words[name]
		if !ok {
			value = "x"
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// Told is what an answer or a call-back says.
type Told struct {
	State     string // sent, delivered or failed; empty where nothing is said
	Message   string // the reason, at most 500 characters
	Receipt   string // as it stood; empty without one
	MessageID string
}

// ErrAnswer says that an answer is no JSON, or has a state that the mapping does not know.
var ErrAnswer = errors.New("the answer of the provider cannot be understood")

// Read reads the body of an answer of success. The error wraps ErrAnswer.
func (m Mapping) Read(body []byte) (Told, error) {
	if m.State == "" {
		return Told{State: "sent", Receipt: valueAt(body, m.Receipt), MessageID: valueAt(body, m.MessageID)}, nil
	}
	if !jsontext.Value(body).IsValid() {
		return Told{}, fmt.Errorf("%w: it is no JSON", ErrAnswer)
	}
	state := valueAt(body, m.State)
	t := Told{Message: shorten(valueAt(body, m.Message)), Receipt: valueAt(body, m.Receipt), MessageID: valueAt(body, m.MessageID)}
	for _, known := range []struct {
		values []string
		state  string
	}{{m.Sent, "sent"}, {m.Delivered, "delivered"}, {m.Failed, "failed"}} {
		if slices.Contains(known.values, state) {
			t.State = known.state
			return t, nil
		}
	}
	return Told{}, fmt.Errorf("%w: its state %q is in none of the lists", ErrAnswer, shorten(state))
}

func shorten(s string) string {
	runes := []rune(s)
	return string(runes[:min(len(runes), 500)])
}

// valueAt is the value at a path of names joined by points: a string without its quotes, anything else as its JSON; empty where there is none.
func valueAt(body []byte, path string) string {
	value := jsontext.Value(body)
	if path == "" {
		return ""
	}
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]jsontext.Value
		if value.Kind() != '{' || json.Unmarshal(value, &members) != nil || members[name] == nil {
			return ""
		}
		value = members[name]
	}
	var text string
	if value.Kind() == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	return strings.TrimSpace(string(value))
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
