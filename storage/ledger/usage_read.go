package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Usage is what an account has used in a period.
type Usage struct {
	Period       Period
	Entitlements []EntitlementUsage // sorted by name
}

// EntitlementUsage is what was used of one entitlement.
type EntitlementUsage struct {
	Entitlement string `db:"entitlement"`
	Current     int64  `db:"committed"` // units of work that has succeeded
	Reserved    int64  `db:"reserved"`  // units of work that is under way
	Limit       *int64 `db:"-"`         // of all months of the period together; nil where no quota applies
}

const selectUsage = `SELECT entitlement, CAST(sum(committed) AS BIGINT) AS committed, CAST(sum(reserved) AS BIGINT) AS reserved
	FROM usage WHERE account_id = ? AND period >= ? AND period < ? GROUP BY entitlement`

// Usage tells what the account has used between from and to. Both are rounded to whole months in UTC; the zero from means
// the month of to, the zero to means now. Quotas of single entitlements are told also where nothing was used of them. The error is ErrInvalid
// for a period that ends before it begins, ErrNotFound for an unknown account.
func (l *Ledger) Usage(ctx context.Context, accountID string, from, to time.Time) (Usage, error) {
	period, months, err := l.wholeMonths(from, to)
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Period: period}
	s, err := l.subscription(ctx, accountID)
	if err == nil {
		err = l.db.Select(ctx, &u.Entitlements, selectUsage, accountID, period.Start.Format(monthForm), period.End.Format(monthForm))
	}
	if err != nil {
		return Usage{}, fmt.Errorf("read usage: %w", err)
	}
	l.addLimits(&u, s, months)
	return u, nil
}

// wholeMonths rounds to the months that from and to lie in, and counts them.
func (l *Ledger) wholeMonths(from, to time.Time) (Period, int64, error) {
	if to.IsZero() {
		to = l.cfg.Clock.Now()
	}
	if from.IsZero() {
		from = to
	}
	from, to = from.UTC(), to.UTC()
	if to.Before(from) || from.Year() < 1970 || to.Year() > 9998 {
		return Period{}, 0, fmt.Errorf("a period from %s to %s: %w", from.Format(time.DateOnly), to.Format(time.DateOnly), ErrInvalid)
	}
	start := firstOf(from)
	end := firstOf(to)
	if end.Before(to) || end.Equal(start) {
		end = end.AddDate(0, 1, 0)
	}
	months := int64(end.Year()-start.Year())*12 + int64(end.Month()-start.Month())
	period := Period{Type: "monthly", Start: start, End: end}
	if months > 1 {
		period.Type = "custom"
	}
	return period, months, nil
}

func firstOf(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC) }

// addLimits notes what the present plan allows in as many months. Where the plan is not configured, it allows nothing.
func (l *Ledger) addLimits(u *Usage, s subscription, months int64) {
	p, known := l.cfg.Plans.Plan(s.Plan)
	for _, q := range p.Quotas {
		unused := func(e EntitlementUsage) bool { return e.Entitlement == q.Entitlement }
		if q.Limit >= 0 && !strings.Contains(q.Entitlement, "*") && !slices.ContainsFunc(u.Entitlements, unused) {
			u.Entitlements = append(u.Entitlements, EntitlementUsage{Entitlement: q.Entitlement})
		}
	}
	slices.SortFunc(u.Entitlements, func(a, b EntitlementUsage) int { return cmp.Compare(a.Entitlement, b.Entitlement) })
	for i := range u.Entitlements {
		units, limited := p.Limit(u.Entitlements[i].Entitlement)
		if s.Lapsed || !known {
			units, limited = 0, true
		}
		if limited {
			total := units * months
			u.Entitlements[i].Limit = &total
		}
	}
}
