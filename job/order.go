package job

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Order is what a request asks for, apart from HTTP: what is done now, or kept in a job and done by a worker.
type Order struct {
	Operation  string // name of the kind
	Country    string // lower case; empty for automatic detection
	Format     string // lower case; empty for automatic detection
	Parameters any    // of the kind, as Kind.Parameters gives them; nil for their defaults
	Body       []byte // the body of the request, or the document in it
	Queue      string // that its job is to wait in, one of names.OfJobs. Default: the one of its urgency. No part of the job's input

	// Prepared is what the kind has made of the body before the run, so that the run need not do it again; nil where nothing was
	// made. It is no part of the job: see Order.Release.
	Prepared interface{ Release() }
}

// Outcome is what came of an order that was not refused.
type Outcome struct {
	Answer   []byte    // body of the synchronous 200
	Document *Document // nil where the operation makes none
	Clean    bool      // the document is all there is to tell: no warnings
	Events   []ledger.Event

	Registrations []ledger.Registration // what is registered along with the success
}

// Told gives the events of an outcome; none where there is no outcome.
func (o *Outcome) Told() []ledger.Event {
	if o == nil {
		return nil
	}
	return o.Events
}

// Document is a document that an operation made.
type Document struct {
	Filename string
	MimeType string
	Hash     string // lower-case hex SHA-256 of Data
	Data     []byte
}

// Kind names the order as the kind of a job: operation, country and format joined by colons, e.g. generate:de:xrechnung, or
// parse alone for automatic detection. Who may see a job is decided by its kind, without a look into its input.
func (o *Order) Kind() string {
	if o.Country == "" {
		return o.Operation
	}
	return o.Operation + ":" + o.Country + ":" + o.Format
}

// Release gives back what was prepared; it may be called more than once.
func (o *Order) Release() {
	if o.Prepared != nil {
		o.Prepared.Release()
		o.Prepared = nil
	}
}

// Pack gives the order as the input of a job: its parameters as one line of JSON, then the body, which is not copied.
func (o *Order) Pack() io.Reader {
	return io.MultiReader(bytes.NewReader(o.head()), bytes.NewReader(o.Body))
}

// head is the line of parameters.
func (o *Order) head() []byte {
	if o.Parameters == nil {
		return []byte("{}\n")
	}
	return append(answers.JSON(o.Parameters), '\n')
}

// Unpack is the inverse of Order.Kind and Order.Pack. The body is a part of packed. The error says that it is no packed order, or one
// of a kind that is not among these.
func (k Kinds) Unpack(kind string, packed []byte) (Order, error) {
	operation, country, format := SplitKind(kind)
	o, err := k.Order(operation, country, format)
	if err != nil {
		return o, fmt.Errorf("unpack order: %w", err)
	}
	head, body, ok := bytes.Cut(packed, []byte{'\n'})
	if !ok {
		return o, fmt.Errorf("unpack order: its parameters do not end")
	}
	if err := json.Unmarshal(head, o.Parameters); err != nil {
		return o, fmt.Errorf("unpack order: %w", err)
	}
	o.Body = body
	return o, nil
}
