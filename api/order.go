package api

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// The operations that can be ordered.
const (
	opGenerate = "generate"
	opParse    = "parse"
	opValidate = "validate"
)

// Order is what a request asks for, apart from HTTP: what is done now, or kept in a job and done by a worker. Both ways lead
// through Perform, so both give the same answer, byte for byte.
type Order struct {
	Operation string `json:"-"`
	Country   string `json:"-"` // lower case; empty for automatic detection
	Format    string `json:"-"` // lower case; empty for automatic detection
	Calculate bool   `json:"calculate,omitzero"`
	Filename  string `json:"filename,omitzero"`
	Body      []byte `json:"-"` // generate: the request body; parse: the document; validate: one of them

	// Of validate alone.
	Document       bool     `json:"document,omitzero"` // the body is a document
	AsOf           string   `json:"asOf,omitzero"`
	EnforcePending bool     `json:"enforcePending,omitzero"`
	Formats        []string `json:"formats,omitzero"`  // that the key may create, where the path names none
	MaxItems       int      `json:"maxItems,omitzero"` // lines of a document, where the plan allows fewer than the service

	lines int // that were counted while the body came, as far as they can be told
}

// performers does the operations by name.
var performers = map[string]func(context.Context, Operations, Order) (*Outcome, error){
	opGenerate: performGenerate,
	opParse:    performParse,
	opValidate: performValidate,
}

// Outcome is what came of an order that was not refused.
type Outcome struct {
	Answer   []byte    // body of the synchronous 200
	Document *Document // nil where the operation makes none
	Clean    bool      // the document is all there is to tell: no warnings
	Events   []ledger.Event
}

// Document is a document that an operation made.
type Document struct {
	Filename string
	MimeType string
	Hash     string // lower-case hex SHA-256 of Data
	Data     []byte
}

// Perform does what was ordered. A *finding.Refusal (by errors.As) blames the input.
func Perform(ctx context.Context, ops Operations, o Order) (*Outcome, error) {
	perform, ok := performers[o.Operation]
	if !ok {
		return nil, fmt.Errorf("there is no operation %q", o.Operation)
	}
	return perform(ctx, ops, o)
}

// Kind names the order as the kind of a job: operation, country and format joined by colons, e.g. generate:de:xrechnung, or
// parse alone for automatic detection. Who may see a job is decided by its kind, without a look into its input.
func (o *Order) Kind() string {
	if o.Country == "" {
		return o.Operation
	}
	return o.Operation + ":" + o.Country + ":" + o.Format
}

// setKind is the inverse of Kind.
func (o *Order) setKind(kind string) {
	var rest string
	o.Operation, rest, _ = strings.Cut(kind, ":")
	o.Country, o.Format, _ = strings.Cut(rest, ":")
}

// pack gives the order as the input of a job: its parameters as one line of JSON, then the body, which is not copied.
func (o *Order) pack() io.Reader {
	return io.MultiReader(bytes.NewReader(append(encode(o), '\n')), bytes.NewReader(o.Body))
}

// unpack is the inverse of Kind and pack. The body is a part of packed.
func unpack(kind string, packed []byte) (Order, error) {
	var o Order
	head, body, ok := bytes.Cut(packed, []byte{'\n'})
	if !ok {
		return o, fmt.Errorf("unpack order: its parameters do not end")
	}
	if err := json.Unmarshal(head, &o); err != nil {
		return o, fmt.Errorf("unpack order: %w", err)
	}
	o.setKind(kind)
	o.Body = body
	return o, nil
}

// needs gives the entitlement that the order takes as far as it tells by itself; "" where the format is for the answer to tell.
func (o *Order) needs() string {
	switch {
	case o.Country == "" || o.Format == "":
		return ""
	case o.Operation == opParse:
		return parseEntitlement(o.Country, o.Format)
	default:
		return createEntitlement(o.Country, o.Format)
	}
}

// some gives the kind of entitlements of which the order takes at least one, where needs gives none.
func (o *Order) some() string {
	if o.Operation == opValidate {
		return createEntitlement(o.Country, "*")
	}
	return parseEntitlement("*", "*")
}

// allow checks the entitlement that only the answer can tell: the one for what was detected.
func (o *Order) allow(formats Operations, key *account.Key, body []byte) error {
	if o.needs() != "" {
		return nil
	}
	var said struct {
		Detection *operation.Detection `json:"detection"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return fmt.Errorf("read detection from answer: %w", err)
	}
	switch d := said.Detection; {
	case d == nil:
		return nil
	case o.Operation == opValidate:
		return require(key, o.judgedEntitlement(formats, d))
	default:
		return require(key, detectedEntitlement(formats, d))
	}
}

// judgedEntitlement is what judging a document takes that turned out to be d: creating the format in the country of the path, or
// in the one that has it alone.
func (o *Order) judgedEntitlement(formats Operations, d *operation.Detection) string {
	country := o.Country
	if d.CountrySource == detect.FromFormat && d.CountryCode != nil {
		country = strings.ToLower(*d.CountryCode)
	}
	return createEntitlement(country, cmp.Or(formats.TokenOf(d.Format), "*"))
}

// detectedEntitlement is what parsing a document takes that turned out to be d.
func detectedEntitlement(formats Operations, d *operation.Detection) string {
	country := "*"
	if d.CountryCode != nil {
		country = strings.ToLower(*d.CountryCode)
	}
	return parseEntitlement(country, cmp.Or(formats.TokenOf(d.Format), "*"))
}
