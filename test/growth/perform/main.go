// Command perform does operations that it reads as JSON objects, one a line, and writes into a folder for each how often its own
// statements ran. The tests of growth build it with the statements counted (go build -cover -covermode=atomic).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/coverage"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// order is an operation to do.
type order struct {
	Operation string // generate, validate, parse
	Country   string
	Format    string
	Body      string // file with the JSON of a request; empty for a document
	Document  string // file with a document
	Counters  string // folder that gets the counters; empty for none
}

// done is what came of an operation.
type done struct {
	Refused string // why the input was refused before the work; empty where it was not
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "perform:", err)
		os.Exit(1)
	}
}

func run() error {
	s, err := service()
	if err != nil {
		return err
	}
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read an order: %w", err)
		}
		d, err := o.do(s)
		if err != nil {
			return fmt.Errorf("%s %s%s: %w", o.Operation, o.Body, o.Document, err)
		}
		if err := answers.Encode(d); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// service judges by the rulebooks that ship.
func service() (*operation.Service, error) {
	registry, err := rulebook.NewRegistry(context.Background(), rulebook.Config{Layers: []rulebook.Layer{
		{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}}})
	if err != nil {
		return nil, fmt.Errorf("load the rulebooks: %w", err)
	}
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	return operation.New(operation.Config{Rulebooks: registry.In, Now: func() time.Time { return now }})
}

// do does the operation and writes the counters of it alone.
func (o order) do(s *operation.Service) (d done, err error) {
	input, err := os.ReadFile(o.Body + o.Document)
	if err != nil {
		return d, err
	}
	if err := coverage.ClearCounters(); err != nil {
		return d, err
	}
	var refusal *finding.Refusal
	switch err := o.perform(s, input); {
	case errors.As(err, &refusal) && refusal.Kind == finding.Unprocessable:
	case err != nil:
		d.Refused = err.Error()
	}
	if o.Counters == "" {
		return d, nil
	}
	return d, errors.Join(coverage.WriteMetaDir(o.Counters), coverage.WriteCountersDir(o.Counters))
}

func (o order) perform(s *operation.Service, input []byte) (err error) {
	ctx := context.Background()
	switch {
	case o.Operation == "generate":
		_, err = s.Generate(ctx, operation.GenerateRequest{Country: o.Country, Format: o.Format, Body: input})
	case o.Operation == "parse":
		_, err = s.Parse(ctx, operation.ParseRequest{Document: input})
	case o.Document != "":
		_, err = s.Validate(ctx, operation.ValidateRequest{Country: o.Country, Document: input})
	default:
		_, err = s.Validate(ctx, operation.ValidateRequest{Country: o.Country, Format: o.Format, Body: input})
	}
	return err
}
