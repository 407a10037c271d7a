package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/peppol"
)

// Peppol is what the routes of Peppol stand on.
type Peppol struct {
	Transmissions Transmissions

	// Prepare is kinds.PrepareSend, in a process of its own where the document is large.
	Prepare func(ctx context.Context, req kinds.SendRequest) (*kinds.Prepared, error)

	// LookUp asks SML and SMP for the document types of a participant. The errors are core.ErrUnregistered, and others where they cannot be
	// asked. Nil: no SML is configured.
	LookUp func(ctx context.Context, p core.Participant) (core.Entry, error)

	// CheckURL tells whether a URL may be asked; the text of its error is for clients.
	CheckURL func(ctx context.Context, url string) error
}

// Transmissions keeps what is sent, and the settings; *peppol.Store does.
type Transmissions interface {
	NewID() string
	Now() time.Time
	Keep(ctx context.Context, accountID, transmissionID string, document []byte) (peppol.Document, error)
	Drop(ctx context.Context, d peppol.Document) error
	Insert(tx *db.Tx, t peppol.Transmission, d peppol.Document) error
	Requeue(tx *db.Tx, accountID string, mode account.Mode, transmissionID, jobID string) (peppol.Transmission, error)
	Get(ctx context.Context, accountID string, mode account.Mode, transmissionID string) (peppol.Transmission, error)
	List(ctx context.Context, accountID string, mode account.Mode, p db.Page) ([]peppol.Transmission, bool, error)
	Events(ctx context.Context, accountID string, mode account.Mode, transmissionID string) ([]peppol.Event, error)
	Document(ctx context.Context, accountID string, mode account.Mode, transmissionID string) ([]byte, error)
	Cancel(ctx context.Context, accountID string, mode account.Mode, transmissionID string) (peppol.Transmission, error)
	Settings(ctx context.Context, accountID string, mode account.Mode) (peppol.Settings, error)
	Configure(ctx context.Context, accountID string, mode account.Mode, data []byte) (peppol.Settings, error)
	Caller(ctx context.Context, callbackID string) (peppol.Caller, error)
	TakeCallback(ctx context.Context, c peppol.Caller, digest, messageID string, o peppol.Outcome) error
}

var _ Transmissions = (*peppol.Store)(nil)

const (
	peppolPath        = "/api/v1/peppol"
	transmissionsPath = peppolPath + "/transmissions"
)

var (
	sendPeppol  = administer(kinds.SendEntitlement)
	adminPeppol = administer("admin:peppol")
	calledBack  = policy{name: "a shared secret", open: true} // decided with the settings at hand
)

var peppolRoutes = []route{
	{"sendPeppol", http.MethodPost, peppolPath + "/send", sendPeppol, (*Server).sendPeppol},
	{"listTransmissions", http.MethodGet, transmissionsPath, sendPeppol, (*Server).listTransmissions},
	{"getTransmission", http.MethodGet, transmissionsPath + "/{id}", sendPeppol, (*Server).getTransmission},
	{"listTransmissionEvents", http.MethodGet, transmissionsPath + "/{id}/events", sendPeppol, (*Server).listTransmissionEvents},
	{"getTransmissionDocument", http.MethodGet, transmissionsPath + "/{id}/document", sendPeppol, (*Server).getTransmissionDocument},
	{"retryTransmission", http.MethodPost, transmissionsPath + "/{id}/retry", sendPeppol, (*Server).retryTransmission},
	{"cancelTransmission", http.MethodPost, transmissionsPath + "/{id}/cancel", sendPeppol, (*Server).cancelTransmission},
	{"getParticipant", http.MethodGet, peppolPath + "/participants/{id}", sendPeppol, (*Server).getParticipant},
	{"getPeppolSettings", http.MethodGet, peppolPath + "/settings", adminPeppol, (*Server).getPeppolSettings},
	{"updatePeppolSettings", http.MethodPut, peppolPath + "/settings", adminPeppol, (*Server).updatePeppolSettings},
	{"peppolCallback", http.MethodPost, peppolPath + "/callbacks/{id}", calledBack, (*Server).peppolCallback},
}

// transmissionView is a transmission as the API and webhooks show it.
type transmissionView struct {
	TransmissionID string            `json:"transmissionId"`
	Status         peppol.State      `json:"status"`
	Timestamp      time.Time         `json:"timestamp"` // of the last change
	MessageID      string            `json:"messageId"`
	Recipient      recipientView     `json:"recipient"`
	Sender         partyView         `json:"sender"`
	Invoice        sentInvoice       `json:"invoice"`
	DocumentTypeID string            `json:"documentTypeId"`
	ProcessID      string            `json:"processId"`
	Attempts       int               `json:"attempts"`
	Created        time.Time         `json:"created"`
	Sent           time.Time         `json:"sent,omitzero"`
	Ended          time.Time         `json:"ended,omitzero"` // delivered, failed or canceled
	Failure        *sendFailure      `json:"failure,omitzero"`
	Warnings       []finding.Finding `json:"warnings,omitzero"` // of the document, in the answer to its sending alone
}

type recipientView struct {
	PeppolID string `json:"peppolId"`
	Name     string `json:"name,omitzero"`
}

type partyView struct {
	PeppolID string `json:"peppolId"`
}

type sentInvoice struct {
	InvoiceNumber string `json:"invoiceNumber"`
}

// sendFailure is why a transmission has failed.
type sendFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func viewOfTransmission(t peppol.Transmission) transmissionView {
	v := transmissionView{TransmissionID: t.ID, Status: t.State, Timestamp: t.Updated, MessageID: t.MessageID, Recipient: recipientView{t.Recipient, t.RecipientName},
		Sender: partyView{t.Sender}, Invoice: sentInvoice{t.InvoiceNumber}, DocumentTypeID: t.DocumentType, ProcessID: t.Process, Attempts: t.Attempts,
		Created: t.Created, Sent: t.SentAt, Ended: t.Ended}
	if t.State == peppol.Failed {
		v.Failure = &sendFailure{t.Code, t.Reason}
	}
	return v
}

// TransmissionObject is a transmission as webhooks are told it.
func TransmissionObject(t peppol.Transmission) []byte { return answers.JSON(viewOfTransmission(t)) }

// errNoPeppol is the 409 where nothing is configured.
func errNoPeppol(what string) error {
	return &finding.Refusal{Kind: finding.Conflict, Word: finding.PeppolNotConfigured, Code: finding.PeppolNotConfigured, Message: what}
}

// refusalOfTransmission gives the public half of an error of the store.
func refusalOfTransmission(err error) error {
	switch {
	case errors.Is(err, peppol.ErrNotFound):
		return &finding.Refusal{Kind: finding.NotFound, Message: "Transmission does not exist, or its document is gone", Cause: err}
	case errors.Is(err, peppol.ErrState):
		return &finding.Refusal{Kind: finding.Conflict, Cause: err,
			Message: "The transmission cannot be canceled any more, or not be sent again: a queued one is canceled before its first attempt, a failed one without a receipt is sent again while its document is kept"}
	case errors.Is(err, peppol.ErrNotConfigured):
		return errNoPeppol("No access point provider is configured for this account and mode: PUT " + peppolPath + "/settings names one")
	}
	return err
}

// getTransmission is GET /api/v1/peppol/transmissions/{id}.
func (s *Server) getTransmission(c *call) (*answer, error) {
	t, err := s.Peppol.Transmissions.Get(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return nil, refusalOfTransmission(err)
	}
	return jsonAnswer(http.StatusOK, viewOfTransmission(t)), nil
}

// listTransmissions is GET /api/v1/peppol/transmissions.
func (s *Server) listTransmissions(c *call) (*answer, error) {
	return listing[peppol.Transmission, transmissionView]{
		path: transmissionsPath,
		list: func(p db.Page) ([]peppol.Transmission, bool, error) {
			return s.Peppol.Transmissions.List(c.r.Context(), c.key.AccountID, c.key.Mode, p)
		},
		id:   func(t peppol.Transmission) string { return t.ID },
		show: func(t peppol.Transmission) (transmissionView, bool) { return viewOfTransmission(t), true },
	}.answer(c.r.URL.Query())
}

// listTransmissionEvents is GET /api/v1/peppol/transmissions/{id}/events.
func (s *Server) listTransmissionEvents(c *call) (*answer, error) {
	transmissionID := c.id()
	events, err := s.Peppol.Transmissions.Events(c.r.Context(), c.key.AccountID, c.key.Mode, transmissionID)
	if err != nil {
		return nil, refusalOfTransmission(err)
	}
	return jsonAnswer(http.StatusOK, struct {
		Object  string         `json:"object"`
		Data    []peppol.Event `json:"data"`
		HasMore bool           `json:"has_more"`
		URL     string         `json:"url"`
	}{"list", events, false, transmissionsPath + "/" + transmissionID + "/events"}), nil
}

// getTransmissionDocument is GET /api/v1/peppol/transmissions/{id}/document: the envelope with the document, as it is sent.
func (s *Server) getTransmissionDocument(c *call) (*answer, error) {
	transmissionID := c.id()
	data, err := s.Peppol.Transmissions.Document(c.r.Context(), c.key.AccountID, c.key.Mode, transmissionID)
	if err != nil {
		return nil, refusalOfTransmission(err)
	}
	return documentAnswer(transmissionID+".xml", "application/xml", core.Digest(data), data), nil
}

// cancelTransmission is POST /api/v1/peppol/transmissions/{id}/cancel. Its job is canceled, too; where that has just begun, it finds nothing to send.
func (s *Server) cancelTransmission(c *call) (*answer, error) {
	t, err := s.Peppol.Transmissions.Cancel(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return nil, refusalOfTransmission(err)
	}
	if _, err := s.Jobs.Cancel(c.r.Context(), c.key.AccountID, c.key.Mode, t.JobID); err != nil && !errors.Is(err, ledger.ErrFinished) && !errors.Is(err, ledger.ErrNotFound) {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, viewOfTransmission(t)), nil
}

// participantView is a participant as its service metadata publisher tells.
type participantView struct {
	ParticipantID string   `json:"participantId"`
	Registered    bool     `json:"registered"`
	SMP           string   `json:"smp"` // where it is registered
	DocumentTypes []string `json:"documentTypes"`
}

// getParticipant is GET /api/v1/peppol/participants/{scheme}:{value}.
func (s *Server) getParticipant(c *call) (*answer, error) {
	text, _ := c.variable("id")
	p, err := core.ParseParticipant(text)
	if err != nil {
		return nil, badField("id", finding.InvalidValue, "id: "+err.Error())
	}
	entry, err := s.lookUp(c, p)
	if errors.Is(err, core.ErrUnregistered) {
		return nil, &finding.Refusal{Kind: finding.NotFound, Code: finding.PeppolRecipientUnknown, Message: p.String() + " is not registered in the network", Cause: err}
	}
	if err != nil {
		return nil, err
	}
	v := participantView{ParticipantID: p.String(), Registered: true, SMP: entry.SMP, DocumentTypes: []string{}}
	for _, d := range entry.DocumentTypes {
		v.DocumentTypes = append(v.DocumentTypes, d.URI())
	}
	return jsonAnswer(http.StatusOK, v), nil
}

// lookUp asks the network; for test keys the answer is the same each time.
func (s *Server) lookUp(c *call, p core.Participant) (core.Entry, error) {
	if c.key.Mode == account.Test {
		return kinds.TestEntry(p)
	}
	if s.Peppol.LookUp == nil {
		return core.Entry{}, errNoPeppol("Participants cannot be looked up: the operator has configured no SML (--peppol-sml)")
	}
	entry, err := s.Peppol.LookUp(c.r.Context(), p)
	if err != nil && !errors.Is(err, core.ErrUnregistered) {
		err = &finding.Refusal{Kind: finding.Unavailable, Message: "The network cannot be asked for the participant now", Cause: err}
	}
	return entry, err
}
