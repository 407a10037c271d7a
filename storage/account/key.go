package account

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
)

// NewKey is what a key is made of.
type NewKey struct {
	AccountID    string
	Mode         Mode
	Name         string   // may be empty
	Entitlements []string // patterns, at least one, at most 100; see CheckPattern
}

const (
	maxEntitlements = 100
	maxKeys         = 5_000 // live ones of an account and mode
	keptRevoked     = 1_000 // revoked ones that stay in the list
)

func (n NewKey) check() error {
	if n.Mode != Test && n.Mode != Live {
		return fmt.Errorf("mode %q is neither test nor live: %w", n.Mode, ErrInvalid)
	}
	if len(n.Entitlements) == 0 || len(n.Entitlements) > maxEntitlements {
		return wrong("entitlements", "must be 1 to %d, not %d", maxEntitlements, len(n.Entitlements))
	}
	errs := []error{checkName(n.Name)}
	for _, pattern := range n.Entitlements {
		errs = append(errs, CheckPattern(pattern))
	}
	return errors.Join(errs...)
}

// Along writes something in the transaction that makes a secret, when key and secret are known. An error undoes the whole; it may be
// called again where the transaction is tried again.
type Along func(tx *db.Tx, key Key, secret string) error

const insertKey = `INSERT INTO api_keys (id, account_id, mode, name, lookup, sha256, last_four, entitlements, created)
	VALUES (:id, :account_id, :mode, :name, :lookup, :sha256, :last_four, :entitlements, :created)`

// Create makes a key and gives its secret, which nothing can give again. The error is ErrInvalid for what NewKey forbids,
// ErrNotFound for an unknown account, and ErrTooMany.
func (s *Store) Create(ctx context.Context, n NewKey, along ...Along) (key Key, secret string, err error) {
	if err := n.check(); err != nil {
		return Key{}, "", err
	}
	row, secret, err := s.newRow(n)
	if err != nil {
		return Key{}, "", err
	}
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		if err := tx.Get(&row.Standing, "SELECT plan, lapsed FROM accounts WHERE id = ?", n.AccountID); errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		} else if err != nil {
			return err
		}
		var live int
		if err := tx.Get(&live, "SELECT count(*) FROM api_keys WHERE account_id = ? AND mode = ? AND revoked IS NULL", n.AccountID, n.Mode); err != nil {
			return err
		}
		if live >= maxKeys {
			return fmt.Errorf("%d keys: %w", live, ErrTooMany)
		}
		_, err := tx.Named(insertKey, row)
		if err == nil {
			key, err = s.made(tx, row, secret, along)
		}
		return err
	})
	if err != nil {
		return Key{}, "", fmt.Errorf("create API key: %w", err)
	}
	return key, secret, nil
}

// made gives the key of a row that the transaction has written, with what goes along.
func (s *Store) made(tx *db.Tx, row keyRow, secret string, along []Along) (Key, error) {
	key, err := row.key(s.clock.Now())
	for _, a := range along {
		if err == nil {
			err = a(tx, key, secret)
		}
	}
	return key, err
}

func (s *Store) newRow(n NewKey) (keyRow, string, error) {
	entitlements, err := json.Marshal(n.Entitlements)
	if err != nil {
		return keyRow{}, "", fmt.Errorf("encode entitlements: %w", err)
	}
	now, secret := s.clock.Now(), newSecret(n.Mode)
	return keyRow{
		ID: id.New("key", now), AccountID: n.AccountID, Mode: n.Mode, Name: n.Name, Lookup: lookupOf(secret), SHA256: hash(secret),
		LastFour: secret[len(secret)-4:], Entitlements: string(entitlements), Created: clock.Millis(now),
	}, secret, nil
}

// List gives the account's keys of the mode, revoked ones too, oldest first.
func (s *Store) List(ctx context.Context, accountID string, mode Mode) ([]Key, error) {
	var rows []keyRow
	err := s.db.Select(ctx, &rows, selectKeys+" WHERE k.account_id = ? AND k.mode = ? ORDER BY k.id", accountID, mode)
	if err != nil {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	return keysOf(rows, s.clock.Now())
}

// keysOf gives the keys as they are now.
func keysOf(rows []keyRow, now time.Time) (list []Key, err error) {
	list = make([]Key, len(rows))
	for i, row := range rows {
		if list[i], err = row.key(now); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// forgetRevoked removes the keys that were revoked first, beyond those that are kept, some at a time.
func forgetRevoked(tx *db.Tx, accountID string, mode Mode) error {
	_, err := tx.Exec(`DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE account_id = ? AND mode = ? AND revoked IS NOT NULL
		ORDER BY revoked DESC, id DESC LIMIT 10 OFFSET ?)`, accountID, mode, keptRevoked)
	return err
}

// Revoke ends a key of the account and mode, at once in this process. A revoked key stays in the list, until 1,000 were revoked after it; revoking it again
// changes nothing. The error is ErrNotFound for a key that is unknown or another's.
func (s *Store) Revoke(ctx context.Context, accountID string, mode Mode, keyID string) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec("UPDATE api_keys SET revoked = coalesce(revoked, ?) WHERE id = ? AND account_id = ? AND mode = ?",
			clock.Millis(s.clock.Now()), keyID, accountID, mode)
		if err == nil && n == 0 {
			return ErrNotFound
		}
		if err == nil {
			_, err = tx.Exec("DELETE FROM superseded_secrets WHERE key_id = ?", keyID)
		}
		if err == nil {
			err = forgetRevoked(tx, accountID, mode)
		}
		return err
	})
	s.verified.forget(func(k Key) bool { return k.ID == keyID })
	if err != nil {
		return fmt.Errorf("revoke API key: %w", err)
	}
	return nil
}

const selectKeys = `SELECT k.id, k.account_id, k.mode, k.name, k.lookup, k.sha256, k.last_four, k.entitlements, k.created, k.revoked, k.last_used,
	a.plan, a.lapsed, coalesce(o.lookup, '') AS old_lookup, coalesce(o.last_four, '') AS old_last_four, coalesce(o.until, 0) AS old_until,
	coalesce(o.last_used, 0) AS old_last_used
	FROM api_keys k JOIN accounts a ON a.id = k.account_id LEFT JOIN superseded_secrets o ON o.key_id = k.id`

// keyRow is a row of the table api_keys with what belongs to it.
type keyRow struct {
	ID           string        `db:"id"`
	AccountID    string        `db:"account_id"`
	Mode         Mode          `db:"mode"`
	Name         string        `db:"name"`
	Lookup       string        `db:"lookup"`
	SHA256       string        `db:"sha256"`
	LastFour     string        `db:"last_four"`
	Entitlements string        `db:"entitlements"`
	Created      int64         `db:"created"`
	Revoked      sql.NullInt64 `db:"revoked"`
	LastUsed     sql.NullInt64 `db:"last_used"`
	Standing
	OldLookup   string `db:"old_lookup"`
	OldLastFour string `db:"old_last_four"`
	OldUntil    int64  `db:"old_until"`
	OldLastUsed int64  `db:"old_last_used"`
}

// key gives the key as it is now.
func (r keyRow) key(now time.Time) (Key, error) {
	k := Key{
		ID: r.ID, AccountID: r.AccountID, Mode: r.Mode, Name: r.Name, Prefix: prefixOf(r.Mode, r.Lookup), LastFour: r.LastFour,
		Created: clock.Time(r.Created), Revoked: clock.Time(r.Revoked.Int64), LastUsed: clock.Time(r.LastUsed.Int64), Account: r.Standing,
	}
	if r.OldUntil > clock.Millis(now) && !r.Revoked.Valid {
		k.Old = &OldSecret{prefixOf(r.Mode, r.OldLookup), r.OldLastFour, clock.Time(r.OldUntil), clock.Time(r.OldLastUsed)}
	}
	if err := json.Unmarshal([]byte(r.Entitlements), &k.Entitlements); err != nil {
		return Key{}, fmt.Errorf("decode entitlements of key %s: %w", r.ID, err)
	}
	return k, nil
}

// prefixOf is the beginning of the secret that has the lookup id.
func prefixOf(mode Mode, lookup string) string { return "sk_" + string(mode) + "_" + lookup }
