package api

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// The sizes of carriers, in bytes (contract, limits).
const (
	maxCarrier      = 64 << 20 // where there is an embedding service
	maxCarrierAlone = 15 << 20 // where there is none
	apartCarrier    = 5 << 20  // from here on the embedding service does it
	maxUpload       = 96 << 20 // of the body of the upload route
)

// embedding is a request to embed: the carrier, and the rest of the request as JSON.
type embedding struct {
	carrier        []byte
	rest           []byte // the object so far, without its end
	validate       bool
	enforcePending bool
	from           string // the member or part that brought the carrier; empty before
}

// readEmbed takes the body of the embed route, JSON with the carrier in base64.
func (s *Server) readEmbed(c *call, in *intake, o *job.Order) error {
	if err := acceptJSON(c.r); err != nil {
		return err
	}
	scanner := s.scanner(c)
	body, err := in.all(scanner)
	if err != nil {
		return err
	}
	in.lines = scanner.Counts().Lines
	e, err := embeddingFromJSON(in.working(c.r), withoutMark(body))
	if err != nil {
		return err
	}
	return s.orderEmbedding(c.r.Context(), e, in, o)
}

// embeddingFromJSON takes the members that say what is embedded where, and leaves the others to the operation.
func embeddingFromJSON(ctx context.Context, body []byte) (*embedding, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, notJSON(err, "The request body must be a JSON object")
	}
	e := &embedding{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, notJSON(err, "")
		}
		if err := e.member(ctx, dec, name.String()); err != nil {
			return nil, err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(err, "")
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, notJSON(err, "Something follows the JSON object in the request body")
	}
	return e, nil
}

// member reads the value of one member.
func (e *embedding) member(ctx context.Context, dec *jsontext.Decoder, name string) (err error) {
	switch name {
	case "pdf", "data", "carrier":
		if e.from != "" {
			return badField(name, finding.DuplicateMember, fmt.Sprintf("%s: the carrier is given as %s already", name, e.from))
		}
		e.from = name
		e.carrier, err = readBase64(ctx, dec, name)
	case "validate":
		e.validate, err = readSwitch(dec, name)
	case "enforcePending":
		e.enforcePending, err = readSwitch(dec, name)
	default:
		value, failed := dec.ReadValue()
		if failed != nil {
			return notJSON(failed, "")
		}
		e.add(name, value)
	}
	return err
}

// add takes a member over into the rest of the request.
func (e *embedding) add(name string, value []byte) {
	quoted, _ := jsontext.AppendQuote(nil, name) // it was unquoted
	e.rest = append(e.rest, `{,`[min(len(e.rest), 1)])
	e.rest = append(append(append(e.rest, quoted...), ':'), value...)
}

// readSwitch reads true or false, which null leaves at false.
func readSwitch(dec *jsontext.Decoder, name string) (bool, error) {
	value, err := dec.ReadValue()
	switch {
	case err != nil:
		return false, notJSON(err, "")
	case value.Kind() == 't', value.Kind() == 'f', value.Kind() == 'n':
		return value.Kind() == 't', nil
	}
	return false, badField(name, finding.InvalidType, name+": must be true or false")
}

// readEmbedUpload takes the body of the upload route.
func (s *Server) readEmbedUpload(c *call, in *intake, o *job.Order) error {
	if t := mediaType(c.r.Header); t != "multipart/form-data" {
		return unsupported(t, "multipart/form-data with the parts pdf and invoice")
	}
	boundary, err := boundaryOf(c.r.Header)
	if err != nil {
		return err
	}
	body, err := in.bytes()
	if err != nil {
		return err
	}
	e, err := embeddingFromParts(body, boundary)
	if err != nil {
		return err
	}
	scanner := s.scanner(c)
	_, _ = scanner.Write(append(bytes.Clone(e.rest), '}')) // never fails
	if scanner.Refused() {
		return scanner.Refusal()
	}
	in.lines = scanner.Counts().Lines
	return s.orderEmbedding(c.r.Context(), e, in, o)
}

// embeddingFromParts reads the parts of a multipart body. Parts that are not known are passed over.
func embeddingFromParts(body []byte, boundary string) (*embedding, error) {
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	e, seen := &embedding{}, map[string]bool{}
	for range maxParts {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return e, nil
		}
		if err != nil {
			return nil, badMultipart("The multipart body is malformed")
		}
		if err := checkPart(part, false); err != nil {
			return nil, err
		}
		name := part.FormName()
		if seen[name] {
			return nil, badField(name, finding.DuplicateMember, clip(name)+": the multipart body has more than one part of this name")
		}
		seen[name] = true
		if err := e.part(part, name, len(body)); err != nil {
			return nil, err
		}
	}
	return nil, badMultipart(fmt.Sprintf("The multipart body has more than %d parts", maxParts))
}

// part reads one part of up to so many bytes. The carrier gets the room for what is added to it at once.
func (e *embedding) part(part *multipart.Part, name string, most int) error {
	var content bytes.Buffer
	if name == "pdf" {
		content.Grow(most + bytes.MinRead)
	}
	if _, err := content.ReadFrom(part); err != nil {
		return badMultipart("The multipart body is malformed")
	}
	text := strings.TrimSpace(content.String()[:min(content.Len(), len("false")+8)])
	switch name {
	case "pdf":
		e.carrier, e.from = content.Bytes(), name
	case "validate", "enforcePending":
		if text != "" && text != "true" && text != "false" {
			return badField(name, finding.InvalidType, name+": must be true or false")
		}
		e.validate = e.validate || name == "validate" && text == "true"
		e.enforcePending = e.enforcePending || name == "enforcePending" && text == "true"
	case "invoice", "formatOptions", "templateId", "template":
		return e.jsonPart(name, content.Bytes())
	}
	return nil
}

// jsonPart takes a part over into the rest of the request; an empty one counts as absent. A templateId is a text.
func (e *embedding) jsonPart(name string, content []byte) error {
	content = bytes.TrimSpace(withoutMark(content))
	switch {
	case len(content) == 0:
		return nil
	case name == "templateId":
		content, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(string(content), "\uFFFD"))
	case name == "template":
		return badField(name, finding.InvalidValue, "template is not taken here: the pages are those of the PDF that you send")
	case !jsontext.Value(content).IsValid():
		return badField(name, finding.InvalidJSON, name+": the part is not valid JSON")
	case name == "invoice" && wrapped(content):
		return badField(name, finding.InvalidValue, "invoice: the part is the invoice itself, not an object with the member invoice; formatOptions is a part of its own")
	}
	e.add(name, content)
	return nil
}

// wrapped tells whether JSON that should be an invoice is the body of a request with an invoice in it.
func wrapped(content []byte) bool {
	var body struct {
		Invoice jsontext.Value `json:"invoice"`
		Number  jsontext.Value `json:"invoiceNumber"`
	}
	return json.Unmarshal(content, &body) == nil && body.Invoice.Kind() == '{' && body.Number == nil
}

// orderEmbedding makes the order of a request, and decides who does it.
func (s *Server) orderEmbedding(ctx context.Context, e *embedding, in *intake, o *job.Order) error {
	if len(e.carrier) == 0 {
		return badField("pdf", finding.MissingField, "pdf: the carrier PDF is missing or empty")
	}
	if err := s.placeEmbedding(ctx, e.carrier, in, o); err != nil {
		return err
	}
	p := o.Parameters.(*kinds.EmbedParameters)
	p.Carrier, p.Validate, p.EnforcePending = len(e.carrier), e.validate, e.enforcePending
	o.Body = append(append(e.carrier, cmp.Or(string(e.rest), "{")...), '}')
	return nil
}

// placeEmbedding decides by the size of the carrier who embeds (contract, embed upload; supplement §1a): the embedding service where it is
// large, unless it is signed; this process where there is no such service, up to a size.
func (s *Server) placeEmbedding(ctx context.Context, carrier []byte, in *intake, o *job.Order) error {
	if len(carrier) < apartCarrier {
		in.here = operation.Signed(ctx, carrier)
		return nil
	}
	most := maxCarrier
	if s.EmbedServed == nil {
		most = maxCarrierAlone
	}
	if len(carrier) > most {
		return carrierTooLarge(most)
	}
	if in.here = operation.Signed(ctx, carrier); in.here {
		return nil
	}
	served := false
	if s.EmbedServed != nil {
		var err error
		if served, err = s.EmbedServed(ctx); err != nil {
			s.Log.Warn("it is not known whether the embedding service is there", "error", err)
		}
	}
	switch {
	case served:
		o.Queue = names.Embed
	case len(carrier) > maxCarrierAlone:
		return embedUnavailable()
	default:
		in.here = true
	}
	return nil
}

// carrierTooLarge is the contract's 413 of a carrier.
func carrierTooLarge(most int) error {
	return &finding.Refusal{Kind: finding.TooLarge, Word: "CARRIER_TOO_LARGE", Code: "CARRIER_TOO_LARGE", Field: "pdf",
		Message: fmt.Sprintf("pdf: the carrier is larger than %d bytes", most)}
}

// embedUnavailable is the contract's 503 of a carrier that only the embedding service takes.
func embedUnavailable() error {
	p := &problem{status: http.StatusServiceUnavailable}
	p.Refusal = finding.Refusal{Kind: finding.Unavailable, Word: "EMBED_UNAVAILABLE", Code: "EMBED_UNAVAILABLE", Field: "pdf",
		Message: fmt.Sprintf("pdf: the service that embeds into carriers of more than %d bytes does not answer; retry later", maxCarrierAlone)}
	return p.with("Retry-After", "60")
}
