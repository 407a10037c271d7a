package api

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// The media types of bare documents.
var documentTypes = []string{"application/xml", "text/xml", "application/pdf"}

// isDocument tells whether a media type is that of a bare document.
func isDocument(mediaType string) bool {
	return slices.Contains(documentTypes, mediaType) || strings.HasSuffix(mediaType, "+xml")
}

// readSubject takes what is to be validated: an invoice as JSON, or a document in any of its forms.
func (s *Server) readSubject(c *call, in *intake, o *Order) error {
	switch t := mediaType(c.r.Header); {
	case t == "multipart/form-data":
		up, err := readMultipart(c.r, in)
		if err == nil {
			o.document(up)
		}
		return err
	case isDocument(t):
		up, err := readBare(in)
		if err == nil {
			o.document(up)
		}
		return err
	case acceptJSON(c.r) != nil:
		return unsupported(t, append([]string{typeJSON, "multipart/form-data with a part file"}, documentTypes...)...)
	}
	scanner := s.scanner(c)
	body, err := in.all(c.r.ContentLength, scanner)
	if err != nil {
		return err
	}
	o.lines = scanner.Counts().Lines
	return o.readJSON(body)
}

func (o *Order) document(up *upload) {
	o.Document, o.Filename, o.Body = true, up.filename, up.document
}

// readJSON takes the body as it is where it has a member invoice, or where it is not one JSON object, which the operation tells
// best; else the document in its members data or xml.
func (o *Order) readJSON(body []byte) error {
	o.Body = bytes.TrimPrefix(body, []byte(byteOrderMark))
	dec := jsontext.NewDecoder(bytes.NewBuffer(o.Body))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	up := &upload{}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil || name.String() == "invoice" {
			return nil
		}
		if err := o.member(dec, up, name.String()); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil
	}
	if len(up.document) == 0 {
		return badField("invoice", finding.MissingField, "invoice is missing; send invoice, or a document as data (base64) or xml")
	}
	if o.AsOf == "" {
		o.AsOf = up.asOf
	}
	o.EnforcePending = o.EnforcePending || up.enforcePending
	o.document(up)
	return nil
}

// member reads one member beside an invoice.
func (o *Order) member(dec *jsontext.Decoder, up *upload, name string) (err error) {
	switch name {
	case "xml":
		up.document, err = readString(dec, name)
	case "asOf":
		up.asOf, err = readText(dec, name)
	case "enforcePending":
		up.enforcePending = dec.PeekKind() == 't'
		if err = dec.SkipValue(); err != nil {
			err = notJSON(err, "")
		}
	default:
		return up.member(dec, name)
	}
	return err
}

// isTrue reads a switch of the query.
func isTrue(text string) bool {
	switch strings.ToLower(text) {
	case "true", "1":
		return true
	}
	return false
}

// performValidate does an order of the operation validate.
func performValidate(ctx context.Context, ops Operations, o Order) (*Outcome, error) {
	req := operation.ValidateRequest{Country: o.Country, Format: o.Format, Calculate: o.Calculate, Filename: o.Filename, AsOf: o.AsOf,
		EnforcePending: o.EnforcePending, MaxItems: o.MaxItems}
	if o.Document {
		req.Document = o.Body
	} else {
		req.Body = o.Body
	}
	if o.Format == "" {
		req.Entitled = func(format string) bool { return slices.Contains(o.Formats, format) }
	}
	a, err := ops.Validate(ctx, req)
	if err != nil {
		return nil, err
	}
	return &Outcome{Answer: encode(a), Events: []ledger.Event{validated(ops, &o, a)}}, nil
}
