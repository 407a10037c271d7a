package ledger

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
)

// StorageError says that what is stored for an account, the inputs of its jobs, the answers kept for its idempotency keys, its templates and the documents that it
// sends, would take more than it may.
type StorageError struct {
	Current int64 // bytes
	Limit   int64 // bytes
}

// Error gives the figures; it is the private half, the public one is made from the fields.
func (e *StorageError) Error() string {
	return fmt.Sprintf("%d of %d bytes are stored", e.Current, e.Limit)
}

// storedParts is how many rows count what is stored for an account. Writers of one account wait for each other only where
// they hit upon the same row. A part may be below zero, since what one has counted in another may count out; the sum alone
// says something.
const storedParts = 8

// CountStored counts inputs, answers and what else is stored for an account from now, or with a negative number no longer is. Others may wait for the row, so it comes
// last in a transaction; of several accounts in the order of their ids.
func CountStored(tx *db.Tx, accountID string, bytes int64) error {
	err := tx.Later(`INSERT INTO stored_inputs (account_id, part, bytes) VALUES (?, ?, ?)
		ON CONFLICT (account_id, part) DO UPDATE SET bytes = stored_inputs.bytes + excluded.bytes`, accountID, rand.IntN(storedParts), bytes)
	if err != nil {
		return fmt.Errorf("count what is stored for account %s: %w", accountID, err)
	}
	return nil
}

// ForgetStored counts out what is no longer stored, by account.
func ForgetStored(tx *db.Tx, freed map[string]int64) error {
	for _, accountID := range slices.Sorted(maps.Keys(freed)) {
		if err := CountStored(tx, accountID, -freed[accountID]); err != nil {
			return err
		}
	}
	return nil
}

// How long a sum is believed, and how long at least before it is the reason of a refusal.
const (
	storedKnown  = 5 * time.Second
	storedDoubts = 200 * time.Millisecond
)

// storedSums are what accounts have stored, as this process knows it: the sums of the database, and what it has accepted since. Other processes may
// accept as much in between, for which the limit is exceeded by some seconds' inputs at most.
type storedSums struct {
	mu   sync.Mutex
	sums map[string]*storedSum
}

type storedSum struct {
	bytes int64
	read  time.Time
}

// Admit refuses bytes that would make more than the account may have stored. The error is a *StorageError then.
func (l *Ledger) Admit(ctx context.Context, accountID string, bytes int64) error {
	limit := l.cfg.StoredBytes
	if limit == 0 {
		return nil
	}
	sum, err := l.storedOf(ctx, accountID, storedKnown)
	if err == nil && sum+bytes > limit {
		sum, err = l.storedOf(ctx, accountID, storedDoubts)
	}
	if err != nil {
		return err
	}
	if sum+bytes > limit || bytes == 0 && sum == limit {
		return &StorageError{Current: sum, Limit: limit}
	}
	l.stored.add(accountID, bytes)
	return nil
}

// storedOf gives what an account has stored, by a sum of the database that is not older than that.
func (l *Ledger) storedOf(ctx context.Context, accountID string, age time.Duration) (int64, error) {
	now := l.cfg.Clock.Now()
	if bytes, ok := l.stored.get(accountID, now.Add(-age)); ok {
		return bytes, nil
	}
	var bytes int64
	if err := l.db.Get(ctx, &bytes, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs WHERE account_id = ?", accountID); err != nil {
		return 0, fmt.Errorf("read what is stored for account %s: %w", accountID, err)
	}
	bytes = max(bytes, 0)
	l.stored.set(accountID, storedSum{bytes, now})
	return bytes, nil
}

func (s *storedSums) get(accountID string, since time.Time) (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.sums[accountID]
	if sum == nil || sum.read.Before(since) {
		return 0, false
	}
	return sum.bytes, true
}

func (s *storedSums) set(accountID string, sum storedSum) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sums == nil || len(s.sums) >= mostTurns {
		s.sums = map[string]*storedSum{}
	}
	s.sums[accountID] = &sum
}

func (s *storedSums) add(accountID string, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sum := s.sums[accountID]; sum != nil {
		sum.bytes += bytes
	}
}
