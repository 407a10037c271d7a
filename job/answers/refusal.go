package answers

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
)

// kinds maps the kinds of refusal to the contract's statuses, and to the word of error where the refusal brings none.
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

// Internal is all that the public learns of an error of our own.
var Internal = finding.Refusal{Word: "Internal Server Error", Message: "The request could not be completed because of an internal error"}

// Refusal is a refusal as it is answered.
type Refusal struct {
	finding.Refusal
	Status int // of HTTP
}

// RefusalOf gives the public half of err. An error that is no *finding.Refusal (by errors.As) is an internal one, without details.
func RefusalOf(err error) Refusal {
	r, ok := errors.AsType[*finding.Refusal](err)
	if !ok || r.Kind == finding.Internal || int(r.Kind) >= len(kinds) {
		return Refusal{Internal, http.StatusInternalServerError}
	}
	answered := Refusal{*r, kinds[r.Kind].status}
	answered.Word = cmp.Or(r.Word, kinds[r.Kind].word)
	return answered
}

// Body gives the refusal in the shape of the contract: error, message, code, field, errors and what else the word brings.
func (r *Refusal) Body() []byte {
	members := []member{{"error", r.Word}, {"message", r.Message}}
	if code := r.MachineCode(); code != "" {
		members = append(members, member{"code", code})
	}
	if r.Field != "" {
		members = append(members, member{"field", r.Field})
	}
	members = append(members, member{"errors", r.entries()})
	for _, e := range r.Extra {
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == e.Name }) {
			members = append(members, member{e.Name, e.Value})
		}
	}
	return object(members)
}

// MachineCode is the machine reason; an error word that is no HTTP phrase is one itself.
func (r *Refusal) MachineCode() string {
	if r.Code == "" && r.Word == strings.ToUpper(r.Word) {
		return r.Word
	}
	return r.Code
}

// entries gives errors[], which is never empty.
func (r *Refusal) entries() []finding.Finding {
	if len(r.Errors) > 0 {
		return r.Errors
	}
	code := r.MachineCode()
	if code == "" {
		code = strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(r.Word))
	}
	return []finding.Finding{{Code: code, Message: r.Message, Field: r.Field}}
}
