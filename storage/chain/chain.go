// Package chain keeps chains of records, each of which names the hash of the one before. Records are appended in the transaction of what they belong to,
// one after another however many processes append, and never changed. What a record says, and how it is hashed, is for who appends.
package chain

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
)

// Errors of this package, for errors.Is.
var (
	ErrNotFound = errors.New("there is no such chain")
	ErrOther    = errors.New("the invoice is in the chain with another content")
	ErrCanceled = errors.New("the invoice was canceled in the chain")
	ErrUnknown  = errors.New("the invoice to cancel is not in the chain")
)

// Owner names a chain.
type Owner struct {
	Account      string       `db:"account_id"`
	Mode         account.Mode `db:"mode"`
	Issuer       string       `db:"issuer"` // tax number
	Installation string       `db:"installation"`
}

// Record is a record as it stands in the chain.
type Record struct {
	Position  int64  `db:"position"` // from 1
	Cancels   bool   `db:"cancels"`
	Number    string `db:"number"` // of the invoice
	Day       string `db:"day"`    // of its issue
	Content   string `db:"content"`
	Type      string `db:"type"` // what is hashed, as it was hashed, with the next four
	Tax       string `db:"tax"`
	Total     string `db:"total"`
	Previous  string `db:"previous"` // empty for the first
	Generated string `db:"generated"`
	Hash      string `db:"hash"`
	Created   int64  `db:"created"` // milliseconds since 1970
	Document  []byte `db:"record"`  // nil where it was not read
}

// rowBytes is what the rows of a record take beside the document, with their indexes: its own, and what became of it.
const rowBytes = 1 << 10

// Bytes is how many bytes a record that was appended counts as stored, for as long as its account.
func (r *Record) Bytes() int64 { return rowBytes + int64(len(r.Document)) }

// Entry is what is to be appended.
type Entry struct {
	Cancels bool
	Number  string
	Day     string
	Content string // by which the same is known again

	// Make makes the record behind the last one, nil for the first, at a moment that is not before it. Of the record it sets all but position, cancels,
	// number, day, content and created.
	Make func(last *Record, at time.Time) (Record, error)
}

// Store keeps the chains. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	clock clock.Clock
}

// New prepares a Store. Without a clock it is the system's.
func New(c clock.Clock, database *db.DB) *Store {
	if c == nil {
		c = clock.System{}
	}
	return &Store{db: database, clock: c}
}

const (
	insertChain = `INSERT INTO chains (id, account_id, mode, issuer, installation, created) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (account_id, mode, issuer, installation) DO NOTHING`
	selectChain   = "SELECT id FROM chains WHERE account_id = ? AND mode = ? AND issuer = ? AND installation = ?"
	selectInvoice = "SELECT " + columns + " FROM chain_records WHERE chain_id = ? AND number = ? AND day = ? ORDER BY position DESC LIMIT 1"
	selectLast    = "SELECT " + columns + " FROM chain_records WHERE chain_id = ? ORDER BY position DESC LIMIT 1"
	insertRecord  = `INSERT INTO chain_records (chain_id, position, cancels, number, day, content, type, tax, total, previous, generated, hash, created, record)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// columns are those of a record, without the document.
	columns = "position, cancels, number, day, content, type, tax, total, previous, generated, hash, created"
)

// Append appends a record in a transaction, which others that append to the same chain wait for. Where the chain ends for the invoice with the same
// record, that is given, and nothing is appended. The error is ErrOther, ErrCanceled or ErrUnknown where the chain forbids the record.
func (s *Store) Append(tx *db.Tx, o Owner, e Entry) (r Record, appended bool, err error) {
	r, appended, err = s.append(tx, o, e)
	if err != nil {
		return r, false, fmt.Errorf("append to the chain: %w", err)
	}
	return r, appended, nil
}

// append locks the chain before it reads the end of it, so that no two records follow the same one.
func (s *Store) append(tx *db.Tx, o Owner, e Entry) (r Record, appended bool, err error) {
	chainID, err := s.lock(tx, o)
	if err != nil {
		return r, false, err
	}
	known, err := lastOf(tx, selectInvoice, chainID, e.Number, e.Day)
	if err != nil {
		return r, false, err
	}
	if known, err := e.allowed(known); known != nil || err != nil {
		return deref(known), false, err
	}
	last, err := lastOf(tx, selectLast, chainID)
	if err != nil {
		return r, false, err
	}
	r, err = s.add(tx, chainID, last, e)
	return r, err == nil, err
}

// deref gives a record that there may be none of.
func deref(r *Record) Record {
	if r == nil {
		return Record{}
	}
	return *r
}

// lock gives the chain, which is made where there is none, and keeps others from appending to it.
func (s *Store) lock(tx *db.Tx, o Owner) (chainID string, err error) {
	now := s.clock.Now()
	if _, err = tx.Exec(insertChain, id.New("chn", now), o.Account, o.Mode, o.Issuer, o.Installation, clock.Millis(now)); err != nil {
		return "", err
	}
	err = tx.Get(&chainID, selectChain+tx.Lock(), o.Account, o.Mode, o.Issuer, o.Installation)
	return chainID, err
}

// lastOf reads a record; nil where there is none.
func lastOf(tx *db.Tx, query string, args ...any) (*Record, error) {
	var r Record
	err := tx.Get(&r, query, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &r, err
}

// allowed tells by the last record of the invoice, nil without one, whether the entry may follow: it gives the record where that says the same.
func (e *Entry) allowed(last *Record) (same *Record, err error) {
	switch {
	case e.Cancels && last == nil:
		return nil, ErrUnknown
	case e.Cancels && last.Cancels:
		return last, nil
	case e.Cancels, last == nil:
		return nil, nil
	case last.Cancels:
		return nil, ErrCanceled
	case last.Content != e.Content:
		return nil, ErrOther
	}
	return last, nil
}

// add makes the record and writes it.
func (s *Store) add(tx *db.Tx, chainID string, last *Record, e Entry) (Record, error) {
	now := s.clock.Now().Truncate(time.Second)
	position := int64(1)
	if last != nil {
		position = last.Position + 1
		if before := time.UnixMilli(last.Created); now.Before(before) {
			now = before
		}
	}
	r, err := e.Make(last, now)
	if err != nil {
		return r, err
	}
	r.Position, r.Cancels, r.Number, r.Day, r.Content, r.Created = position, e.Cancels, e.Number, e.Day, e.Content, clock.Millis(now)
	_, err = tx.Exec(insertRecord, chainID, r.Position, r.Cancels, r.Number, r.Day, r.Content, r.Type, r.Tax, r.Total, r.Previous, r.Generated, r.Hash, r.Created, r.Document)
	return r, err
}

// Find gives the chain of an owner. Without an installation it is the one of the issuer's chains that was begun last. The error is ErrNotFound where there
// is none.
func (s *Store) Find(ctx context.Context, o Owner) (Chain, error) {
	query, args := "SELECT id, installation FROM chains WHERE account_id = ? AND mode = ? AND issuer = ?", []any{o.Account, o.Mode, o.Issuer}
	if o.Installation != "" {
		query, args = query+" AND installation = ?", append(args, o.Installation)
	}
	c := Chain{db: s.db}
	err := s.db.Get(ctx, &c, query+" ORDER BY created DESC, id DESC LIMIT 1", args...)
	if errors.Is(err, sql.ErrNoRows) {
		return c, ErrNotFound
	}
	if err != nil {
		return c, fmt.Errorf("find the chain: %w", err)
	}
	return c, nil
}

// Chain is a chain that there is.
type Chain struct {
	ID           string `db:"id"`
	Installation string `db:"installation"`

	db *db.DB
}

// Period is a stretch of time; zero times are open.
type Period struct {
	From time.Time
	To   time.Time // the first moment after it
}

// Range says which records are asked for.
type Range struct {
	After     int64 // position of the last record before
	Before    int64 // position of the first record behind; 0 where there is none
	Most      int   // records
	Documents bool  // with their documents
}

// Within gives the range of the records of a period, however many. They stand one behind the other, since no record is older than the one before it.
func (c *Chain) Within(ctx context.Context, p Period) (r Range, err error) {
	if !p.From.IsZero() {
		r.After, err = c.last(ctx, p.From)
	}
	if err == nil && !p.To.IsZero() {
		r.Before, err = c.last(ctx, p.To)
		r.Before++
	}
	if err != nil {
		return r, fmt.Errorf("find a period of the chain: %w", err)
	}
	return r, nil
}

// last is the position of the last record that was made before a moment; 0 where there is none. It looks at a few records alone. A record that
// was removed from outside is as old as the one behind it.
func (c *Chain) last(ctx context.Context, moment time.Time) (int64, error) {
	var count int64
	if err := c.db.Get(ctx, &count, selectCount, c.ID); err != nil {
		return 0, err
	}
	var failed error
	earlier := sort.Search(int(count), func(i int) bool {
		var created int64
		if failed == nil {
			failed = c.db.Get(ctx, &created, selectCreated, c.ID, i+1)
		}
		return failed != nil || created >= clock.Millis(moment)
	})
	return int64(earlier), failed
}

const (
	selectCount   = "SELECT coalesce(max(position), 0) FROM chain_records WHERE chain_id = ?"
	selectCreated = "SELECT created FROM chain_records WHERE chain_id = ? AND position >= ? ORDER BY position LIMIT 1"
)

// Read reads records in the order of the chain.
func (c *Chain) Read(ctx context.Context, r Range) (records []Record, err error) {
	selected := columns
	if r.Documents {
		selected += ", record"
	}
	query, args := "SELECT "+selected+" FROM chain_records WHERE chain_id = ? AND position > ?", []any{c.ID, r.After}
	if r.Before > 0 {
		query, args = query+" AND position < ?", append(args, r.Before)
	}
	if err := c.db.Select(ctx, &records, query+" ORDER BY position LIMIT ?", append(args, r.Most)...); err != nil {
		return nil, fmt.Errorf("read the chain: %w", err)
	}
	return records, nil
}
