package fair

import (
	"slices"
	"sync"
	"time"
)

// lately is for how long an account is expected to come again.
const lately = time.Second

// Recent tells who was served within the last second, so that something can be kept free for whom that was. The service itself, an account without a
// name, is nobody. Its zero value is ready, and safe for concurrent use. It remembers few accounts: of two different ones, at least
// one is not the one that is asked about, and more than two are many.
type Recent struct {
	mu   sync.Mutex
	last [3]served // of different accounts, the latest first
	more chan struct{}
}

// served is when an account was served last; the zero value is nobody.
type served struct {
	account string
	at      time.Time
}

// Serve notes that an account is served at a time, which is not before that of an earlier call.
func (r *Recent) Serve(account string, now time.Time) {
	if account == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.last[:], func(s served) bool { return s.account == account })
	if i < 0 {
		i = len(r.last) - 1
	}
	before := r.accounts(now)
	copy(r.last[1:i+1], r.last[:i])
	r.last[0] = served{account, now}
	if r.accounts(now) > before {
		r.tell()
	}
}

// More has something in it when there are more accounts than before.
func (r *Recent) More() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.more == nil {
		r.more = make(chan struct{}, 1)
	}
	return r.more
}

func (r *Recent) tell() {
	select {
	case r.more <- struct{}{}: // never where nobody has asked
	default:
	}
}

// Others tells whether an account other than the given one was served within the second before now.
func (r *Recent) Others(account string, now time.Time) bool {
	return r.OthersSince(account, now.Add(-lately))
}

// OthersSince tells whether an account other than the given one was served at a time or later.
func (r *Recent) OthersSince(account string, since time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	other := r.last[0]
	if other.account == account {
		other = r.last[1]
	}
	return other.since(since)
}

// Accounts counts those that were served within the second before now, up to three.
func (r *Recent) Accounts(now time.Time) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.accounts(now)
}

func (r *Recent) accounts(now time.Time) (n int) {
	for _, s := range r.last {
		if s.since(now.Add(-lately)) {
			n++
		}
	}
	return n
}

func (s served) since(t time.Time) bool { return !s.at.IsZero() && !s.at.Before(t) }
