package account

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Verify gives the live key that has the secret, ErrUnauthorized where there is none, and another error where the database
// could not be asked. A secret that was superseded is good until its cut-off. An unknown key and a wrong secret of a known one
// take the same path in the same time: secrets near by are always read, and compared in constant time.
func (s *Store) Verify(ctx context.Context, secret string) (Key, error) {
	if !WellFormed(secret) {
		return Key{}, ErrUnauthorized
	}
	sum, lookup, now := hash(secret), lookupOf(secret), s.clock.Now()
	if key, ok := s.verified.get(sum, now); ok {
		s.noteUse(key, lookup, now)
		return key, nil
	}
	generation := s.verified.generation()
	key, err := s.find(ctx, lookup, sum, now)
	if err != nil {
		return Key{}, err
	}
	s.verified.put(sum, key, now, key.endOf(lookup), generation)
	s.noteUse(key, lookup, now)
	return key, nil
}

// selectNear gives the live secrets whose lookup ids are the next at or after one, of the present and of the superseded secrets, each as its
// lookup id and its hash. After the last comes the first: there is a row to read wherever the id stands, and whether or not it is known. Revoked keys have no
// superseded secrets, and are in no index that is read here, so that very many of them cost nothing.
const selectNear = `
	SELECT coalesce((SELECT lookup || sha256 FROM api_keys WHERE lookup >= ? AND revoked IS NULL ORDER BY lookup LIMIT 1),
		(SELECT lookup || sha256 FROM api_keys WHERE revoked IS NULL ORDER BY lookup LIMIT 1), '') AS present,
	coalesce((SELECT lookup || sha256 FROM superseded_secrets WHERE lookup >= ? AND until > ? ORDER BY lookup LIMIT 1),
		(SELECT lookup || sha256 FROM superseded_secrets WHERE until > ? ORDER BY lookup LIMIT 1), '') AS superseded`

const whereLookup = ` WHERE k.id = (SELECT id FROM api_keys WHERE lookup = ? UNION ALL SELECT key_id FROM superseded_secrets WHERE lookup = ? LIMIT 1)`

// near are what selectNear gives; empty where there is no live secret at all.
type near struct{ Present, Superseded string }

func (s *Store) near(ctx context.Context, lookup string, now time.Time) (n near, err error) {
	err = s.db.Get(ctx, &n, selectNear, lookup, lookup, clock.Millis(now), clock.Millis(now))
	return n, err
}

// isLive tells whether there is a live secret with the lookup id and the hash.
func (s *Store) isLive(ctx context.Context, lookup, sum string, now time.Time) (bool, error) {
	n, err := s.near(ctx, lookup, now)
	if err != nil {
		return false, fmt.Errorf("find API key: %w", err)
	}
	asked := []byte(lookup + sum)
	return subtle.ConstantTimeCompare([]byte(n.Present), asked)|subtle.ConstantTimeCompare([]byte(n.Superseded), asked) == 1, nil
}

func (s *Store) find(ctx context.Context, lookup, sum string, now time.Time) (Key, error) {
	live, err := s.isLive(ctx, lookup, sum, now)
	if err != nil {
		return Key{}, err
	}
	if !live {
		return Key{}, ErrUnauthorized
	}
	var row keyRow
	err = s.db.Get(ctx, &row, selectKeys+whereLookup, lookup, lookup)
	if errors.Is(err, sql.ErrNoRows) { // superseded for good meanwhile
		return Key{}, ErrUnauthorized
	}
	if err != nil {
		return Key{}, fmt.Errorf("read API key: %w", err)
	}
	key, err := row.key(now)
	if err == nil && (row.Revoked.Valid || row.Lookup != lookup && key.Old == nil) {
		return Key{}, ErrUnauthorized
	}
	return key, err
}

// superseded tells whether the lookup id is that of the key's old secret.
func (k Key) superseded(lookup string) bool {
	return k.Old != nil && k.Old.Prefix == prefixOf(k.Mode, lookup)
}

// endOf gives the cut-off of the secret with the lookup id, zero for the present one.
func (k Key) endOf(lookup string) time.Time {
	if k.superseded(lookup) {
		return k.Old.Until
	}
	return time.Time{}
}

// noteUse remembers the minute of use of a secret; the database learns it with FlushUse.
func (s *Store) noteUse(key Key, lookup string, now time.Time) {
	last := key.LastUsed
	if key.superseded(lookup) {
		last = key.Old.LastUsed
	}
	minute := clock.Millis(now.Truncate(time.Minute))
	if minute <= clock.Millis(last) {
		return
	}
	s.usedMu.Lock()
	defer s.usedMu.Unlock()
	s.used[lookup] = minute
}

// FlushUse writes the times of last use that Verify has noted, and removes secrets that were superseded for good. The scheduler calls it now and
// then, and the process once before it ends.
func (s *Store) FlushUse(ctx context.Context) error {
	s.usedMu.Lock()
	used := s.used
	s.used = map[string]int64{}
	s.usedMu.Unlock()
	if len(used) == 0 {
		return nil
	}
	lookups := slices.Sorted(maps.Keys(used)) // in one order, so that processes that flush together do not deadlock
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		for _, table := range []string{"api_keys", "superseded_secrets"} { // a secret may have gone from one to the other
			for _, lookup := range lookups {
				_, err := tx.Exec("UPDATE "+table+" SET last_used = ? WHERE lookup = ? AND coalesce(last_used, 0) < ?", used[lookup], lookup, used[lookup])
				if err != nil {
					return err
				}
			}
		}
		_, err := tx.Exec("DELETE FROM superseded_secrets WHERE until <= ?", clock.Millis(s.clock.Now()))
		return err
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
	for lookup, minute := range used {
		s.used[lookup] = max(s.used[lookup], minute)
	}
}

// cache remembers verified secrets by their hash, so that only the holder of a secret can tell that it is there.
type cache struct {
	keep time.Duration
	mu   sync.Mutex
	gen  int
	gone []func(Key) bool // what was forgotten last, once for each generation, oldest first
	m    map[string]cached
}

type cached struct {
	key   Key
	until time.Time
}

const (
	maxCached    = 10_000 // bounds the memory of the cache; a full one starts anew
	maxForgotten = 64     // of what was read before the last of so many nothing is remembered
)

func newCache(keep time.Duration) *cache { return &cache{keep: keep, m: map[string]cached{}} }

func (c *cache) get(sum string, now time.Time) (Key, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.m[sum]
	return e.key, ok && now.Before(e.until)
}

// generation counts what was forgotten. What was read of the database before that must not be put after it.
func (c *cache) generation() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gen
}

// put remembers the key for a while, at most to the cut-off of the secret, which is zero for one without.
func (c *cache) put(sum string, key Key, now, cutOff time.Time, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stale(key, generation) {
		return
	}
	if len(c.m) >= maxCached {
		clear(c.m)
	}
	until := now.Add(c.keep)
	if !cutOff.IsZero() && cutOff.Before(until) {
		until = cutOff
	}
	c.m[sum] = cached{key, until}
}

// stale tells whether a key that was read in a generation may have changed since.
func (c *cache) stale(key Key, generation int) bool {
	if c.gen-generation > len(c.gone) {
		return true
	}
	return slices.ContainsFunc(c.gone[len(c.gone)-(c.gen-generation):], func(which func(Key) bool) bool { return which(key) })
}

// forget forgets some keys. Those of others stay: who changes keys all the time must not make everybody's be read each time.
func (c *cache) forget(which func(Key) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gen++
	if c.gone = append(c.gone, which); len(c.gone) > maxForgotten {
		c.gone = slices.Clone(c.gone[1:])
	}
	maps.DeleteFunc(c.m, func(_ string, e cached) bool { return which(e.key) })
}
