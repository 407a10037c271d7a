package worker

import (
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/job"
)

// ends counts the jobs of each account that are written down while the places of their runs are taken by the next. There are no more than most, and
// while another account was served within the last second no account has more than one.
type ends struct {
	under  sync.WaitGroup // those that are under way
	most   int
	recent *job.Recent

	mu       sync.Mutex
	all      int
	accounts map[string]int
}

func newEnds(most int, recent *job.Recent) *ends {
	return &ends{most: most, recent: recent, accounts: map[string]int{}}
}

// begin starts the end of a job beside what else goes on, where the account may have one more.
func (e *ends) begin(account string, end func()) bool {
	if !e.take(account) {
		return false
	}
	e.under.Go(func() {
		defer e.give(account)
		end()
	})
	return true
}

func (e *ends) take(account string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all >= e.most || e.accounts[account] > 0 && e.recent.Others(account, time.Now()) {
		return false
	}
	e.all++
	e.accounts[account]++
	return true
}

func (e *ends) give(account string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all--
	if e.accounts[account]--; e.accounts[account] == 0 {
		delete(e.accounts, account)
	}
}
