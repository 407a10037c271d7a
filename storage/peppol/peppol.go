// Package peppol keeps what is sent through the Peppol network: transmissions with their events and documents, the settings of providers
// (sealed), and which call-backs were taken.
//
// A transmission is written in the transaction that accepts the job which sends it. Its message id is fixed then. Each change of its state is
// one transaction with its entry in the log and the event that webhooks are told, so none is told twice and none is lost. What a receipt has
// come for is never sent again.
package peppol

import (
	"cmp"
	"errors"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/seal"
)

// Errors of this package, for errors.Is.
var (
	ErrNotFound      = errors.New("no such transmission")                        // unknown, another account's or the other mode's
	ErrSettled       = errors.New("the transmission is not to be sent")          // canceled, ended, or there is a receipt
	ErrLost          = errors.New("the transmission was taken by another run")   // stop, and leave it
	ErrState         = errors.New("the transmission is in a state without that") // too late or too early for what is asked
	ErrNotConfigured = errors.New("no provider is configured")                   // for the account and mode
	ErrReplayed      = errors.New("the call-back was taken before")
)

// State is where a transmission stands.
type State string

// The states. A sent transmission waits for its receipt; the last three are final, but for a failed one that is asked for again, or whose
// receipt comes late.
const (
	Queued    State = "queued"
	Sending   State = "sending"
	Sent      State = "sent"
	Delivered State = "delivered"
	Failed    State = "failed"
	Canceled  State = "canceled"
)

// Transmission is a document on its way.
type Transmission struct {
	ID            string // trm_…
	Account       string
	Mode          account.Mode
	State         State
	MessageID     string // a UUID, also the InstanceIdentifier of the envelope
	JobID         string
	Attempts      int // that were begun, all in all
	Tries         int // the same since it was queued last
	Sender        string
	Recipient     string
	RecipientName string
	DocumentType  string
	Process       string
	Country       string
	InvoiceNumber string
	Code          string // why it failed; empty otherwise
	Reason        string // the same in words, for clients
	Receipt       string // as the provider gave it; empty without one
	Created       time.Time
	Updated       time.Time
	SentAt        time.Time // zero before
	Ended         time.Time // zero before
}

// Event is an entry of a transmission's log.
type Event struct {
	Number  int       `json:"number"`
	Type    string    `json:"type"` // a state, or attempt_failed
	Message string    `json:"message"`
	Created time.Time `json:"created"`
}

// AttemptFailed is the type of the event of an attempt that is repeated.
const AttemptFailed = "attempt_failed"

// Config sets up a Store.
type Config struct {
	Clock     clock.Clock               // Default: the system's clock.
	Retention time.Duration             // how long documents are kept. Default: 7 days.
	Publisher ledger.Publisher          // is told of what was sent, delivered or failed. Default: nobody.
	Queue     ledger.Enqueuer           // takes what telling owes. Required with a Publisher.
	Object    func(Transmission) []byte // the JSON of a transmission for webhooks. Required with a Publisher.
}

// Store keeps transmissions in the database, and their large documents as blobs. It is safe for concurrent use.
type Store struct {
	cfg    Config
	db     *db.DB
	blobs  blob.Store
	sealer *seal.Sealer
}

// New prepares a Store.
func New(cfg Config, database *db.DB, blobs blob.Store, sealer *seal.Sealer) (*Store, error) {
	if database == nil || blobs == nil || sealer == nil || cfg.Publisher != nil && (cfg.Queue == nil || cfg.Object == nil) {
		return nil, errors.New("transmissions: database, blobs and sealer are required, and queue and object with a publisher")
	}
	cfg.Retention = cmp.Or(cfg.Retention, 7*24*time.Hour)
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	return &Store{cfg, database, blobs, sealer}, nil
}

func (s *Store) now() int64 { return clock.Millis(s.cfg.Clock.Now()) }

// NewID gives an id for a transmission.
func (s *Store) NewID() string { return id.New("trm", s.cfg.Clock.Now()) }

// Now is the present moment, to the millisecond as it is stored.
func (s *Store) Now() time.Time { return clock.Time(s.now()) }

// row is a row of peppol_transmissions.
type row struct {
	ID            string       `db:"id"`
	Account       string       `db:"account_id"`
	Mode          account.Mode `db:"mode"`
	State         State        `db:"state"`
	MessageID     string       `db:"message_id"`
	JobID         string       `db:"job_id"`
	Run           int64        `db:"run"`
	Attempts      int          `db:"attempts"`
	Tries         int          `db:"tries"`
	Events        int          `db:"events"`
	Sender        string       `db:"sender"`
	Recipient     string       `db:"recipient"`
	RecipientName string       `db:"recipient_name"`
	DocumentType  string       `db:"document_type"`
	Process       string       `db:"process"`
	Country       string       `db:"country"`
	InvoiceNumber string       `db:"invoice_number"`
	Code          string       `db:"code"`
	Reason        string       `db:"reason"`
	Receipt       string       `db:"receipt"`
	Created       int64        `db:"created"`
	Updated       int64        `db:"updated"`
	Sent          *int64       `db:"sent"`
	Ended         *int64       `db:"ended"`
	Asked         int          `db:"asked"`
	AskAt         *int64       `db:"ask_at"`
	AskSince      *int64       `db:"ask_since"`
}

func (r row) transmission() Transmission {
	t := Transmission{ID: r.ID, Account: r.Account, Mode: r.Mode, State: r.State, MessageID: r.MessageID, JobID: r.JobID, Attempts: r.Attempts, Tries: r.Tries,
		Sender: r.Sender, Recipient: r.Recipient, RecipientName: r.RecipientName, DocumentType: r.DocumentType, Process: r.Process, Country: r.Country,
		InvoiceNumber: r.InvoiceNumber, Code: r.Code, Reason: r.Reason, Receipt: r.Receipt, Created: clock.Time(r.Created), Updated: clock.Time(r.Updated)}
	if r.Sent != nil {
		t.SentAt = clock.Time(*r.Sent)
	}
	if r.Ended != nil {
		t.Ended = clock.Time(*r.Ended)
	}
	return t
}
