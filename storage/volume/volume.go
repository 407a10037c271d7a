// Package volume counts how many bytes are stored for each account: inputs and outputs of its jobs, answers kept for its idempotency
// keys, its templates, what it sends through Peppol, its records of VeriFactu, events for its webhooks with what came of sending them. It refuses what would be more than an account may have.
package volume

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// ExceededError says that what is stored for an account would take more than it may.
type ExceededError struct {
	Current int64 // bytes
	Limit   int64 // bytes
}

// Error gives the figures; it is the private half, the public one is made from the fields.
func (e *ExceededError) Error() string {
	return fmt.Sprintf("%d of %d bytes are stored", e.Current, e.Limit)
}

// parts is how many rows count what is stored for an account. Writers of one account wait for each other only where
// they hit upon the same row. A part may be below zero, since what one has counted in another may count out; the sum alone
// says something.
const parts = 8

// Count counts bytes that are stored for an account from now, or with a negative number no longer are. Others may wait for the row: so it comes
// last in a transaction.
func Count(tx *db.Tx, accountID string, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	err := tx.Later(`INSERT INTO stored_inputs (account_id, part, bytes) VALUES (?, ?, ?)
		ON CONFLICT (account_id, part) DO UPDATE SET bytes = stored_inputs.bytes + excluded.bytes`, accountID, tx.Lane(parts), bytes)
	if err != nil {
		return fmt.Errorf("count what is stored for account %s: %w", accountID, err)
	}
	return nil
}

// CountOut counts out what is no longer stored, by account; like Count it comes last. The accounts come in the order of their ids, so that
// no two transactions wait for each other.
func CountOut(tx *db.Tx, freed map[string]int64) error {
	for _, accountID := range slices.Sorted(maps.Keys(freed)) {
		if err := Count(tx, accountID, -freed[accountID]); err != nil {
			return err
		}
	}
	return nil
}

// How long a sum is believed, and how long at least before it is the reason of a refusal.
const (
	known  = 5 * time.Second
	doubts = 200 * time.Millisecond
)

// maxSums bounds the memory; a full one starts anew.
const maxSums = 10_000

// Limit holds accounts to what they may have stored. It knows the sums of the database, and what this process has added since. Other processes may
// add as much in between, for which the limit is exceeded by some seconds' bytes at most. It is safe for concurrent use; a nil Limit allows
// everything.
type Limit struct {
	db    *db.DB
	clock clock.Clock
	bytes int64

	mu   sync.Mutex
	sums map[string]*sum
}

type sum struct {
	bytes int64
	read  time.Time
}

// NewLimit prepares the Limit of so many bytes for each account; 0 is any number.
func NewLimit(database *db.DB, c clock.Clock, bytes int64) *Limit {
	if bytes <= 0 {
		return nil
	}
	return &Limit{db: database, clock: c, bytes: bytes}
}

// Admit refuses, with an *ExceededError, bytes that would make more than the account may have stored; none are refused where it has all it may.
func (l *Limit) Admit(ctx context.Context, accountID string, bytes int64) error {
	if l == nil {
		return nil
	}
	sum, err := l.of(ctx, accountID, known)
	if err == nil && l.exceeded(sum, bytes) {
		sum, err = l.of(ctx, accountID, doubts)
	}
	if err != nil {
		return err
	}
	if l.exceeded(sum, bytes) {
		return &ExceededError{Current: sum, Limit: l.bytes}
	}
	l.Added(accountID, bytes)
	return nil
}

func (l *Limit) exceeded(sum, bytes int64) bool {
	return sum+bytes > l.bytes || bytes == 0 && sum == l.bytes
}

// Crowded tells whether the account has used more than half of what it may have stored: from then on, what is kept for convenience alone is not.
func (l *Limit) Crowded(ctx context.Context, accountID string) (bool, error) {
	if l == nil {
		return false, nil
	}
	sum, err := l.of(ctx, accountID, known)
	return sum > l.bytes/2, err
}

// of gives what an account has stored, by a sum of the database that is not older than that.
func (l *Limit) of(ctx context.Context, accountID string, age time.Duration) (int64, error) {
	now := l.clock.Now()
	if bytes, ok := l.get(accountID, now.Add(-age)); ok {
		return bytes, nil
	}
	var bytes int64
	if err := l.db.Get(ctx, &bytes, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs WHERE account_id = ?", accountID); err != nil {
		return 0, fmt.Errorf("read what is stored for account %s: %w", accountID, err)
	}
	bytes = max(bytes, 0)
	l.set(accountID, sum{bytes, now})
	return bytes, nil
}

func (l *Limit) get(accountID string, since time.Time) (int64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := l.sums[accountID]
	if sum == nil || sum.read.Before(since) {
		return 0, false
	}
	return sum.bytes, true
}

func (l *Limit) set(accountID string, s sum) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sums == nil || len(l.sums) >= maxSums {
		l.sums = map[string]*sum{}
	}
	l.sums[accountID] = &s
}

// Added notes bytes that this process has counted for an account, or is about to, until the sum is read again.
func (l *Limit) Added(accountID string, bytes int64) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if sum := l.sums[accountID]; sum != nil {
		sum.bytes += bytes
	}
}
