package account

import (
	"context"
	"crypto/subtle"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"einvoiced/storage/clock"
	"einvoiced/storage/db"
)

// Verify gives the live key that has the secret, ErrUnauthorized where there is none, and another error where the database
// could not be asked. An unknown key and a wrong secret of a known one take the same path in the same time: one row is
// always read, and compared in constant time.
func (s *Store) Verify(ctx context.Context, secret string) (Key, error) {
	if !WellFormed(secret) {
		return Key{}, ErrUnauthorized
	}
	sum, now := hash(secret), s.clock.Now()
	if key, ok := s.verified.get(sum, now); ok {
		s.noteUse(key, now)
		return key, nil
	}
	generation := s.verified.generation()
	key, err := s.find(ctx, lookupOf(secret), sum)
	if err != nil {
		return Key{}, err
	}
	s.verified.put(sum, key, now, generation)
	s.noteUse(key, now)
	return key, nil
}

// nobody is the hash that is compared where no row is found; no secret has it.
var nobody = strings.Repeat("0", 64)

func (s *Store) find(ctx context.Context, lookup, sum string) (Key, error) {
	var stored string
	err := s.db.Get(ctx, &stored, "SELECT coalesce((SELECT sha256 FROM api_keys WHERE lookup = ? AND revoked IS NULL), ?)", lookup, nobody)
	if err != nil {
		return Key{}, fmt.Errorf("find API key: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(stored), []byte(sum)) == 0 {
		return Key{}, ErrUnauthorized
	}
	var row keyRow
	if err := s.db.Get(ctx, &row, "SELECT "+keyColumns+" FROM api_keys WHERE lookup = ?", lookup); err != nil {
		return Key{}, fmt.Errorf("read API key: %w", err)
	}
	if row.Revoked.Valid {
		return Key{}, ErrUnauthorized
	}
	return row.key()
}

// noteUse remembers the minute of use; the database learns it with FlushUse.
func (s *Store) noteUse(key Key, now time.Time) {
	minute := clock.Millis(now.Truncate(time.Minute))
	if minute <= clock.Millis(key.LastUsed) {
		return
	}
	s.usedMu.Lock()
	defer s.usedMu.Unlock()
	s.used[key.ID] = minute
}

// FlushUse writes the times of last use that Verify has noted. The scheduler calls it now and then, and the process once
// before it ends.
func (s *Store) FlushUse(ctx context.Context) error {
	s.usedMu.Lock()
	used := s.used
	s.used = map[string]int64{}
	s.usedMu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		for _, keyID := range slices.Sorted(maps.Keys(used)) { // in one order, so that processes that flush together do not deadlock
			minute := used[keyID]
			if _, err := tx.Exec("UPDATE api_keys SET last_used = ? WHERE id = ? AND coalesce(last_used, 0) < ?", minute, keyID, minute); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.keepUse(used)
		return fmt.Errorf("write last use of API keys: %w", err)
	}
	return nil
}

// keepUse notes uses again that could not be written.
func (s *Store) keepUse(used map[string]int64) {
	s.usedMu.Lock()
	defer s.usedMu.Unlock()
	for keyID, minute := range used {
		s.used[keyID] = max(s.used[keyID], minute)
	}
}

// cache remembers verified secrets by their hash, so that only the holder of a secret can tell that it is there.
type cache struct {
	keep time.Duration
	mu   sync.Mutex
	gen  int
	m    map[string]cached
}

type cached struct {
	key   Key
	until time.Time
}

// maxCached bounds the memory of the cache; a full one starts anew.
const maxCached = 10_000

func newCache(keep time.Duration) *cache { return &cache{keep: keep, m: map[string]cached{}} }

func (c *cache) get(sum string, now time.Time) (Key, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.m[sum]
	return e.key, ok && now.Before(e.until)
}

// generation counts the clearings. What was read from the database before one must not be put after it.
func (c *cache) generation() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gen
}

func (c *cache) put(sum string, key Key, now time.Time, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation != c.gen {
		return
	}
	if len(c.m) >= maxCached {
		clear(c.m)
	}
	c.m[sum] = cached{key, now.Add(c.keep)}
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gen++
	clear(c.m)
}
