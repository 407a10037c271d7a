package api

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// The most bytes of a document that is sent, which stands in the database while it is kept, and of the request that brings
// it. base64 makes four bytes of three.
const (
	maxSent     = 16 << 20
	maxSendBody = maxSent*4/3 + 1<<20
)

// sendBody is what a send is asked for with.
type sendBody struct {
	Data        string         `json:"data"`    // base64 of XML
	XML         string         `json:"xml"`     // or the XML itself
	Invoice     jsontext.Value `json:"invoice"` // or an invoice, with
	CountryCode string         `json:"countryCode"`
	Format      string         `json:"format"`
	Recipient   struct {
		PeppolID string `json:"peppolId"`
		Name     string `json:"name"`
	} `json:"recipient"`
	Sender struct {
		PeppolID string `json:"peppolId"`
	} `json:"sender"`
	DocumentTypeID string `json:"documentTypeId"`
	ProcessID      string `json:"processId"`
	Validate       *bool  `json:"validate"`
}

// sendPeppol is POST /api/v1/peppol/send.
func (s *Server) sendPeppol(c *call) (*answer, error) { return s.once(c, (*Server).readSend) }

// readSend takes what is to be sent.
func (s *Server) readSend(c *call, in *intake) (*task, error) {
	if err := acceptJSON(c.r); err != nil {
		return nil, err
	}
	in.limit = min(in.limit, maxSendBody)
	leave := s.inTurn(c, in)
	defer leave()
	body, err := in.bytes()
	if err != nil {
		return nil, in.cause(err)
	}
	req, name, err := s.sendRequest(c, body)
	if err != nil {
		return nil, err
	}
	return &task{do: func(ticket *ledger.Ticket) (*done, error) {
		c.ticket = ticket
		a, err := s.transmit(c, req, name)
		return &done{answer: a}, err
	}}, nil
}

// sendRequest reads the body of a send, and gives the recipient's name with it.
func (s *Server) sendRequest(c *call, body []byte) (req kinds.SendRequest, name string, err error) {
	var b sendBody
	err = json.Unmarshal(withoutMark(body), &b, json.MatchCaseInsensitiveNames(false))
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		return req, "", wrongType(wrong)
	}
	if err != nil {
		return req, "", notJSON(err, "The request body must be a JSON object")
	}
	req = kinds.SendRequest{Recipient: b.Recipient.PeppolID, Sender: b.Sender.PeppolID, DocumentType: b.DocumentTypeID, Process: b.ProcessID,
		Unjudged: b.Validate != nil && !*b.Validate}
	switch {
	case req.Recipient == "":
		return req, "", badField("recipient.peppolId", finding.MissingField, "recipient.peppolId: is required")
	case len(b.Recipient.Name) > 500:
		return req, "", badField("recipient.name", finding.StringTooLong, "recipient.name: must have at most 500 bytes")
	case len(b.Invoice) > 0 && b.Invoice.Kind() == '{':
		req.Invoice, req.Country, req.Format = body, strings.ToLower(b.CountryCode), strings.ToLower(b.Format)
		return req, b.Recipient.Name, s.mayCreate(c, req)
	case b.XML != "":
		req.Document = []byte(b.XML)
	case b.Data == "":
		return req, "", badField("data", finding.MissingField, "data: is required, or xml, or invoice with countryCode and format")
	default:
		if req.Document, err = base64.StdEncoding.DecodeString(b.Data); err != nil {
			return req, "", badField("data", finding.InvalidBase64, "data: is not base64 (RFC 4648)")
		}
	}
	return req, b.Recipient.Name, nil
}

// mayCreate checks country and format of an invoice that is to be sent, and asks for the entitlement to create it.
func (s *Server) mayCreate(c *call, req kinds.SendRequest) error {
	if req.Country == "" || req.Format == "" {
		return badField("format", finding.MissingField, "format: an invoice needs countryCode and format")
	}
	country, err := s.Operations.Lookup(clip(req.Country))
	if err != nil {
		return err
	}
	if !country.Has(req.Format) {
		return unknownFormat(req.Format, &country)
	}
	return require(c.key, job.CreateEntitlement(req.Country, req.Format))
}

// transmit prepares a document, and accepts its transmission and the job that sends it.
func (s *Server) transmit(c *call, req kinds.SendRequest, name string) (*answer, error) {
	sender, err := s.configuredSender(c)
	if err != nil {
		return nil, err
	}
	store := s.Peppol.Transmissions
	req.Fallback, req.MessageID, req.Created = sender, uuid.NewString(), store.Now()
	prepared, err := s.prepareSend(c, req)
	if err != nil {
		return nil, err
	}
	k, envelope := prepared.Kind, prepared.Envelope
	if len(envelope) > maxSent {
		return nil, tooLarge(maxSent)
	}
	t := peppol.Transmission{ID: store.NewID(), Account: c.key.AccountID, Mode: c.key.Mode, State: peppol.Queued, MessageID: req.MessageID, Sender: k.Sender.String(),
		Recipient: k.Receiver.String(), RecipientName: name, DocumentType: k.DocumentType.URI(), Process: k.Process.URI(), Country: k.Country, InvoiceNumber: k.Number,
		Created: req.Created, Updated: req.Created}
	view := viewOfTransmission(t)
	view.Warnings = prepared.Warnings
	a := jsonAnswer(http.StatusAccepted, view).with("Location", transmissionsPath+"/"+t.ID)
	return a, s.acceptDocument(c, &t, envelope, func(tx *db.Tx) error { return s.keep(c, tx, a) })
}

// acceptDocument accepts a transmission with its document and the job that sends it, along with what along writes.
func (s *Server) acceptDocument(c *call, t *peppol.Transmission, envelope []byte, along func(tx *db.Tx) error) error {
	ctx, store := c.r.Context(), s.Peppol.Transmissions
	if err := s.Jobs.Admit(ctx, t.Account, 0); err != nil { // who has no room need not store first what is then dropped
		return err
	}
	document, err := store.Keep(ctx, t.Account, t.ID, envelope)
	if err != nil {
		return err
	}
	err = s.acceptSend(c, t.ID, len(envelope)+peppol.KeptBytes, func(tx *db.Tx, jobID string) error {
		t.JobID = jobID
		if err := store.Insert(tx, *t, document); err != nil {
			return err
		}
		return along(tx)
	})
	if err != nil && !errors.Is(err, db.ErrInDoubt) {
		err = errors.Join(err, store.Drop(context.WithoutCancel(ctx), document))
	}
	return err
}

// configuredSender is who sends where nothing else tells. Live keys need a provider; the error is the 409 without one.
func (s *Server) configuredSender(c *call) (string, error) {
	settings, err := s.peppolSettings(c)
	if c.key.Mode == account.Test && errors.Is(err, peppol.ErrNotConfigured) {
		return "", nil
	}
	if err != nil {
		return "", refusalOfTransmission(err)
	}
	return settings.SenderID, nil
}

// peppolSettings are those of the key's account and mode. The error is peppol.ErrNotConfigured where there are none.
func (s *Server) peppolSettings(c *call) (settings core.Settings, err error) {
	stored, err := s.Peppol.Transmissions.Settings(c.r.Context(), c.key.AccountID, c.key.Mode)
	if err != nil {
		return settings, err
	}
	return settings, json.Unmarshal(stored.Data, &settings)
}

// prepareSend judges the document as soon as there is a processor for that.
func (s *Server) prepareSend(c *call, req kinds.SendRequest) (*kinds.Prepared, error) {
	leave, err := s.process(c.r.Context(), c.key.AccountID)
	if err != nil {
		return nil, gone(c.r.Context(), err)
	}
	defer leave()
	return s.Peppol.Prepare(s.Recent.Yielding(c.r.Context(), c.key.AccountID), req)
}

// acceptSend accepts the job that sends a transmission, along with what along writes, which counts so many bytes as stored.
func (s *Server) acceptSend(c *call, transmissionID string, stored int, along func(tx *db.Tx, jobID string) error) error {
	o := job.Order{Operation: kinds.SendKind, Parameters: &kinds.SendParameters{Transmission: transmissionID}, Queue: names.Default}
	n := s.newJob(c, &o)
	n.Along, n.Stored = along, int64(stored)
	if c.key.Mode == account.Live {
		n.Charges = []ledger.Charge{{Entitlement: kinds.SendEntitlement, Units: 1}}
	}
	_, err := s.acceptJob(c.r.Context(), n)
	return err
}

// retryTransmission is POST /api/v1/peppol/transmissions/{id}/retry: a failed transmission is sent again, under the same message id.
func (s *Server) retryTransmission(c *call) (*answer, error) {
	transmissionID, store := c.id(), s.Peppol.Transmissions
	if _, err := store.Get(c.r.Context(), c.key.AccountID, c.key.Mode, transmissionID); err != nil {
		return nil, refusalOfTransmission(err)
	}
	if _, err := s.configuredSender(c); err != nil {
		return nil, err
	}
	var a *answer
	err := s.acceptSend(c, transmissionID, peppol.KeptBytes, func(tx *db.Tx, jobID string) error {
		t, err := store.Requeue(tx, c.key.AccountID, c.key.Mode, transmissionID, jobID)
		if err != nil {
			return err
		}
		a = jsonAnswer(http.StatusAccepted, viewOfTransmission(t))
		return s.keep(c, tx, a)
	})
	if err != nil {
		return nil, refusalOfTransmission(err)
	}
	return a, nil
}
