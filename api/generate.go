package api

import (
	"mime"
	"net/http"
	"strings"

	"github.com/einvoiced/einvoiced/job"
)

// readInvoice takes the body of generate, an invoice as JSON, counting its lines while it comes.
func (s *Server) readInvoice(c *call, in *intake, o *job.Order) error {
	if err := acceptJSON(c.r); err != nil {
		return err
	}
	scanner := s.scanner(c)
	body, err := in.all(scanner)
	o.Body, in.lines = body, scanner.Counts().Lines
	return err
}

// wants tells whether an Accept field names the media type itself, and not JSON with it: only then the bare document is
// meant. No Accept, wildcards and anything unreadable mean JSON.
func wants(h http.Header, mimeType string) bool {
	named := accepted(h)
	return !named[typeJSON] && (named[mimeType] || mimeType == "application/xml" && named["text/xml"])
}

// wantsJSON tells whether an Accept field names JSON alone, where else the document is given.
func wantsJSON(h http.Header, mimeType string) bool {
	named := accepted(h)
	return named[typeJSON] && !named["*/*"] && !named[mimeType]
}

// accepted gives the media types that the Accept field names and does not exclude.
func accepted(h http.Header) map[string]bool {
	named := map[string]bool{}
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept"), ","), ",") {
		if t, params, err := mime.ParseMediaType(part); err == nil && params["q"] != "0" {
			named[t] = true
		}
	}
	return named
}

// acceptJSON refuses a body that says it is something else. Clients are careless with Content-Type: its absence, and what
// libraries put there by default, count as JSON.
func acceptJSON(r *http.Request) error {
	switch t := mediaType(r.Header); {
	case t == "", t == typeJSON, strings.HasSuffix(t, "+json"), t == "text/json", t == "text/plain",
		t == "application/octet-stream", t == "application/x-www-form-urlencoded":
		return nil
	default:
		return unsupported(t, typeJSON)
	}
}

// mediaType gives the Content-Type without parameters in lower case; "" when there is none, or none that can be read.
func mediaType(h http.Header) string {
	t, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}

func unsupported(got string, wanted ...string) error {
	p := newProblem(http.StatusUnsupportedMediaType,
		"Content-Type "+clip(got)+" is not supported here; send "+strings.Join(wanted, " or "))
	return p.with("Accept-Post", strings.Join(wanted, ", "))
}
