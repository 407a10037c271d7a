package account

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"strings"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Change is what is to be changed of an account; nil members stay as they are.
type Change struct {
	Name              *string         // as for CreateAccount
	NotificationEmail *string         // one address without a name, or empty for none
	Defaults          json.RawMessage // a JSON object of at most 64 KiB, which replaces the present one
	Plan              *string         // the name of a configured plan, or empty for unlimited
	Lapsed            *bool
}

// Plans knows the configured plans; plan.Set does.
type Plans interface {
	Has(name string) bool // true for the empty name, too
}

// noPlans is the Plans of a Config that brings none.
type noPlans struct{}

func (noPlans) Has(name string) bool { return name == "" }

const (
	maxEmail    = 254 // RFC 5321 §4.5.3.1.3, without the angle brackets
	maxDefaults = 64 << 10
)

func (c Change) check(plans Plans) error {
	var errs []error
	if c.Name != nil {
		errs = append(errs, checkAccountName(*c.Name))
	}
	if c.NotificationEmail != nil && *c.NotificationEmail != "" {
		errs = append(errs, checkEmail(*c.NotificationEmail))
	}
	if c.Defaults != nil {
		errs = append(errs, checkDefaults(c.Defaults))
	}
	if c.Plan != nil && !plans.Has(*c.Plan) {
		errs = append(errs, fmt.Errorf("plan %.50q is not configured: %w", *c.Plan, ErrInvalid))
	}
	return errors.Join(errs...)
}

// checkEmail takes one bare address (RFC 5322 addr-spec) whose domain has a dot.
func checkEmail(s string) error {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > maxEmail || strings.ContainsAny(s, " \t\r\n<>,;\"") {
		return wrong("notificationEmail", "must be one plain address of at most %d characters", maxEmail)
	}
	domain := s[strings.LastIndexByte(s, '@')+1:]
	if !strings.Contains(strings.Trim(domain, "."), ".") || strings.HasSuffix(domain, ".") {
		return wrong("notificationEmail", "must be an address of a full domain")
	}
	return nil
}

func checkDefaults(data json.RawMessage) error {
	if trimmed := bytes.TrimSpace(data); len(data) > maxDefaults || len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(data) {
		return wrong("defaults", "must be a JSON object of at most %d bytes", maxDefaults)
	}
	return nil
}

// Get gives an account. The error is ErrNotFound for an unknown one.
func (s *Store) Get(ctx context.Context, accountID string) (Account, error) {
	var row accountRow
	err := s.db.Get(ctx, &row, "SELECT "+accountColumns+" FROM accounts WHERE id = ?", accountID)
	if errors.Is(err, sql.ErrNoRows) {
		return Account{}, ErrNotFound
	}
	if err != nil {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	return row.account(), nil
}

// Update changes an account and gives it as it is then; verified keys of this process follow at once, those of others within
// Config.CacheFor. The error is ErrInvalid for what Change forbids and ErrNotFound for an unknown account.
func (s *Store) Update(ctx context.Context, accountID string, c Change) (Account, error) {
	if err := c.check(s.plans); err != nil {
		return Account{}, err
	}
	var row accountRow
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		err := tx.Get(&row, `UPDATE accounts SET name = coalesce(?, name), notification_email = coalesce(?, notification_email),
			defaults = coalesce(?, defaults), plan = coalesce(?, plan), lapsed = coalesce(?, lapsed) WHERE id = ? RETURNING `+accountColumns,
			c.Name, c.NotificationEmail, textOf(c.Defaults), c.Plan, c.Lapsed, accountID)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		return err
	})
	s.verified.forget(func(k Key) bool { return k.AccountID == accountID })
	if err != nil {
		return Account{}, fmt.Errorf("change account: %w", err)
	}
	return row.account(), nil
}

// textOf gives nil for what is to stay as it is.
func textOf(data json.RawMessage) *string {
	if data == nil {
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil // checkDefaults has refused it
	}
	text := compact.String()
	return &text
}

// PlansInUse lists the plans that accounts have, sorted, so that a starting process can tell which of them are not configured.
func (s *Store) PlansInUse(ctx context.Context) ([]string, error) {
	var names []string
	if err := s.db.Select(ctx, &names, "SELECT DISTINCT plan FROM accounts WHERE plan <> '' ORDER BY plan"); err != nil {
		return nil, fmt.Errorf("list plans in use: %w", err)
	}
	return names, nil
}

const accountColumns = "id, name, created, plan, lapsed, notification_email, defaults"

// accountRow is a row of the table accounts.
type accountRow struct {
	ID                string `db:"id"`
	Name              string `db:"name"`
	Created           int64  `db:"created"`
	Plan              string `db:"plan"`
	Lapsed            bool   `db:"lapsed"`
	NotificationEmail string `db:"notification_email"`
	Defaults          string `db:"defaults"`
}

func (r accountRow) account() Account {
	return Account{
		ID: r.ID, Name: r.Name, Created: clock.Time(r.Created), Plan: r.Plan, Lapsed: r.Lapsed,
		NotificationEmail: r.NotificationEmail, Defaults: json.RawMessage(r.Defaults),
	}
}
