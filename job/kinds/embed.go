package kinds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
)

// EmbedParameters are the parameters of embed. The body is the carrier, and behind it the JSON of the request without the carrier.
type EmbedParameters struct {
	Calculate      bool             `json:"calculate,omitzero"` // as in operation.EmbedRequest
	Carrier        int              `json:"carrier"`            // bytes of the carrier
	Validate       bool             `json:"validate,omitzero"`
	EnforcePending bool             `json:"enforcePending,omitzero"`
	Infos          []operation.Info `json:"infos,omitzero"` // as in operation.EmbedRequest
}

// Embed is the kind of jobs that embed an invoice into a PDF of the caller.
func Embed(ops Operations) job.Kind {
	return job.Kind{
		Name:        "embed",
		Parameters:  func() any { return new(EmbedParameters) },
		Entitlement: job.CreateEntitlement,
		Charge: func(_ context.Context, o *job.Order) string {
			return job.CreateEntitlement(o.Country, o.Format)
		},
		Units: func(o *job.Order) int {
			if p, ok := o.Parameters.(*EmbedParameters); ok && p.Validate {
				return 2 // contract, billing units
			}
			return 1
		},
		Bare: bareHybrid,
		Run: func(ctx context.Context, _ job.Run, o *job.Order) (*job.Outcome, error) {
			return embed(ctx, ops, o, o.Parameters.(*EmbedParameters))
		},
		Inline: true, Isolation: job.Large,
	}
}

func embed(ctx context.Context, ops Operations, o *job.Order, p *EmbedParameters) (*job.Outcome, error) {
	if p.Carrier < 0 || p.Carrier > len(o.Body) {
		return nil, fmt.Errorf("embed: the order has %d bytes and a carrier of %d", len(o.Body), p.Carrier)
	}
	a, err := ops.Embed(ctx, operation.EmbedRequest{Country: o.Country, Format: o.Format, Calculate: p.Calculate, Carrier: o.Body[:p.Carrier:p.Carrier],
		Body: o.Body[p.Carrier:], Validate: p.Validate, EnforcePending: p.EnforcePending, Infos: p.Infos})
	if err != nil {
		return nil, err
	}
	outcome := &job.Outcome{Answer: answers.JSON(a), Document: &job.Document{Filename: a.Filename, MimeType: a.MimeType, Hash: a.Hash, Data: a.Data}}
	_, outcome.Clean = bareHybrid(outcome.Answer)
	return outcome, nil
}

// bareHybrid tells whether the PDF says all that an answer of embed does, beside header fields: nothing has been warned of but that the
// result was not opened again, and a check that was asked for was passed (contract, embed upload, 2 and 3; supplement §1b).
func bareHybrid(answer []byte) (header map[string]string, ok bool) {
	said, err := headOf(answer)
	if err != nil || len(said.Carrier.Warnings) > 0 {
		return nil, false
	}
	status, rechecked := "skipped", true
	if v := said.Validation; v != nil {
		if v.Valid == nil || !*v.Valid {
			return nil, false
		}
		status = v.Status
	}
	for _, w := range said.Warnings {
		if w.Code != finding.ResultNotRechecked {
			return nil, false
		}
		rechecked = false
	}
	return map[string]string{"X-Validation-Status": status, "X-Result-Rechecked": strconv.FormatBool(rechecked), "X-Payload-Hash": said.PayloadHash}, true
}

// embedHead is what stands in an answer of embed before the document.
type embedHead struct {
	PayloadHash string
	Carrier     hybrid.Carrier
	Validation  *operation.Validation
	Warnings    []finding.Finding
}

// headOf reads an answer of embed up to the document, which may be long.
func headOf(answer []byte) (said embedHead, err error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(answer))
	if _, err = dec.ReadToken(); err != nil {
		return said, fmt.Errorf("read the answer: %w", err)
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return said, fmt.Errorf("read the answer: %w", err)
		}
		into := map[string]any{"payloadHash": &said.PayloadHash, "carrier": &said.Carrier, "validation": &said.Validation, "warnings": &said.Warnings}[name.String()]
		switch {
		case name.String() == "embeddedXml", name.String() == "data":
			return said, nil
		case into == nil:
			err = dec.SkipValue()
		default:
			err = json.UnmarshalDecode(dec, into)
		}
		if err != nil {
			return said, fmt.Errorf("read the answer: %w", err)
		}
	}
	return said, errors.New("read the answer: it has no document")
}
