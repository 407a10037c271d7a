package webhook

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
)

// Endpoint is where events are sent.
type Endpoint struct {
	ID             string // whk_…
	Account        string
	Mode           account.Mode
	URL            string
	Events         []string // types of Types; empty: all
	Description    string   // its owner's; may be empty
	Enabled        bool
	DisabledReason string // why the service disabled it: gone (it answered 410); empty otherwise
	Created        time.Time
	Updated        time.Time
	PreviousUntil  time.Time // until when the secret before the present one signs, too; zero without one
}

// DisabledGone is the DisabledReason of an endpoint that answered 410.
const DisabledGone = "gone"

// Change is what is to be changed of an endpoint; nil leaves as it is.
type Change struct {
	URL         *string
	Events      *[]string
	Description *string
	Enabled     *bool
}

// Required is the Message about a member that is missing.
const Required = "is required"

const maxDescription = 500 // characters

// check looks at what a change brings. The URL's host is looked up.
func (s *Store) check(ctx context.Context, c Change) error {
	if c.Events != nil {
		for i, e := range *c.Events {
			if !slices.Contains(Types, e) {
				return &InvalidError{Field: fmt.Sprintf("events[%d]", i), Message: "must be one of " + strings.Join(Types, ", ")}
			}
		}
	}
	if d := c.Description; d != nil && (utf8.RuneCountInString(*d) > maxDescription || !utf8.ValidString(*d) || strings.ContainsFunc(*d, unicode.IsControl)) {
		return &InvalidError{Field: "description", Message: fmt.Sprintf("must have at most %d characters and no control characters", maxDescription)}
	}
	if c.URL != nil {
		if err := s.urls.Check(ctx, *c.URL); err != nil {
			return &InvalidError{Field: "url", Message: err.Error(), Cause: err}
		}
	}
	return nil
}

// apply changes the row.
func (c Change) apply(r *endpointRow) error {
	if c.URL != nil {
		r.URL = *c.URL
	}
	if c.Description != nil {
		r.Description = *c.Description
	}
	if c.Enabled != nil && *c.Enabled != r.Enabled {
		r.Enabled, r.DisabledReason = *c.Enabled, ""
	}
	if c.Events != nil {
		events := append([]string{}, *c.Events...)
		slices.Sort(events)
		text, err := json.Marshal(slices.Compact(events))
		if err != nil {
			return fmt.Errorf("encode events: %w", err)
		}
		r.Events = string(text)
	}
	return nil
}

// Along writes something in the transaction that makes a secret, when endpoint and secrets are known. An error undoes the whole; it may
// be called again where the transaction is tried again.
type Along func(tx *db.Tx, e Endpoint, secrets Secrets) error

// Create makes an endpoint and gives its secret. URL is required; the endpoint is enabled unless something else is said. The error
// is an *InvalidError, ErrTooMany, or account.ErrNotFound for an unknown account.
func (s *Store) Create(ctx context.Context, accountID string, mode account.Mode, c Change, along ...Along) (Endpoint, string, error) {
	if c.URL == nil || *c.URL == "" {
		return Endpoint{}, "", &InvalidError{Field: "url", Message: Required}
	}
	if err := s.check(ctx, c); err != nil {
		return Endpoint{}, "", err
	}
	r, secret := s.newRow(accountID, mode)
	if err := c.apply(&r); err != nil {
		return Endpoint{}, "", err
	}
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := s.insert(tx, r); err != nil {
			return err
		}
		return s.goAlong(tx, r, Secrets{Current: secret}, along)
	})
	s.audiences.forget()
	if err != nil {
		return Endpoint{}, "", fmt.Errorf("create webhook: %w", err)
	}
	return r.endpoint(s.now()), secret, nil
}

func (s *Store) goAlong(tx *db.Tx, r endpointRow, secrets Secrets, along []Along) error {
	for _, a := range along {
		if err := a(tx, r.endpoint(s.now()), secrets); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) newRow(accountID string, mode account.Mode) (endpointRow, string) {
	r := endpointRow{ID: id.New("whk", s.cfg.Clock.Now()), Account: accountID, Mode: mode, Events: "[]", Enabled: true, Created: s.now(), Updated: s.now()}
	secret := newSecret()
	r.Secret = s.sealer.Seal([]byte(secret), r.ID)
	return r, secret
}

// insert writes the row; the account's row is locked, so that two beside each other do not exceed the number.
func (s *Store) insert(tx *db.Tx, r endpointRow) error {
	var owner string
	if err := tx.Get(&owner, "SELECT id FROM accounts WHERE id = ?"+tx.Lock(), r.Account); errors.Is(err, sql.ErrNoRows) {
		return account.ErrNotFound
	} else if err != nil {
		return err
	}
	var n int
	err := tx.Get(&n, "SELECT count(*) FROM webhook_endpoints WHERE account_id = ? AND mode = ? AND deleted IS NULL", r.Account, r.Mode)
	if err != nil {
		return err
	}
	if n >= s.cfg.MaxEndpoints {
		return fmt.Errorf("%d webhooks: %w", n, ErrTooMany)
	}
	_, err = tx.Named(`INSERT INTO webhook_endpoints (id, account_id, mode, url, events, description, enabled, secret, created, updated)
		VALUES (:id, :account_id, :mode, :url, :events, :description, :enabled, :secret, :created, :updated)`, r)
	return err
}

const ownEndpoint = "SELECT * FROM webhook_endpoints WHERE id = ? AND account_id = ? AND mode = ? AND deleted IS NULL"

// Get gives an endpoint of the account and mode. The error is ErrNotFound for one that is unknown or another's.
func (s *Store) Get(ctx context.Context, accountID string, mode account.Mode, endpointID string) (Endpoint, error) {
	r, err := s.read(ctx, accountID, mode, endpointID)
	return r.endpoint(s.now()), err
}

func (s *Store) read(ctx context.Context, accountID string, mode account.Mode, endpointID string) (r endpointRow, err error) {
	err = s.db.Get(ctx, &r, ownEndpoint, endpointID, accountID, mode)
	if errors.Is(err, sql.ErrNoRows) {
		return r, ErrNotFound
	}
	if err != nil {
		return r, fmt.Errorf("read webhook: %w", err)
	}
	return r, nil
}

// change locks the endpoint, lets fn change its row, writes that, and calls then.
func (s *Store) change(ctx context.Context, accountID string, mode account.Mode, endpointID string, fn func(*endpointRow) error, then ...func(*db.Tx, endpointRow) error) (r endpointRow, err error) {
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		r = endpointRow{}
		err := tx.Get(&r, ownEndpoint+tx.Lock(), endpointID, accountID, mode)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := fn(&r); err != nil {
			return err
		}
		r.Updated = s.now()
		_, err = tx.Named(`UPDATE webhook_endpoints SET url = :url, events = :events, description = :description, enabled = :enabled,
			disabled_reason = :disabled_reason, secret = :secret, previous_secret = :previous_secret, previous_until = :previous_until,
			updated = :updated, deleted = :deleted WHERE id = :id`, r)
		for _, do := range then {
			if err == nil {
				err = do(tx, r)
			}
		}
		return err
	})
	s.audiences.forget()
	if err != nil && !errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("change webhook: %w", err)
	}
	return r, err
}

// Update changes an endpoint. A disabled one gets nothing: its deliveries that wait are canceled when they come up. The error is an
// *InvalidError or ErrNotFound.
func (s *Store) Update(ctx context.Context, accountID string, mode account.Mode, endpointID string, c Change) (Endpoint, error) {
	if _, err := s.read(ctx, accountID, mode, endpointID); err != nil {
		return Endpoint{}, err
	}
	if err := s.check(ctx, c); err != nil {
		return Endpoint{}, err
	}
	r, err := s.change(ctx, accountID, mode, endpointID, c.apply)
	if err != nil {
		return Endpoint{}, err
	}
	return r.endpoint(s.now()), nil
}

// Delete ends an endpoint; its secrets are erased at once, its log with the events. The error is ErrNotFound.
func (s *Store) Delete(ctx context.Context, accountID string, mode account.Mode, endpointID string) error {
	_, err := s.change(ctx, accountID, mode, endpointID, func(r *endpointRow) error {
		r.Enabled, r.Secret, r.PreviousSecret = false, []byte{}, nil
		r.Deleted = sql.NullInt64{Int64: s.now(), Valid: true}
		return nil
	})
	return err
}

// Page is a part of a list of endpoints or deliveries.
type Page = db.Page

// List gives the endpoints of the account and mode, newest first, and whether more follow in the direction of the page. The error
// is ErrBadPage for a page that is none.
func (s *Store) List(ctx context.Context, accountID string, mode account.Mode, p Page) ([]Endpoint, bool, error) {
	rows, more, err := db.List[endpointRow](ctx, s.db, p, "id", "SELECT * FROM webhook_endpoints WHERE account_id = ? AND mode = ? AND deleted IS NULL", accountID, mode)
	if err != nil {
		return nil, false, fmt.Errorf("list webhooks: %w", err)
	}
	endpoints := make([]Endpoint, len(rows))
	for i, r := range rows {
		endpoints[i] = r.endpoint(s.now())
	}
	return endpoints, more, nil
}

// endpointRow is a row of the table webhook_endpoints.
type endpointRow struct {
	ID             string        `db:"id"`
	Account        string        `db:"account_id"`
	Mode           account.Mode  `db:"mode"`
	URL            string        `db:"url"`
	Events         string        `db:"events"`
	Description    string        `db:"description"`
	Enabled        bool          `db:"enabled"`
	DisabledReason string        `db:"disabled_reason"`
	Secret         []byte        `db:"secret"`
	PreviousSecret []byte        `db:"previous_secret"`
	PreviousUntil  sql.NullInt64 `db:"previous_until"`
	Created        int64         `db:"created"`
	Updated        int64         `db:"updated"`
	Deleted        sql.NullInt64 `db:"deleted"`
}

func (r endpointRow) endpoint(now int64) Endpoint {
	e := Endpoint{
		ID: r.ID, Account: r.Account, Mode: r.Mode, URL: r.URL, Events: r.wanted(), Description: r.Description, Enabled: r.Enabled,
		DisabledReason: r.DisabledReason, Created: clock.Time(r.Created), Updated: clock.Time(r.Updated),
	}
	if r.PreviousUntil.Int64 > now {
		e.PreviousUntil = clock.Time(r.PreviousUntil.Int64)
	}
	return e
}

func (r endpointRow) recipient() Recipient { return Recipient{Account: r.Account, Endpoint: r.ID} }

// wanted gives the event types; empty: all.
func (r endpointRow) wanted() []string {
	events := []string{}
	_ = json.Unmarshal([]byte(r.Events), &events) // written by apply alone
	return events
}

func (r endpointRow) wants(eventType string) bool {
	events := r.wanted()
	return len(events) == 0 || slices.Contains(events, eventType)
}
