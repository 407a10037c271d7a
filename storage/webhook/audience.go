package webhook

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

var _ ledger.Audience = (*Store)(nil)

// heardFor is how long an answer of Wants is good in processes other than the one in which a webhook is changed.
const heardFor = time.Second

// Wants tells whether an enabled webhook of the account and mode wants the event, without a transaction. A change in this process
// counts at once, one in another within a second.
func (s *Store) Wants(ctx context.Context, accountID string, mode account.Mode, eventType string) (bool, error) {
	wanted, err := s.wanted(ctx, accountID, mode)
	if err != nil {
		return false, fmt.Errorf("look who wants %s: %w", eventType, err)
	}
	return wants(wanted, eventType), nil
}

// Listens tells like Wants whether an enabled webhook of the account and mode wants any event.
func (s *Store) Listens(ctx context.Context, accountID string, mode account.Mode) (bool, error) {
	wanted, err := s.wanted(ctx, accountID, mode)
	if err != nil {
		return false, fmt.Errorf("look who listens: %w", err)
	}
	return len(wanted) > 0, nil
}

// wanted gives the types that each enabled webhook wants.
func (s *Store) wanted(ctx context.Context, accountID string, mode account.Mode) ([][]string, error) {
	owner, now := accountID+" "+string(mode), s.cfg.Clock.Now()
	wanted, generation, ok := s.audiences.get(owner, now)
	if ok {
		return wanted, nil
	}
	var rows []endpointRow
	err := s.db.Select(ctx, &rows, "SELECT * FROM webhook_endpoints WHERE account_id = ? AND mode = ? AND deleted IS NULL AND enabled", accountID, mode)
	if err != nil {
		return nil, err
	}
	wanted = make([][]string, len(rows))
	for i, r := range rows {
		wanted[i] = r.wanted()
	}
	s.audiences.put(owner, audience{wanted, now.Add(heardFor)}, generation)
	return wanted, nil
}

// wants tells whether one of the lists of types has the type; an empty one has all.
func wants(lists [][]string, eventType string) bool {
	return slices.ContainsFunc(lists, func(types []string) bool { return len(types) == 0 || slices.Contains(types, eventType) })
}

// audiences remembers who wants what, by account and mode.
type audiences struct {
	mu         sync.Mutex
	generation int // counts the changes: what was read before one must not be put after it
	m          map[string]audience
}

type audience struct {
	wanted [][]string // of each webhook
	until  time.Time
}

// maxAudiences bounds the memory; a full one starts anew.
const maxAudiences = 10_000

func (a *audiences) get(owner string, now time.Time) (wanted [][]string, generation int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, ok := a.m[owner]
	return found.wanted, a.generation, ok && now.Before(found.until)
}

func (a *audiences) put(owner string, found audience, generation int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if generation != a.generation {
		return
	}
	if a.m == nil || len(a.m) >= maxAudiences {
		a.m = map[string]audience{}
	}
	a.m[owner] = found
}

// forget is called when a webhook has changed.
func (a *audiences) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.generation++
	a.m = nil
}
