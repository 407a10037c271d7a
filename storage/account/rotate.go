package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// How long the secret before a rotation goes on working.
const (
	DefaultOverlap = 24 * time.Hour
	MaxOverlap     = 30 * 24 * time.Hour
)

// Rotate gives a live key of the account and mode a new secret and keeps its id. The secret it had works for the overlap (0: not
// at all) and then no more; one that was superseded before ends at once, so that at most two work. Other processes may
// believe an ended secret for Config.CacheFor. The error is ErrNotFound for a key that is unknown, revoked or another's, and
// ErrInvalid for an overlap below 0 or above MaxOverlap.
func (s *Store) Rotate(ctx context.Context, accountID string, mode Mode, keyID string, overlap time.Duration, along ...Along) (key Key, secret string, err error) {
	if overlap < 0 || overlap > MaxOverlap {
		return Key{}, "", fmt.Errorf("overlap %s is not from 0 to %s: %w", overlap, MaxOverlap, ErrInvalid)
	}
	secret, now := newSecret(mode), s.clock.Now()
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		var row keyRow
		if err := supersede(tx, accountID, mode, keyID, clock.Millis(now), clock.Millis(now.Add(overlap))); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE api_keys SET lookup = ?, sha256 = ?, last_four = ?, last_used = NULL WHERE id = ?",
			lookupOf(secret), hash(secret), secret[len(secret)-4:], keyID)
		if err != nil {
			return err
		}
		if err := tx.Get(&row, selectKeys+" WHERE k.id = ?", keyID); err != nil {
			return err
		}
		key, err = s.made(tx, row, secret, along)
		return err
	})
	s.verified.forget(func(k Key) bool { return k.ID == keyID })
	if err != nil {
		return Key{}, "", fmt.Errorf("rotate API key: %w", err)
	}
	return key, secret, nil
}

// supersede moves the present secret of a key to the superseded ones, in the place of the one before.
func supersede(tx *db.Tx, accountID string, mode Mode, keyID string, now, until int64) error {
	var row keyRow
	err := tx.Get(&row, "SELECT * FROM api_keys WHERE id = ? AND account_id = ? AND mode = ? AND revoked IS NULL"+tx.Lock(), keyID, accountID, mode)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	if err != nil {
		return err
	}
	if _, err := tx.Exec("DELETE FROM superseded_secrets WHERE key_id = ?", keyID); err != nil || until <= now {
		return err
	}
	_, err = tx.Exec("INSERT INTO superseded_secrets (key_id, lookup, sha256, last_four, until, last_used) VALUES (?, ?, ?, ?, ?, ?)",
		keyID, row.Lookup, row.SHA256, row.LastFour, until, row.LastUsed)
	return err
}

// Key gives a key of the account and mode, also a revoked one. The error is ErrNotFound for one that is unknown or another's.
func (s *Store) Key(ctx context.Context, accountID string, mode Mode, keyID string) (Key, error) {
	var row keyRow
	err := s.db.Get(ctx, &row, selectKeys+" WHERE k.id = ? AND k.account_id = ? AND k.mode = ?", keyID, accountID, mode)
	if errors.Is(err, sql.ErrNoRows) {
		return Key{}, ErrNotFound
	}
	if err != nil {
		return Key{}, fmt.Errorf("read API key: %w", err)
	}
	return row.key(s.clock.Now())
}

// Page is a part of a list of keys.
type Page = db.Page

// Keys gives a page of the account's keys of the mode, revoked ones too, newest first, and whether more follow in the
// direction of the page. The error is ErrInvalid for a page that is none.
func (s *Store) Keys(ctx context.Context, accountID string, mode Mode, p Page) (keys []Key, more bool, err error) {
	rows, more, err := db.List[keyRow](ctx, s.db, p, "k.id", selectKeys+" WHERE k.account_id = ? AND k.mode = ?", accountID, mode)
	if errors.Is(err, db.ErrPage) {
		err = errors.Join(err, ErrInvalid)
	}
	if err != nil {
		return nil, false, fmt.Errorf("list API keys: %w", err)
	}
	keys, err = keysOf(rows, s.clock.Now())
	return keys, more, err
}
