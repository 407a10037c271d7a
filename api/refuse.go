package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// statusClientGone is what the log says of a request whose client left before the answer; it is never sent.
const statusClientGone = 499

// kinds maps the kinds of refusal to HTTP: the status, and the word of error where the refusal brings none.
var kinds = [...]struct {
	status int
	word   string
}{
	finding.Internal:      {http.StatusInternalServerError, "Internal Server Error"},
	finding.BadRequest:    {http.StatusBadRequest, "Bad Request"},
	finding.Unauthorized:  {http.StatusUnauthorized, "UNAUTHORIZED"},
	finding.Forbidden:     {http.StatusForbidden, "FORBIDDEN"},
	finding.NotFound:      {http.StatusNotFound, "Not Found"},
	finding.Conflict:      {http.StatusConflict, "Conflict"},
	finding.TooLarge:      {http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE"},
	finding.Unprocessable: {http.StatusUnprocessableEntity, "Unprocessable Entity"},
	finding.RateLimited:   {http.StatusTooManyRequests, "RATE_LIMITED"},
	finding.Unavailable:   {http.StatusServiceUnavailable, "Service Unavailable"},
}

// problem is a refusal that belongs to HTTP alone or brings header fields: 405, 408, 415, 401 with WWW-Authenticate.
type problem struct {
	finding.Refusal
	status int
	header http.Header
}

// newProblem makes a problem whose error word is the phrase of its status.
func newProblem(status int, message string) *problem {
	return &problem{status: status, Refusal: finding.Refusal{Word: http.StatusText(status), Message: message}}
}

func (p *problem) with(name, value string) *problem {
	if p.header == nil {
		p.header = http.Header{}
	}
	p.header.Set(name, value)
	return p
}

// errClientGone says that the client left before its request was read or answered.
var errClientGone = errors.New("the client closed the connection")

// internalRefusal is all that the public learns of an error of our own.
var internalRefusal = finding.Refusal{Word: "Internal Server Error", Message: "The request could not be completed because of an internal error"}

// refusals gives the public half of errors that other packages name.
var refusals = []struct {
	err     error
	refusal finding.Refusal
}{
	{ledger.ErrNotFound, finding.Refusal{Kind: finding.NotFound, Message: "Job does not exist"}},
	{ledger.ErrConflict, finding.Refusal{Kind: finding.Conflict, Word: "IDEMPOTENCY_CONFLICT", Field: "Idempotency-Key",
		Message: "The Idempotency-Key was used for another request: method, path, query and body must be the same"}},
	{account.ErrNotFound, *errNoKey},
	{ledger.ErrGone, finding.Refusal{Kind: finding.NotFound, Message: "The output of the job is gone: it has expired or was erased"}},
}

// problemOf gives the public half of err. An error that is no refusal is an internal one, without details.
func problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if errors.Is(err, errClientGone) {
		return newProblem(statusClientGone, "The client closed the connection")
	}
	for _, known := range refusals {
		if errors.Is(err, known.err) {
			err = &known.refusal
		}
	}
	if q, ok := errors.AsType[*ledger.QuotaError](err); ok {
		err = exhausted(q)
	}
	if errors.Is(err, account.ErrInvalid) || errors.Is(err, ledger.ErrInvalid) {
		err = notAcceptable(err)
	}
	r, ok := errors.AsType[*finding.Refusal](err)
	if !ok || r.Kind == finding.Internal || int(r.Kind) >= len(kinds) {
		return &problem{status: http.StatusInternalServerError, Refusal: internalRefusal}
	}
	p := &problem{status: kinds[r.Kind].status, Refusal: *r}
	fill(&p.Word, kinds[r.Kind].word)
	return p
}

// exhausted is the contract's 429 with quota. A lapsed subscription has the limit 0 and no period.
func exhausted(q *ledger.QuotaError) error {
	quota := []member{{"current", q.Current}, {"limit", q.Limit}}
	if q.Period != nil {
		quota = append(quota, member{"period", q.Period.Type})
	}
	return &finding.Refusal{Kind: finding.RateLimited, Word: "QUOTA_EXCEEDED", Message: "Usage limit reached for " + q.Entitlement,
		Extra: []finding.Extra{{Name: "quota", Value: jsontext.Value(encodeObject(quota))}}}
}

// notAcceptable is the 400 of what a store refuses to keep; its words are fit for the public.
func notAcceptable(err error) error {
	reason := strings.TrimSuffix(err.Error(), ": "+account.ErrInvalid.Error())
	return &finding.Refusal{Kind: finding.BadRequest, Message: reason, Cause: err}
}

// privateCause is the half of err that only the log may tell.
func privateCause(err error) error {
	if r, ok := errors.AsType[*finding.Refusal](err); ok && r.Cause != nil {
		return r.Cause
	}
	return err
}

// body gives the error in the shape of the contract: error, message, code, field, errors and what else the word brings.
func (p *problem) body() []byte {
	members := []member{{"error", p.Word}, {"message", p.Message}}
	if code := p.code(); code != "" {
		members = append(members, member{"code", code})
	}
	if p.Field != "" {
		members = append(members, member{"field", p.Field})
	}
	members = append(members, member{"errors", p.entries()})
	for _, e := range p.Extra {
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == e.Name }) {
			members = append(members, member{e.Name, e.Value})
		}
	}
	return encodeObject(members)
}

// code is the machine reason; an error word that is no HTTP phrase is one itself.
func (p *problem) code() string {
	if p.Code == "" && p.Word == strings.ToUpper(p.Word) {
		return p.Word
	}
	return p.Code
}

// entries gives errors[], which is never empty.
func (p *problem) entries() []finding.Finding {
	if len(p.Errors) > 0 {
		return p.Errors
	}
	code := p.code()
	if code == "" {
		code = strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(p.Word))
	}
	return []finding.Finding{{Code: code, Message: p.Message, Field: p.Field}}
}

// badField is the 400 for one member, parameter or part of a request.
func badField(field, code, message string) error {
	return &finding.Refusal{
		Kind: finding.BadRequest, Message: message, Field: field,
		Errors: []finding.Finding{{Code: code, Message: message, Field: field}},
	}
}

// ErrorBody gives err in the shape that the API answers it, with further members; doors other than HTTP show it so, too.
func ErrorBody(err error, further ...finding.Extra) []byte {
	p := *problemOf(err)
	p.Extra = append(further, p.Extra...)
	return p.body()
}
