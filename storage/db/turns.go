package db

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/storage/fair"
)

type accountKey struct{}

// ByAccount gives a context whose Writes take turns with those of other accounts. On SQLite, where one function writes at a time, none of them waits for
// more than one write of each account that has many; on PostgreSQL the accounts share the connections. Writes of contexts without an account are the
// service's own, which take turns as those of one account.
func ByAccount(ctx context.Context, accountID string) context.Context {
	return context.WithValue(ctx, accountKey{}, accountID)
}

// accountOf is the account of a context of ByAccount.
func accountOf(ctx context.Context) string {
	accountID, _ := ctx.Value(accountKey{}).(string)
	return accountID
}

// turns are the writes that wait: by account, and of each account in the order in which they came. An account whose writes have taken long in a transaction
// rests for as long if others have written lately, so that the writer is free half of the time for those who come next.
type turns struct {
	some chan struct{} // has something in it when something has come

	mu    sync.Mutex
	lines map[string][]*write // none of them is empty
	order []string            // the accounts of lines, the next one first
	rests map[string]time.Time
	spent map[string]time.Duration // by the accounts whose writes are in the transaction that is under way

	recent fair.Recent
}

// longWrite is how long the writes of an account take, in one transaction, after which it rests.
const longWrite = time.Millisecond

func newTurns() *turns {
	return &turns{some: make(chan struct{}, 1), lines: map[string][]*write{}, rests: map[string]time.Time{}, spent: map[string]time.Duration{}}
}

// add puts a write at the end of the account's line.
func (t *turns) add(w *write) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines[w.account]) == 0 {
		t.order = append(t.order, w.account)
	}
	t.lines[w.account] = append(t.lines[w.account], w)
	select {
	case t.some <- struct{}{}:
	default:
	}
}

// next takes the write whose turn it is, passing over those that were given up. Where all that wait rest, it is nil, and the next one can be had
// after wait; where none waits, wait is 0.
func (t *turns) next(now time.Time) (w *write, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := 0; i < len(t.order); {
		if rest := t.rests[t.order[i]].Sub(now); rest > 0 {
			if wait == 0 || rest < wait {
				wait = rest
			}
			i++
			continue
		}
		if w := t.pop(i); w.taken.CompareAndSwap(false, true) {
			return w, 0
		}
	}
	return nil, wait
}

// pop takes the first write of the i-th account, which then is the last to have one.
func (t *turns) pop(i int) *write {
	account := t.order[i]
	t.order = slices.Delete(t.order, i, i+1)
	line := t.lines[account]
	w := line[0]
	line[0] = nil
	if line = line[1:]; len(line) == 0 {
		delete(t.lines, account)
		return w
	}
	t.lines[account] = line
	t.order = append(t.order, account)
	return w
}

// ran notes that a write has ended now, and how long it has kept the writer. The service's own neither rest nor make others rest.
func (t *turns) ran(account string, d time.Duration, now time.Time) {
	t.recent.Serve(account, now)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spent[account] += d
	t.rest(account, t.spent[account], now)
}

// ended notes that the transaction under way has ended now, and how long its commit has kept the writer: as long as those have it take that have written much.
func (t *turns) ended(commit time.Duration, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for account, spent := range t.spent {
		if spent >= longWrite {
			t.rest(account, spent+commit, now)
		}
	}
	clear(t.spent)
	for account, until := range t.rests {
		if now.After(until) {
			delete(t.rests, account)
		}
	}
}

// rest has an account rest for as long as it has kept the writer, if that was long and there are others.
func (t *turns) rest(account string, kept time.Duration, now time.Time) {
	if account != "" && kept >= longWrite && t.recent.Others(account, now) {
		t.rests[account] = now.Add(kept)
	}
}
