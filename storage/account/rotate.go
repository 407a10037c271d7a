package account

import (
	"context"
	"time"
)

// How long the secret before a rotation goes on working.
const (
	DefaultOverlap = 24 * time.Hour
	MaxOverlap     = 30 * 24 * time.Hour
)

// Rotate gives a live key of the account and mode a new secret and keeps its id. The secret it had works for the overlap (0: not
// at all) and then, within 5 s, no more; one that was superseded before ends at once, so that at most two work. The error
// is ErrNotFound for a key that is unknown, revoked or another's, and ErrInvalid for an overlap below 0 or above MaxOverlap.
func (s *Store) Rotate(ctx context.Context, accountID string, mode Mode, keyID string, overlap time.Duration) (key Key, secret string, err error) {
	return Key{}, "", ctx.Err()
}

// Key gives a key of the account and mode, also a revoked one. The error is ErrNotFound for one that is unknown or another's.
func (s *Store) Key(ctx context.Context, accountID string, mode Mode, keyID string) (Key, error) {
	return Key{}, ctx.Err()
}

// Page is a part of a list. At most one of the cursors may be set; a cursor need not be the id of a key that exists.
type Page struct {
	Limit         int    // 1 to 100; 0 means 20
	StartingAfter string // only keys that come after this id in the list
	EndingBefore  string // only the last keys that come before this id in the list
}

// Keys gives a page of the account's keys of the mode, revoked ones too, newest first, and whether more follow in the
// direction of the page. The error is ErrInvalid for a page that is none.
func (s *Store) Keys(ctx context.Context, accountID string, mode Mode, p Page) (keys []Key, more bool, err error) {
	return nil, false, ctx.Err()
}
