package job

import (
	"sync"
	"time"
)

// lately is for how long an account is expected to come again.
const lately = time.Second

// Recent tells whether anybody but an account was served within the last second, so that a processor can be kept free for whom that was. What
// answers requests and what runs jobs in one process share one. Its zero value is ready, and safe for concurrent use. Two
// accounts are enough to remember: of two different ones, at least one is not the one that is asked about.
type Recent struct {
	mu           sync.Mutex
	last, before served // of different accounts
}

// served is when an account was served last.
type served struct {
	account string
	at      time.Time
}

// Serve notes that an account is served at a time, which is not before that of an earlier call.
func (r *Recent) Serve(account string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.account != account {
		r.before = r.last
	}
	r.last = served{account, now}
}

// Others tells whether an account other than the given one was served within the second before now.
func (r *Recent) Others(account string, now time.Time) bool {
	return r.OthersSince(account, now.Add(-lately))
}

// OthersSince tells whether an account other than the given one was served at a time or later.
func (r *Recent) OthersSince(account string, since time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	other := r.last
	if other.account == account {
		other = r.before
	}
	return !other.at.IsZero() && !other.at.Before(since)
}
