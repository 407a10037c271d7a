package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// statusClientGone is what the log says of a request whose client left before the answer; it is never sent.
const statusClientGone = 499

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

// refusals gives the public half of errors that other packages name.
var refusals = []struct {
	err     error
	refusal finding.Refusal
}{
	{ledger.ErrNotFound, finding.Refusal{Kind: finding.NotFound, Message: "Job does not exist"}},
	{ledger.ErrConflict, finding.Refusal{Kind: finding.Conflict, Word: "IDEMPOTENCY_CONFLICT", Field: "Idempotency-Key",
		Message: "The Idempotency-Key was used for another request: method, path, query and body must be the same"}},
	{account.ErrNotFound, *errNoKey},
	{account.ErrTooMany, finding.Refusal{Kind: finding.Conflict, Message: "The account has as many keys in this mode as it may have; revoke one first"}},
	{db.ErrAway, finding.Refusal{Kind: finding.Unavailable,
		Message: "The database cannot be reached now; send the request again in a moment, with the same Idempotency-Key if it has one"}},
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
	_, told := errors.AsType[*finding.Refusal](err) // whatever its cause is
	for _, known := range refusals {
		if !told && errors.Is(err, known.err) {
			err = &known.refusal
		}
	}
	if q, ok := errors.AsType[*ledger.QuotaError](err); ok {
		err = exhausted(q)
	}
	if full, ok := errors.AsType[*volume.ExceededError](err); ok {
		err = storedTooMuch(full)
	}
	if errors.Is(err, account.ErrInvalid) || errors.Is(err, ledger.ErrInvalid) {
		err = notAcceptable(err)
	}
	r := answers.RefusalOf(err)
	return &problem{status: r.Status, Refusal: r.Refusal}
}

// quotaView is what is told of an exhausted quota.
type quotaView struct {
	Current int64  `json:"current"`
	Limit   int64  `json:"limit"`
	Period  string `json:"period,omitzero"`
}

// exhausted is the contract's 429 with quota. A lapsed subscription has the limit 0 and no period.
func exhausted(q *ledger.QuotaError) error {
	quota := quotaView{Current: q.Current, Limit: q.Limit}
	if q.Period != nil {
		quota.Period = q.Period.Type
	}
	return &finding.Refusal{Kind: finding.RateLimited, Word: "QUOTA_EXCEEDED", Message: "Usage limit reached for " + q.Entitlement,
		Extra: []finding.Extra{{Name: "quota", Value: quota}}}
}

// storedTooMuch is the 429 of an account for which as much is stored as may be.
func storedTooMuch(e *volume.ExceededError) error {
	return &finding.Refusal{Kind: finding.RateLimited, Word: "STORAGE_EXCEEDED", Message: "What is stored for this account takes all the room that it may; erase jobs " +
		"that have ended (DELETE /api/v1/jobs/{id}), delete templates or webhooks that do not answer, or wait until it expires",
		Extra: []finding.Extra{{Name: "storage", Value: storageView{e.Current, e.Limit}}}}
}

// storageView is what is told of storage that is used up, in bytes.
type storageView struct {
	Current int64 `json:"current"`
	Limit   int64 `json:"limit"`
}

// notAcceptable is the 400 of what a store refuses to keep; its words are fit for the public.
func notAcceptable(err error) error {
	if wrong, ok := errors.AsType[*account.MemberError](err); ok {
		return badField(wrong.Member, finding.InvalidValue, wrong.Error())
	}
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

// answered is the problem as it is answered, without its header fields.
func (p *problem) answered() *answers.Refusal {
	return &answers.Refusal{Refusal: p.Refusal, Status: p.status}
}

// body gives the error in the shape of the contract.
func (p *problem) body() []byte { return p.answered().Body() }

// code is the machine reason.
func (p *problem) code() string { return p.answered().MachineCode() }

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
