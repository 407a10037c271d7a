package api

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
)

// The media types of bare documents.
var documentTypes = []string{"application/xml", "text/xml", "application/pdf"}

// isDocument tells whether a media type is that of a bare document.
func isDocument(mediaType string) bool {
	return slices.Contains(documentTypes, mediaType) || strings.HasSuffix(mediaType, "+xml")
}

// readSubject takes what is to be validated: an invoice as JSON, or a document in any of its forms.
func (s *Server) readSubject(c *call, in *intake, o *job.Order) error {
	switch t := mediaType(c.r.Header); {
	case t == "multipart/form-data":
		up, err := uploaded(in, c.r, readMultipart)
		if err == nil {
			setDocument(o, up)
		}
		return err
	case isDocument(t):
		up, err := uploaded(in, c.r, readBare)
		if err == nil {
			setDocument(o, up)
		}
		return err
	case acceptJSON(c.r) != nil:
		return unsupported(t, append([]string{typeJSON, "multipart/form-data with a part file"}, documentTypes...)...)
	}
	scanner := s.scanner(c)
	body, err := in.all(scanner)
	if err != nil {
		return err
	}
	in.lines = scanner.Counts().Lines
	return readSubjectJSON(in.working(c.r), o, body)
}

// setDocument makes a document the body of an order that takes one.
func setDocument(o *job.Order, up *upload) {
	o.Body = up.document
	switch p := o.Parameters.(type) {
	case *kinds.ParseParameters:
		p.Filename, p.Infos = up.filename, append(p.Infos, up.infos...)
	case *kinds.RenderParameters:
		p.Filename, p.Infos = up.filename, append(p.Infos, up.infos...)
	case *kinds.ConvertParameters:
		p.Filename, p.Infos = up.filename, append(p.Infos, up.infos...)
	case *kinds.ValidateParameters:
		p.Document, p.Filename, p.Infos = true, up.filename, append(p.Infos, up.infos...)
	}
}

// readSubjectJSON takes the body as it is where it has a member invoice, or where it is not one JSON object, which the operation tells
// best; else the document in its members data or xml.
func readSubjectJSON(ctx context.Context, o *job.Order, body []byte) error {
	if looksLikeDocument(body[:min(len(body), sniffed)]) {
		setDocument(o, &upload{document: body})
		return nil
	}
	o.Body = withoutMark(body)
	dec := jsontext.NewDecoder(bytes.NewBuffer(o.Body))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	up := &upload{known: []string{"data", "xml", "filename", "asOf", "enforcePending", "invoice"}}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil || name.String() == "invoice" {
			return nil
		}
		if err := up.subjectMember(ctx, dec, name.String()); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil
	}
	if len(up.document) == 0 && invoice.Bare(o.Body) {
		return badField("invoice", finding.MissingField, "invoice is missing: "+invoice.BareNote)
	}
	if len(up.document) == 0 {
		return badField("invoice", finding.MissingField, "invoice is missing; send invoice, or a document as data (base64) or xml")
	}
	p := o.Parameters.(*kinds.ValidateParameters)
	p.AsOf, p.EnforcePending = cmp.Or(p.AsOf, up.asOf), p.EnforcePending || up.enforcePending
	setDocument(o, up)
	return nil
}

// subjectMember reads one member beside an invoice.
func (up *upload) subjectMember(ctx context.Context, dec *jsontext.Decoder, name string) (err error) {
	switch name {
	case "asOf":
		up.asOf, err = readText(dec, name)
	case "enforcePending":
		up.enforcePending = dec.PeekKind() == 't'
		if err = dec.SkipValue(); err != nil {
			err = notJSON(err, "")
		}
	default:
		return up.member(ctx, dec, name)
	}
	return err
}

// switches are the parameters of queries that are true or false.
var switches = []string{"calculate", "enforcePending", "details"}

// checkSwitches refuses a switch of a query that is neither on nor off, so that nobody takes one for on that is not.
func checkSwitches(query url.Values, known []string) error {
	for _, name := range switches {
		if text := strings.ToLower(query.Get(name)); slices.Contains(known, name) && !slices.Contains([]string{"", "true", "1", "false", "0"}, text) {
			return badField(name, finding.InvalidValue, name+": must be true or false")
		}
	}
	return nil
}

// isTrue reads a switch of the query.
func isTrue(text string) bool { return strings.EqualFold(text, "true") || text == "1" }
