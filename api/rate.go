package api

import (
	"context"
	"strconv"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/plan"
	"github.com/einvoiced/einvoiced/storage/ratelimit"
)

// Limiter tells whether a key may ask now; *ratelimit.Limiter does.
type Limiter interface {
	Allow(ctx context.Context, key string, rate ratelimit.Rate) (ratelimit.Decision, error)
}

var _ Limiter = (*ratelimit.Limiter)(nil)

// planOf is the plan of the account that asks. Of a plan that is not configured nothing is known; the ledger refuses its charges.
func (s *Server) planOf(c *call) plan.Plan {
	p, _ := s.Plans.Plan(c.key.Account.Plan)
	return p
}

// limitRate counts a request against the rate of its key, and tells how that stands. The 429 has no Retry-After.
func (s *Server) limitRate(c *call) error {
	if s.Limiter == nil || c.key == nil {
		return nil
	}
	rate := s.cfg.Rate
	if own := s.planOf(c).Rate; own.PerSecond > 0 {
		rate = ratelimit.Rate(own)
	}
	if rate.PerSecond <= 0 {
		return nil
	}
	d, err := s.Limiter.Allow(c.r.Context(), c.key.ID, rate)
	if err != nil {
		return errClientGone // nothing else is an error of a Limiter
	}
	h := c.w.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(d.Limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(d.Remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt((d.Reset.UnixMilli()+999)/1000, 10))
	if d.Allowed {
		return nil
	}
	return &finding.Refusal{Kind: finding.RateLimited, Message: "This API key asks too often; retry with exponential backoff"}
}
