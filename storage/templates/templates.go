// Package templates keeps the templates of PDF documents that accounts save. A change makes a new version; versions never change, so that
// a document can be made again as it was. All versions count as stored for the account. What a template is, it does not know: whoever
// saves one has it checked, and asks before whether the account may store it.
package templates

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// Errors of this package, for errors.Is.
var (
	ErrNotFound = errors.New("no such template") // unknown, another account's, the other mode's, or a version that is gone
	ErrTooMany  = errors.New("the account has as many templates as it may have")
	ErrChanged  = errors.New("the template was changed meanwhile") // the version that a change is of is not the present one
	ErrBadPage  = db.ErrPage
)

// InvalidError says what of a template is not acceptable. Its text is for clients.
type InvalidError struct {
	Field   string // name, template
	Message string
}

// Error says what is wrong.
func (e *InvalidError) Error() string { return e.Field + ": " + e.Message }

// MaxSize is the most bytes of a template. Each job that uses one has a copy of it.
const MaxSize = 512 << 10

const (
	maxName       = 200 // characters
	keptVersions  = 50  // the present one among them
	maxOfAnOwner  = 500 // templates of one account and mode
	ownTemplate   = "SELECT * FROM templates WHERE id = ? AND account_id = ? AND mode = ?"
	insertVersion = "INSERT INTO template_versions (template_id, version, template, counted, created) VALUES (?, ?, ?, ?, ?)"
)

// Template is a saved template in one of its versions.
type Template struct {
	ID      string // a UUID
	Name    string
	Version int       // counted from 1
	Text    []byte    // JSON, as it was sent; nil in lists
	Created time.Time // of the first version
	Updated time.Time // of the version
}

// Owner is whose templates they are.
type Owner struct {
	Account string
	Mode    account.Mode
}

// Change is what a template is to be.
type Change struct {
	Name string // 1 to 200 characters
	Text []byte // JSON, at most MaxSize bytes

	// Of is the version that the change was made of, if that matters: another one is then not written over. Default: it does not.
	Of int
}

func (c Change) check() error {
	switch {
	case strings.TrimSpace(c.Name) == "":
		return &InvalidError{Field: "name", Message: "is required"}
	case utf8.RuneCountInString(c.Name) > maxName || !utf8.ValidString(c.Name) || strings.ContainsFunc(c.Name, unicode.IsControl):
		return &InvalidError{Field: "name", Message: fmt.Sprintf("must have at most %d characters and no control characters", maxName)}
	case len(c.Text) > MaxSize:
		return &InvalidError{Field: "template", Message: fmt.Sprintf("has %d bytes; a saved template can have %d", len(c.Text), MaxSize)}
	}
	return nil
}

// Store keeps templates in the database. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	clock clock.Clock
}

// New prepares a Store. The clock may be nil for the system's.
func New(database *db.DB, now clock.Clock) *Store {
	if now == nil {
		now = clock.System{}
	}
	return &Store{db: database, clock: now}
}

// Along writes something in the transaction that makes a template. An error undoes the whole; it may be called again where the transaction
// is tried again.
type Along func(tx *db.Tx, t Template) error

// Create saves a template. The error is an *InvalidError, ErrTooMany, or account.ErrNotFound for an unknown account.
func (s *Store) Create(ctx context.Context, of Owner, c Change, along ...Along) (Template, error) {
	if err := c.check(); err != nil {
		return Template{}, err
	}
	now := s.clock.Now()
	r := row{ID: id.NewUUID(now), Account: of.Account, Mode: of.Mode, Name: c.Name, Version: 1, Created: clock.Millis(now), Updated: clock.Millis(now)}
	made := r.template()
	made.Text = c.Text
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := insert(tx, r, c.Text); err != nil {
			return err
		}
		for _, a := range along {
			if err := a(tx, made); err != nil {
				return err
			}
		}
		return volume.Count(tx, of.Account, int64(len(c.Text)))
	})
	if err != nil {
		return Template{}, fmt.Errorf("create template: %w", err)
	}
	return made, nil
}

// insert writes the rows; the account's row is locked, so that two beside each other do not exceed the number.
func insert(tx *db.Tx, r row, text []byte) error {
	var owner string
	if err := tx.Get(&owner, "SELECT id FROM accounts WHERE id = ?"+tx.Lock(), r.Account); errors.Is(err, sql.ErrNoRows) {
		return account.ErrNotFound
	} else if err != nil {
		return err
	}
	var n int
	if err := tx.Get(&n, "SELECT count(*) FROM templates WHERE account_id = ? AND mode = ?", r.Account, r.Mode); err != nil {
		return err
	}
	if n >= maxOfAnOwner {
		return fmt.Errorf("%d templates: %w", n, ErrTooMany)
	}
	_, err := tx.Named(`INSERT INTO templates (id, account_id, mode, name, version, created, updated)
		VALUES (:id, :account_id, :mode, :name, :version, :created, :updated)`, r)
	if err == nil {
		_, err = tx.Exec(insertVersion, r.ID, r.Version, string(text), len(text), r.Created)
	}
	return err
}

// forget deletes the versions of a template up to one, and gives how many bytes they were counted as.
func forget(tx *db.Tx, templateID string, last int) (freed int64, err error) {
	var counted []int64
	err = tx.Select(&counted, "DELETE FROM template_versions WHERE template_id = ? AND version <= ? RETURNING counted", templateID, last)
	for _, n := range counted {
		freed += n
	}
	return freed, err
}

// Get gives a template in a version, 0 for the present one. The error is ErrNotFound.
func (s *Store) Get(ctx context.Context, of Owner, templateID string, version int) (Template, error) {
	var r struct {
		row
		Text string `db:"template"`
		Then int64  `db:"then"`
		At   int    `db:"at"`
	}
	err := s.db.Get(ctx, &r, `SELECT t.*, v.template AS template, v.created AS "then", v.version AS at FROM templates t JOIN template_versions v ON v.template_id = t.id
		WHERE t.id = ? AND t.account_id = ? AND t.mode = ? AND v.version = CASE WHEN ? = 0 THEN t.version ELSE ? END`, normal(templateID), of.Account, of.Mode, version, version)
	if errors.Is(err, sql.ErrNoRows) {
		return Template{}, ErrNotFound
	}
	if err != nil {
		return Template{}, fmt.Errorf("read template: %w", err)
	}
	t := r.template()
	t.Version, t.Text, t.Updated = r.At, []byte(r.Text), clock.Time(r.Then)
	return t, nil
}

// Update makes a new version. The error is an *InvalidError, ErrNotFound, or ErrChanged where the change is of another version than the
// present one.
func (s *Store) Update(ctx context.Context, of Owner, templateID string, c Change) (Template, error) {
	if err := c.check(); err != nil {
		return Template{}, err
	}
	var r row
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := own(tx, &r, of, templateID); err != nil {
			return err
		}
		if c.Of != 0 && c.Of != r.Version {
			return fmt.Errorf("version %d, not %d: %w", r.Version, c.Of, ErrChanged)
		}
		r.Name, r.Version, r.Updated = c.Name, r.Version+1, clock.Millis(s.clock.Now())
		_, err := tx.Named("UPDATE templates SET name = :name, version = :version, updated = :updated WHERE id = :id", r)
		if err == nil {
			_, err = tx.Exec(insertVersion, r.ID, r.Version, string(c.Text), len(c.Text), r.Updated)
		}
		if err != nil {
			return err
		}
		freed, err := forget(tx, r.ID, r.Version-keptVersions)
		if err != nil {
			return err
		}
		return volume.Count(tx, of.Account, int64(len(c.Text))-freed)
	})
	if err != nil {
		return Template{}, fmt.Errorf("change template: %w", err)
	}
	t := r.template()
	t.Text = c.Text
	return t, nil
}

// Delete erases a template with all its versions. The error is ErrNotFound.
func (s *Store) Delete(ctx context.Context, of Owner, templateID string) error {
	var r row
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := own(tx, &r, of, templateID); err != nil {
			return err
		}
		freed, err := forget(tx, r.ID, r.Version)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("DELETE FROM templates WHERE id = ?", r.ID); err != nil {
			return err
		}
		return volume.Count(tx, of.Account, -freed)
	})
	if err != nil {
		return fmt.Errorf("delete template: %w", err)
	}
	return nil
}

// own reads the owner's template and locks it.
func own(tx *db.Tx, r *row, of Owner, templateID string) error {
	*r = row{}
	err := tx.Get(r, ownTemplate+tx.Lock(), normal(templateID), of.Account, of.Mode)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// List gives the owner's templates without their texts, newest first, and whether more follow in the direction of the page. The error is
// ErrBadPage for a page that is none.
func (s *Store) List(ctx context.Context, of Owner, p db.Page) ([]Template, bool, error) {
	rows, more, err := db.List[row](ctx, s.db, p, "id", "SELECT * FROM templates WHERE account_id = ? AND mode = ?", of.Account, of.Mode)
	if err != nil {
		return nil, false, fmt.Errorf("list templates: %w", err)
	}
	list := make([]Template, len(rows))
	for i, r := range rows {
		list[i] = r.template()
	}
	return list, more, nil
}

// normal is a UUID in its one spelling (RFC 9562, section 4).
func normal(templateID string) string { return cmp.Or(strings.ToLower(templateID), "none") }

// row is a row of the table templates.
type row struct {
	ID      string       `db:"id"`
	Account string       `db:"account_id"`
	Mode    account.Mode `db:"mode"`
	Name    string       `db:"name"`
	Version int          `db:"version"`
	Created int64        `db:"created"`
	Updated int64        `db:"updated"`
}

func (r row) template() Template {
	return Template{ID: r.ID, Name: r.Name, Version: r.Version, Created: clock.Time(r.Created), Updated: clock.Time(r.Updated)}
}
