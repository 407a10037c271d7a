package api

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/einvoiced/einvoiced/job"
)

// pacing bounds the rate at which the large bodies of one account come, all together, while other accounts are served. To take a body in costs time of
// processors, of the kernel's too, that no share accounts for before it is spent, and a small request that comes meanwhile waits behind it several
// times on its way.
type pacing struct {
	rate   rate.Limit // bytes a second
	recent *job.Recent

	mu       sync.Mutex
	accounts map[string]*rate.Limiter // whose bodies came lately
}

const (
	pacedPiece   = 1 << 20     // bytes of large bodies that come at once
	comesAgain   = time.Minute // for how long another account is expected to come again: what has come already is in its way, too
	mostUnpruned = 64          // accounts beyond which those are forgotten whose bodies did not come lately
)

func newPacing(bytesASecond int64, recent *job.Recent) *pacing {
	return &pacing{rate: rate.Limit(bytesASecond), recent: recent, accounts: map[string]*rate.Limiter{}}
}

// wait waits until n more bytes, pacedPiece at the most, may come for an account, or until the context ends, and tells how long that took.
func (p *pacing) wait(ctx context.Context, account string, n int) time.Duration {
	began := time.Now()
	if !p.recent.OthersSince(account, began.Add(-comesAgain)) {
		return 0
	}
	_ = p.limiter(account, began).WaitN(ctx, n) // who reads on where the context has ended is told so by the connection
	return time.Since(began)
}

func (p *pacing) limiter(account string, now time.Time) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.accounts[account]
	if known == nil {
		p.prune(now)
		known = rate.NewLimiter(p.rate, pacedPiece)
		p.accounts[account] = known
	}
	return known
}

// prune forgets accounts that may send what a new one may.
func (p *pacing) prune(now time.Time) {
	if len(p.accounts) < mostUnpruned {
		return
	}
	for account, limiter := range p.accounts {
		if limiter.TokensAt(now) >= pacedPiece {
			delete(p.accounts, account)
		}
	}
}
