package api

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/einvoiced/einvoiced/job"
)

// pacing bounds the rate at which the large bodies of one account come, all together, while other accounts are served. To take a body in costs time of
// processors, of the kernel's too, that no share accounts for before it is spent, and a small request that comes meanwhile waits behind it several
// times on its way.
type pacing struct {
	accounts *limiters[string]
	recent   *job.Recent
}

const (
	pacedPiece = 1 << 20     // bytes of large bodies that come at once
	comesAgain = time.Minute // for how long another account is expected to come again: what has come already is in its way, too
)

func newPacing(bytesASecond int64, recent *job.Recent) *pacing {
	return &pacing{newLimiters[string](rate.Limit(bytesASecond), pacedPiece), recent}
}

// wait waits until n more bytes, pacedPiece at the most, may come for an account, or until the context ends, and tells how long that took.
func (p *pacing) wait(ctx context.Context, account string, n int) time.Duration {
	began := time.Now()
	if !p.recent.OthersSince(account, began.Add(-comesAgain)) {
		return 0
	}
	_ = p.accounts.of(account).WaitN(ctx, n) // who reads on where the context has ended is told so by the connection
	return time.Since(began)
}
