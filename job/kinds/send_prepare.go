package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/peppol"
)

// SendRequest is a document that is to be sent, and what the client says of its way.
type SendRequest struct {
	Document []byte `json:"-"` // XML, in an envelope or not; or
	Invoice  []byte `json:"-"` // the body of generate, and
	Country  string // what it is generated for
	Format   string

	Recipient    string // required
	Sender       string // default: the electronic address of who sends, in the document
	DocumentType string // default: derived from the document
	Process      string // the same
	Unjudged     bool   // the document is not judged by its rulebook

	Fallback  string    // who sends where neither request nor document tell
	MessageID string    // of the envelope
	Created   time.Time // the same
}

// Prepared is a document that may be sent.
type Prepared struct {
	Envelope []byte // with the document in it
	Kind     peppol.Kind
	Warnings []finding.Finding // of its generation or its rulebook

	document []byte
}

// PrepareSend generates or reads the document, judges it, derives what the network wants to know and puts it into its envelope. The Refusal is 400 for what the
// request says wrongly, and 422 for a document that breaks rules or cannot be read.
func PrepareSend(ctx context.Context, ops Operations, req SendRequest) (*Prepared, error) {
	p := &Prepared{Warnings: []finding.Finding{}}
	var err error
	if req.Invoice != nil {
		err = p.generate(ctx, ops, req)
	} else {
		err = p.read(ctx, ops, req)
	}
	if err != nil {
		return nil, err
	}
	if p.Kind, err = kindOf(p.document); err != nil {
		return nil, err
	}
	if err := p.address(req); err != nil {
		return nil, err
	}
	return p, p.wrap(req)
}

// wrap puts the document into its envelope.
func (p *Prepared) wrap(req SendRequest) (err error) {
	k := p.Kind
	h := sbdh.Header{Sender: k.Sender, Receiver: k.Receiver, DocumentType: k.DocumentType, Process: k.Process, Instance: req.MessageID, Country: k.Country, Created: req.Created}
	p.Envelope, err = sbdh.Wrap(h, p.document)
	return err
}

func (p *Prepared) generate(ctx context.Context, ops Operations, req SendRequest) error {
	a, err := ops.Generate(ctx, operation.GenerateRequest{Country: req.Country, Format: req.Format, Body: req.Invoice})
	if err != nil {
		return err
	}
	if a.MimeType != "application/xml" {
		return wrongMember("format", fmt.Sprintf("format: %s is no XML; the network carries UBL and CII", req.Format))
	}
	p.document, p.Warnings = a.Data, append(p.Warnings, a.Warnings...)
	return nil
}

// read takes the document out of its envelope, if it is in one, and judges it.
func (p *Prepared) read(ctx context.Context, ops Operations, req SendRequest) error {
	doc, err := xmltree.Parse(req.Document, xmltree.Options{})
	if err != nil {
		return unsendable("data: it is no XML that can be read: "+err.Error(), err)
	}
	p.document = req.Document
	if sbdh.Is(doc) {
		if p.document, err = sbdh.Unwrap(doc); err != nil {
			return unsendable("data: "+err.Error(), err)
		}
	}
	if req.Unjudged {
		return nil
	}
	return p.judge(ctx, ops)
}

// judge refuses a document that its rulebook finds fault with.
func (p *Prepared) judge(ctx context.Context, ops Operations) error {
	opened := ops.Open(ctx, p.document)
	defer opened.Release()
	if opened.Err != nil {
		return opened.Err
	}
	a, err := ops.Validate(ctx, operation.ValidateRequest{Country: lowerCountry(opened.Detection, ""), Document: p.document})
	if err != nil {
		return err
	}
	if !a.Valid {
		message := "data: the document breaks rules of its format and is not sent"
		if len(a.Errors) > 0 {
			message += ": " + a.Errors[0].Message
		}
		return &finding.Refusal{Kind: finding.Unprocessable, Message: message, Field: "data", Errors: a.Errors}
	}
	p.Warnings = append(p.Warnings, a.Warnings...)
	return nil
}

func kindOf(document []byte) (peppol.Kind, error) {
	doc, err := xmltree.Parse(document, xmltree.Options{})
	if err != nil {
		return peppol.Kind{}, unsendable("data: the document in the envelope is no XML that can be read: "+err.Error(), err)
	}
	k, err := peppol.KindOf(doc)
	if err != nil {
		return k, unsendable("data: "+err.Error(), err)
	}
	return k, nil
}

// address takes over what the request says of the document's way, and checks that it agrees with the document.
func (p *Prepared) address(req SendRequest) (err error) {
	k := &p.Kind
	if k.Receiver, err = peppol.ParseParticipant(req.Recipient); err != nil {
		return wrongMember("recipient.peppolId", "recipient.peppolId: "+err.Error())
	}
	for _, sender := range []string{req.Sender, k.Sender.String(), req.Fallback} {
		if sender == "" || sender == ":" {
			continue
		}
		if k.Sender, err = peppol.ParseParticipant(sender); err != nil {
			return wrongMember("sender.peppolId", "sender.peppolId: "+err.Error())
		}
		break
	}
	if k.Sender.ID == "" {
		return wrongMember("sender.peppolId", "sender.peppolId: is required where the document has no electronic address of who sends in a Peppol scheme")
	}
	if req.DocumentType != "" {
		given, err := peppol.ParseDocumentType(req.DocumentType)
		if err != nil || given.Standard() != k.DocumentType.Standard() || given.Local() != k.DocumentType.Local() {
			return wrongMember("documentTypeId", fmt.Sprintf("documentTypeId: must be one of the document, which is %s", k.DocumentType.URI()))
		}
		k.DocumentType = given
	}
	if req.Process != "" {
		if k.Process, err = peppol.ParseProcess(req.Process); err != nil {
			return wrongMember("processId", "processId: "+err.Error())
		}
	}
	if len(k.Country) != 2 || strings.Trim(k.Country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return unsendable("data: the address of who sends has no country of two letters, which the envelope needs", errors.New("no country"))
	}
	return nil
}

func wrongMember(field, message string) error {
	return &finding.Refusal{Kind: finding.BadRequest, Message: message, Field: field, Errors: []finding.Finding{{Code: finding.InvalidValue, Message: message, Field: field}}}
}

func unsendable(message string, cause error) error {
	return &finding.Refusal{Kind: finding.Unprocessable, Message: message, Field: "data", Cause: cause}
}
