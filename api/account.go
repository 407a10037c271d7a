package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// Usage tells what an account has used; *ledger.Ledger does.
type Usage interface {
	Usage(ctx context.Context, accountID string, from, to time.Time) (ledger.Usage, error)
}

var _ Usage = (*ledger.Ledger)(nil)

// accountView is an account as the API shows it.
type accountView struct {
	ID                string         `json:"id"`
	Name              string         `json:"name"`
	NotificationEmail string         `json:"notificationEmail"`
	Plan              string         `json:"plan"` // empty: unlimited
	Defaults          jsontext.Value `json:"defaults"`
	Created           time.Time      `json:"created"`
}

func viewOfAccount(a account.Account) accountView {
	v := accountView{ID: a.ID, Name: a.Name, NotificationEmail: a.NotificationEmail, Plan: a.Plan, Created: a.Created}
	if v.Defaults = jsontext.Value(a.Defaults); len(v.Defaults) == 0 {
		v.Defaults = jsontext.Value("{}")
	}
	return v
}

// getAccount is GET /api/v1/account.
func (s *Server) getAccount(c *call) (*answer, error) {
	a, err := s.Accounts.Get(c.r.Context(), c.key.AccountID)
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, viewOfAccount(a)), nil
}

// updateAccount is PATCH /api/v1/account. The plan is the operator's: a member plan is ignored.
func (s *Server) updateAccount(c *call) (*answer, error) {
	var body struct {
		Name              *string        `json:"name"`
		NotificationEmail *string        `json:"notificationEmail"`
		Defaults          jsontext.Value `json:"defaults"`
	}
	if err := s.readMembers(c, &body); err != nil {
		return nil, err
	}
	change := account.Change{Name: body.Name, NotificationEmail: body.NotificationEmail}
	switch kind := body.Defaults.Kind(); {
	case len(body.Defaults) == 0, kind == 'n':
	case kind != '{':
		return nil, badField("defaults", finding.InvalidType, "defaults: must be an object")
	default:
		change.Defaults = []byte(body.Defaults)
		if language := defaultLanguage(change.Defaults); language != "" && !slices.Contains(s.Operations.Languages(), strings.ToLower(language)) {
			return nil, badField("defaults.language", finding.InvalidValue,
				"defaults.language: "+clip(language)+" is none of "+strings.Join(s.Operations.Languages(), ", "))
		}
	}
	a, err := s.Accounts.Update(c.r.Context(), c.key.AccountID, change)
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, viewOfAccount(a)), nil
}

// usageView is what an account has used.
type usageView struct {
	Period periodView    `json:"period"`
	Data   []entitlement `json:"data"`
}

// periodView is the time in which was counted.
type periodView struct {
	Type  string    `json:"type"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// entitlement is what was used of one.
type entitlement struct {
	Entitlement string `json:"entitlement"`
	Current     int64  `json:"current"`
	Limit       *int64 `json:"limit"` // null where no quota applies
}

// getUsage is GET /api/v1/usage.
func (s *Server) getUsage(c *call) (*answer, error) {
	from, to, err := daysOf(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	u, err := s.Usage.Usage(c.r.Context(), c.key.AccountID, from, to)
	if err != nil {
		return nil, err
	}
	v := usageView{Period: periodView(u.Period), Data: []entitlement{}}
	for _, e := range u.Entitlements {
		v.Data = append(v.Data, entitlement{e.Entitlement, e.Current, e.Limit})
	}
	return jsonAnswer(http.StatusOK, v), nil
}

// daysOf reads from and to, and gives the first moment of from and the first after to. Either may be left out: then it is the day
// of the other. Without both, both are zero.
func daysOf(query url.Values) (from, to time.Time, err error) {
	for _, day := range []struct {
		name string
		into *time.Time
	}{{"from", &from}, {"to", &to}} {
		text := query.Get(day.name)
		if text == "" {
			continue
		}
		if *day.into, err = time.Parse(time.DateOnly, text); err != nil || day.into.Year() < 2000 {
			return from, to, badField(day.name, finding.InvalidDate, day.name+": must be a calendar date YYYY-MM-DD from 2000 on")
		}
	}
	switch {
	case from.IsZero():
		from = to
	case to.IsZero():
		to = from
	case to.Before(from):
		err = badField("to", finding.InvalidValue, "to: lies before from")
	case to.Sub(from) > longestUsage:
		err = badField("to", finding.InvalidValue, "to: lies more than five years behind from")
	}
	if !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	return from, to, err
}

// longestUsage bounds what one question for usage reads.
const longestUsage = 5 * 366 * 24 * time.Hour

// readMembers reads the body of a request that orders no operation: a JSON object, or nothing. Members that v does not have are
// ignored.
func (s *Server) readMembers(c *call, v any) error {
	if err := acceptJSON(c.r); err != nil {
		return err
	}
	in, err := s.take(c)
	if err != nil {
		return err
	}
	defer in.close()
	in.limit = min(in.limit, plainBody)
	body, err := s.plain(c, in)
	if err != nil {
		return in.cause(err)
	}
	if len(strings.TrimSpace(string(body))) == 0 {
		return nil
	}
	body = withoutMark(body)
	if kind := jsontext.Value(body).Kind(); kind != '{' {
		return notJSON(nil, "The request body must be a JSON object")
	}
	err = json.Unmarshal(body, v)
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		return wrongType(wrong)
	}
	if err != nil {
		return notJSON(err, "")
	}
	c.notice(body, v)
	return nil
}

// wrongType is the 400 for a member that is of another JSON type than it has to be.
func wrongType(wrong *json.SemanticError) error {
	field := clip(memberOf(wrong.JSONPointer))
	return badField(field, finding.InvalidType, field+": "+wantedType(wrong.GoType))
}

// wantedType says which JSON type a Go type is read from.
func wantedType(t reflect.Type) string {
	if t == nil {
		return "has the wrong type"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "must be a string"
	case reflect.Bool:
		return "must be true or false"
	case reflect.Slice:
		return "must be a list"
	case reflect.Struct, reflect.Map:
		return "must be an object"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "must be a whole number"
	}
	return "has the wrong type"
}

// memberOf writes a JSON pointer as answers name members: /events/0 is events[0].
func memberOf(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if _, err := strconv.ParseUint(token, 10, 31); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}
