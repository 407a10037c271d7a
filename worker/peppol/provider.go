// Package peppol hands documents over to access point providers and asks the network who takes what. Whatever it asks is asked through the
// guarded client of package outbound.
package peppol

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// Client asks hosts; *outbound.Client does.
type Client interface {
	Post(ctx context.Context, url string, header http.Header, body []byte, keep int64) (outbound.Response, error)
	Get(ctx context.Context, url string, most int64) (outbound.Response, error)
	GetWith(ctx context.Context, url string, header http.Header, keep int64) (outbound.Response, error)
}

var _ Client = (*outbound.Client)(nil)

// Configured gives what an account and mode has configured; *peppol.Store does.
type Configured interface {
	Settings(ctx context.Context, accountID string, mode account.Mode) (peppol.Settings, error)
}

// Recipients tells who takes what; *Network does.
type Recipients interface {
	// Takes gives core.ErrUnregistered where the participant does not take the document type in the process, and other errors where nobody can be asked.
	Takes(ctx context.Context, p core.Participant, d core.DocumentType, process core.Process) error
	// LookUp gives what the network knows of a participant, or core.ErrUnregistered.
	LookUp(ctx context.Context, p core.Participant) (core.Entry, error)
}

// mostAnswer is the most bytes of an answer that are read.
const mostAnswer = 256 << 10

// Provider sends by the HTTP interface that the account has configured. It is a kinds.Sender, safe for concurrent use.
type Provider struct {
	client     Client
	settings   Configured
	recipients Recipients // nil where no SML is configured
}

var _ kinds.Sender = (*Provider)(nil)

// NewProvider prepares a Provider. Recipients may be nil.
func NewProvider(client Client, settings Configured, recipients Recipients) *Provider {
	return &Provider{client, settings, recipients}
}

// Send implements kinds.Sender. A message that was begun before is asked for first, where the provider can be asked, so that it is not handed over
// twice for want of an answer.
func (p *Provider) Send(ctx context.Context, a peppol.Attempt) (peppol.Outcome, error) {
	settings, err := p.configured(ctx, a)
	if errors.Is(err, peppol.ErrNotConfigured) {
		return peppol.Outcome{State: peppol.Failed, Code: finding.PeppolNotConfigured, Reason: "No access point provider is configured any more"}, nil
	}
	if err != nil {
		return peppol.Outcome{}, err
	}
	provider := settings.Provider
	if provider.LookUp {
		if o, err := p.lookUp(ctx, a); o.State != "" || err != nil {
			return o, err
		}
	}
	if a.Attempts > 1 && provider.StatusURL != "" {
		if o, known, _ := p.ask(ctx, a, provider); known && o.State != peppol.Failed {
			return o, nil
		}
	}
	body, err := bodyOf(provider, a.Document)
	if err != nil {
		return peppol.Outcome{}, err
	}
	words := wordsOf(a)
	answer, err := p.client.Post(ctx, words.InURL(provider.URL), headerOf(provider, words), body, mostAnswer)
	if err != nil {
		return peppol.Outcome{}, faultOf(err)
	}
	return outcomeOf(a, provider, answer)
}

func (p *Provider) configured(ctx context.Context, a peppol.Attempt) (settings core.Settings, err error) {
	stored, err := p.settings.Settings(ctx, a.Account, a.Mode)
	if err != nil {
		return settings, err
	}
	if err := json.Unmarshal(stored.Data, &settings); err != nil {
		return settings, fmt.Errorf("read Peppol settings: %w", err)
	}
	return settings, nil
}

// lookUp checks that the recipient takes the document. A network that cannot be asked is a fault, after which the send is tried again.
func (p *Provider) lookUp(ctx context.Context, a peppol.Attempt) (o peppol.Outcome, err error) {
	if p.recipients == nil {
		return peppol.Outcome{State: peppol.Failed, Code: finding.PeppolNotConfigured, Reason: "The settings ask for a look-up, but the operator has configured no SML (--peppol-sml)"}, nil
	}
	recipient, err := core.ParseParticipant(a.Recipient)
	if err != nil {
		return o, err
	}
	document, err := core.ParseDocumentType(a.DocumentType)
	if err != nil {
		return o, err
	}
	process, err := core.ParseProcess(a.Process)
	if err != nil {
		return o, err
	}
	err = p.recipients.Takes(ctx, recipient, document, process)
	if !errors.Is(err, core.ErrUnregistered) {
		if err != nil {
			err = &kinds.SendFault{Message: "the recipient could not be looked up in the network", Cause: err}
		}
		return o, err
	}
	o = peppol.Outcome{State: peppol.Failed, Code: finding.PeppolDocumentUnsupported, Reason: fmt.Sprintf("%s does not take this document type in this process: %v", recipient, err)}
	if _, err := p.recipients.LookUp(ctx, recipient); errors.Is(err, core.ErrUnregistered) {
		o.Code, o.Reason = finding.PeppolRecipientUnknown, recipient.String()+" is not registered in the network"
	}
	return o, nil
}

// wordsOf fills the words in braces of URLs and header fields for an attempt.
func wordsOf(a peppol.Attempt) core.Words {
	return core.Words{"messageId": a.MessageID, "sender": a.Sender, "recipient": a.Recipient, "documentType": a.DocumentType, "process": a.Process,
		"country": a.Country, "transmissionId": a.ID}
}

func headerOf(provider core.Provider, words core.Words) http.Header {
	header := http.Header{"Content-Type": {"application/xml"}, "Accept": {"application/json"}}
	if provider.ContentType != "" {
		header.Set("Content-Type", provider.ContentType)
	}
	for name, value := range provider.Headers {
		header.Set(name, words.InHeader(value))
	}
	return header
}

// bodyOf is what is posted: the envelope, or the document in it.
func bodyOf(provider core.Provider, envelope []byte) ([]byte, error) {
	if provider.Body != "document" {
		return envelope, nil
	}
	doc, err := xmltree.Parse(envelope, xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("open our own envelope: %w", err)
	}
	defer doc.Release()
	return sbdh.Unwrap(doc)
}

// ask asks what the provider knows of a message; known is false where that tells nothing to go by. The error says that nothing was answered.
func (p *Provider) ask(ctx context.Context, a peppol.Attempt, provider core.Provider) (o peppol.Outcome, known bool, err error) {
	words := wordsOf(a)
	answer, err := p.client.GetWith(ctx, words.InURL(provider.StatusURL), headerOf(provider, words), mostAnswer)
	if err != nil {
		return o, false, err
	}
	if answer.Status != http.StatusOK || answer.Cut {
		return o, false, nil
	}
	o, wrong := outcomeOf(a, provider.ForStatus(), answer)
	return o, wrong == nil, nil
}

// again are the statuses after which the same message is sent again, beside those from 500: it was not looked at.
var again = []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusLocked}

// outcomeOf reads an answer. What is not understood, and a receipt that is not signed as it should be, is a fault: the same message is sent again.
func outcomeOf(a peppol.Attempt, provider core.Provider, answer outbound.Response) (peppol.Outcome, error) {
	switch status := answer.Status; {
	case status >= 500 || slices.Contains(again, status):
		return peppol.Outcome{}, &kinds.SendFault{Message: fmt.Sprintf("the provider has answered %d", status)}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return failed(fmt.Sprintf("the provider has answered %d: the credentials in the settings are not accepted", status)), nil
	case slices.Contains(provider.Taken, status):
		return peppol.Outcome{State: peppol.Sent, Reason: fmt.Sprintf("the provider has answered %d, and is asked what becomes of the message", status), AskAfter: provider.FirstQuestion()}, nil
	case status >= 300:
		told, _ := provider.Answer.Read(answer.Body)
		return failed(fmt.Sprintf("the provider has answered %d %s", status, told.Message)), nil
	case answer.Cut:
		return peppol.Outcome{}, &kinds.SendFault{Message: "the answer of the provider is too large"}
	}
	told, err := provider.Answer.Read(answer.Body)
	if err != nil {
		return peppol.Outcome{}, &kinds.SendFault{Message: err.Error(), Cause: err}
	}
	if told.MessageID != "" && told.MessageID != a.MessageID {
		return peppol.Outcome{}, &kinds.SendFault{Message: fmt.Sprintf("the answer of the provider is for the message %.100q", told.MessageID)}
	}
	o := peppol.Outcome{State: peppol.State(told.State), Reason: told.Message, Receipt: told.Receipt}
	switch {
	case o.State == peppol.Failed:
		o.Code = finding.PeppolSendFailed
	case o.State == peppol.Sent:
		o.AskAfter = provider.FirstQuestion()
	case o.State == peppol.Delivered && provider.Certificate != "":
		if err := core.VerifyReceipt(told.Receipt, provider.Certificate, a.MessageID, sentBytes(provider, a)); err != nil {
			return peppol.Outcome{}, &kinds.SendFault{Message: err.Error(), Cause: err}
		}
	case o.State == peppol.Delivered && o.Receipt == "":
		o.Receipt = string(answer.Body)
	}
	return o, nil
}

// sentBytes is what a receipt has the hash of: the envelope, where that is what was posted.
func sentBytes(provider core.Provider, a peppol.Attempt) []byte {
	if provider.Body == "document" {
		return nil
	}
	return a.Document
}

func failed(reason string) peppol.Outcome {
	return peppol.Outcome{State: peppol.Failed, Code: finding.PeppolSendFailed, Reason: reason}
}

// faultOf is a request that brought no answer. What the guard refuses is a failure of the settings, but they may be put right while it is tried again.
func faultOf(err error) error {
	return &kinds.SendFault{Message: "the provider could not be reached: " + err.Error(), Cause: err}
}

// Timeout is the time that the client should grant a provider; with some it is the time of the whole way to the recipient.
const Timeout = 60 * time.Second
