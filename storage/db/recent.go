package db

import (
	"sync"
	"time"
)

// lately is for how long an account that has written is expected to write again.
const lately = time.Second

// recent remembers the two accounts that have written last, the latest first: one of them is not the one that is asked about. The service's own writes are
// none of these. Its zero value is ready.
type recent struct {
	mu   sync.Mutex
	last [2]wrote
}

// wrote says when an account has written.
type wrote struct {
	account string
	at      time.Time
}

// Serve notes that an account writes now.
func (r *recent) Serve(account string, now time.Time) {
	if account == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last[0].account != account {
		r.last[1] = r.last[0]
	}
	r.last[0] = wrote{account, now}
}

// Others tells whether an account other than the given one has written lately.
func (r *recent) Others(account string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	other := r.last[0]
	if other.account == account {
		other = r.last[1]
	}
	return other.account != "" && now.Sub(other.at) <= lately
}
