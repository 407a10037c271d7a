package api

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"einvoiced/core/invoice"
	"einvoiced/core/operation"
)

// generate is POST /api/v1/invoice/{countryCode}/{format}/generate.
func (s *Server) generate(c *call) (*answer, error) {
	if err := acceptJSON(c.r); err != nil {
		return nil, err
	}
	in, err := s.take(c)
	if err != nil {
		return nil, err
	}
	defer in.lease.release()
	body, err := in.all(c.r.ContentLength, invoice.NewScanner(s.cfg.Lines))
	if err != nil {
		return nil, err
	}
	o := Order{Operation: opGenerate, Country: c.country, Format: c.format, Calculate: calculate(c.r), Body: body}
	return s.fulfil(c, o, in.lease)
}

// calculate tells whether the query asks to fill in absent amounts.
func calculate(r *http.Request) bool { return isTrue(r.URL.Query().Get("calculate")) }

// fulfil does what the request orders: as a job when it prefers that, else now. The body has come.
func (s *Server) fulfil(c *call, o Order, l *lease) (*answer, error) {
	if err := l.work(); err != nil {
		return nil, err
	}
	if p := preferred(c.r.Header); p.async {
		return s.enqueue(c, o, p, l)
	}
	out, err := Perform(c.r.Context(), s.Operations, o)
	s.Metrics.document(&o, err)
	if err != nil {
		return nil, err
	}
	if err := o.allow(c.key, out.Answer); err != nil {
		return nil, err
	}
	if d := out.Document; d != nil && out.Clean && wants(c.r.Header, d.MimeType) {
		return documentAnswer(d.Filename, d.MimeType, d.Hash, d.Data), nil
	}
	return &answer{status: http.StatusOK, contentType: typeJSON, body: out.Answer}, nil
}

// performGenerate does an order of the operation generate.
func performGenerate(ctx context.Context, ops Operations, o Order) (*Outcome, error) {
	a, err := ops.Generate(ctx, operation.GenerateRequest{Country: o.Country, Format: o.Format, Calculate: o.Calculate, Body: o.Body})
	if err != nil {
		return nil, err
	}
	document := &Document{Filename: a.Filename, MimeType: a.MimeType, Hash: a.Hash, Data: a.Data}
	return &Outcome{Answer: encode(a), Document: document, Clean: len(a.Warnings) == 0}, nil
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
