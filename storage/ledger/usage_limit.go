package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// maxUnits is the most units of one charge.
const maxUnits = 1_000_000_000

// billable gives the charges that count, one for each entitlement and sorted; test keys have none. The error is ErrInvalid.
func billable(mode account.Mode, charges []Charge) ([]Charge, error) {
	var merged []Charge
	for _, c := range slices.SortedFunc(slices.Values(charges), func(a, b Charge) int { return cmp.Compare(a.Entitlement, b.Entitlement) }) {
		if c.Entitlement == "" || c.Units < 1 || c.Units > maxUnits {
			return nil, fmt.Errorf("charge of %d units of %q: %w", c.Units, c.Entitlement, ErrInvalid)
		}
		if last := len(merged) - 1; last >= 0 && merged[last].Entitlement == c.Entitlement {
			merged[last].Units += c.Units
			continue
		}
		merged = append(merged, c)
	}
	if mode == account.Test {
		return nil, nil
	}
	return merged, nil
}

// limit is what the plan allows of a charge's entitlement in a month.
type limit struct {
	units   int64
	limited bool
}

// subscription is what an account's row says about its limits.
type subscription struct {
	Plan   string `db:"plan"`
	Lapsed bool   `db:"lapsed"`
}

const selectSubscription = "SELECT plan, lapsed FROM accounts WHERE id = ?"

// subscription reads the account's subscription. The error is ErrNotFound for an unknown account.
func (l *Ledger) subscription(ctx context.Context, accountID string) (s subscription, err error) {
	err = l.db.Get(ctx, &s, selectSubscription, accountID)
	if errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("account %s: %w", accountID, ErrNotFound)
	}
	return s, err
}

// limitsIn gives the limits of the charges by the account's subscription. The error is a *QuotaError or ErrPlanUnknown.
func (l *Ledger) limitsIn(tx *db.Tx, accountID string, charges []Charge) ([]limit, error) {
	var s subscription
	if err := tx.Get(&s, selectSubscription, accountID); err != nil {
		return nil, fmt.Errorf("read plan of account %s: %w", accountID, err)
	}
	return l.limits(s, accountID, charges)
}

func (l *Ledger) limits(s subscription, accountID string, charges []Charge) ([]limit, error) {
	if s.Lapsed {
		return nil, &QuotaError{Entitlement: charges[0].Entitlement} // limit 0 and no period
	}
	p, ok := l.cfg.Plans.Plan(s.Plan)
	if !ok {
		l.cfg.Logger.Error("an account has a plan that is not configured: nothing is counted in", "account_id", accountID, "plan", s.Plan)
		return nil, fmt.Errorf("plan %q of account %s: %w", s.Plan, accountID, ErrPlanUnknown)
	}
	limits := make([]limit, len(charges))
	for i, c := range charges {
		limits[i].units, limits[i].limited = p.Limit(c.Entitlement)
	}
	return limits, nil
}

// monthForm is how a period is stored: a calendar month in UTC.
const monthForm = "2006-01"

// month is the present period.
func (l *Ledger) month() string { return l.cfg.Clock.Now().UTC().Format(monthForm) }

// periodOf gives the time of a stored period.
func periodOf(month string) *Period {
	start, err := time.Parse(monthForm, month)
	if err != nil {
		return nil // months are written by month alone
	}
	return &Period{Type: "monthly", Start: start, End: start.AddDate(0, 1, 0)}
}
