package peppol

import (
	"net/url"
	"slices"
	"strings"
)

// Provider describes the HTTP interface of an access point provider: how a document is handed over, and what its answers and call-backs mean.
// In URL and Headers these words are replaced: {messageId} {sender} {recipient} {documentType} {process} {country} {transmissionId}; in the URL
// they are percent-encoded.
type Provider struct {
	URL          string            `json:"url"`                   // where documents are posted
	Body         string            `json:"body,omitzero"`         // envelope (the SBDH and the document in it, the default) or document
	ContentType  string            `json:"contentType,omitzero"`  // default: application/xml
	Headers      map[string]string `json:"headers,omitzero"`      // further header fields, such as Authorization
	Answer       Mapping           `json:"answer,omitzero"`       // how answers are read
	Taken        []int             `json:"taken,omitzero"`        // statuses from 300 to 499 that say all the same that the message was taken; Polling tells what becomes of it
	StatusURL    string            `json:"statusUrl,omitzero"`    // is asked with GET what is known of a message, before it is sent again, and by Polling
	StatusAnswer *Mapping          `json:"statusAnswer,omitzero"` // how the answers of StatusURL are read; default: as others
	Polling      *Polling          `json:"polling,omitzero"`      // StatusURL is asked until a receipt is there; default: call-backs tell
	Certificate  string            `json:"certificate,omitzero"`  // PEM of the certificate that receipts are signed with; a delivery counts then only with such a receipt
	Callback     Callback          `json:"callback,omitzero"`     // how the provider calls back
	LookUp       bool              `json:"lookup,omitzero"`       // the recipient's entry in SML and SMP is looked at first, as the operator has configured
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
	case p.Polling != nil && p.StatusURL == "":
		return bad("polling", "needs statusUrl")
	case p.Polling != nil && !p.Polling.fits():
		return bad("polling", "must have firstSeconds and longestSeconds of at most 86400, and hours of at most 720")
	case p.Polling != nil && (p.statusMapping().State == "" || len(p.statusMapping().Delivered) == 0):
		return bad("polling", "needs an answer, or a statusAnswer, with state and delivered")
	case len(p.Taken) > 0 && (p.Polling == nil || slices.Min(p.Taken) < 300 || slices.Max(p.Taken) > 499):
		return bad("taken", "must be statuses from 300 to 499, and needs polling")
	case len(p.Headers) > maxHeaders:
		return bad("headers", "must be at most 20")
	}
	if field := p.longPlace(); field != "" {
		return bad(field, "must have at most 200 characters")
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

// mostPlace is the most bytes of a place in an answer.
const mostPlace = 200

// longPlace is the mapping that has a place of more; empty where none has.
func (p Provider) longPlace() string {
	for field, m := range map[string]*Mapping{"answer": &p.Answer, "statusAnswer": p.StatusAnswer, "callback.answer": p.Callback.Answer} {
		if m != nil && max(len(m.State), len(m.Message), len(m.Receipt), len(m.MessageID)) > mostPlace {
			return field
		}
	}
	return ""
}

// isToken tells whether a text is the name of a header field (RFC 9110 §5.6.2).
func isToken(s string) bool {
	return s != "" && len(s) < 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

// Words are the texts of a message by the words that stand for them in braces.
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
