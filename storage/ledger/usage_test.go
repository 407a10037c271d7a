package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// write runs a step of a job's or batch's transaction.
func (f *fixture) write(step func(tx *db.Tx) error) error {
	return f.db.Write(context.Background(), step)
}

// day is the beginning of a day in UTC.
func day(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

func TestUsageTellsUnitsAndLimitsOfTheMonth(t *testing.T) {
	f := newInline(t, "free")
	do(t, f.Settle(t.Context(), f.begin(t, f.live(create, parse)), ok("{}")))
	f.begin(t, f.live(create))
	got, err := f.Usage(t.Context(), f.account, time.Time{}, time.Time{})
	do(t, err)
	hundred, five := int64(100), int64(5)
	want := Usage{
		Period: Period{"monthly", day(2026, 3, 1), day(2026, 4, 1)},
		Entitlements: []EntitlementUsage{
			{Entitlement: create, Current: 1, Reserved: 1, Limit: &hundred},
			{Entitlement: parse, Current: 1},
			{Entitlement: "pdf:de:generate", Limit: &five}, // a quota of one entitlement, of which nothing was used
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUsageOfSeveralMonthsIsTheirSum(t *testing.T) {
	f := newInline(t, "free")
	for _, units := range []int64{3, 4, 5} { // March, April, May
		do(t, f.write(func(tx *db.Tx) error { return count(tx, f.account, f.month(), Charge{create, units}) }))
		f.clock.Add(31 * 24 * time.Hour)
	}
	for name, c := range map[string]struct {
		from, to   time.Time
		start, end time.Time
		current    int64
		limit      int64
	}{
		"two months":                     {day(2026, 3, 1), day(2026, 5, 1), day(2026, 3, 1), day(2026, 5, 1), 7, 200},
		"rounded to three":               {day(2026, 3, 31), day(2026, 5, 2), day(2026, 3, 1), day(2026, 6, 1), 12, 300},
		"to the end of a month":          {day(2026, 4, 1), day(2026, 4, 30), day(2026, 4, 1), day(2026, 5, 1), 4, 100},
		"one day":                        {day(2026, 4, 1), day(2026, 4, 1), day(2026, 4, 1), day(2026, 5, 1), 4, 100},
		"only to":                        {time.Time{}, day(2026, 5, 3), day(2026, 5, 1), day(2026, 6, 1), 5, 100},
		"only from, until now in June":   {day(2026, 5, 3), time.Time{}, day(2026, 5, 1), day(2026, 7, 1), 5, 200},
		"across years":                   {day(2025, 12, 1), day(2026, 4, 1), day(2025, 12, 1), day(2026, 4, 1), 3, 400},
		"in another zone, still March":   {time.Date(2026, 4, 1, 1, 0, 0, 0, time.FixedZone("", 7200)), day(2026, 4, 1), day(2026, 3, 1), day(2026, 4, 1), 3, 100},
		"nothing in a month long before": {day(2020, 1, 1), day(2020, 1, 2), day(2020, 1, 1), day(2020, 2, 1), -1, 0},
	} {
		got, err := f.Usage(t.Context(), f.account, c.from, c.to)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kind := "monthly"
		if c.limit > 100 {
			kind = "custom"
		}
		if diff := cmp.Diff(Period{kind, c.start, c.end}, got.Period); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		current, limit := int64(-1), int64(0)
		for _, e := range got.Entitlements {
			if e.Entitlement == create {
				current, limit = e.Current, *e.Limit
			}
		}
		if current != c.current || limit != c.limit {
			t.Errorf("%s: %d of %d, want %d of %d", name, current, limit, c.current, c.limit)
		}
	}
}

func TestUsageOfWhatIsNoneIsAnError(t *testing.T) {
	f := newInline(t, "")
	for name, p := range map[string][2]time.Time{
		"the wrong way round": {day(2026, 3, 2), day(2026, 3, 1)},
		"too early":           {day(1969, 1, 1), day(1970, 1, 2)},
		"too late":            {day(2026, 1, 1), day(9999, 12, 31)},
	} {
		if _, err := f.Usage(t.Context(), f.account, p[0], p[1]); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	if _, err := f.Usage(t.Context(), "acc_unknown", time.Time{}, time.Time{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown account: error %v, want ErrNotFound", err)
	}
}

func TestUsageOfALapsedAccountOrUnknownPlanHasLimitZero(t *testing.T) {
	for set, value := range map[string]any{"lapsed = ?": true, "plan = ?": "gold"} {
		f := newInline(t, "")
		do(t, f.write(use(f.account, parse, 7)))
		f.setAccount(t, set, value)
		got, err := f.Usage(t.Context(), f.account, time.Time{}, time.Time{})
		do(t, err)
		if e := got.Entitlements; len(e) != 1 || e[0].Current != 7 || e[0].Limit == nil || *e[0].Limit != 0 {
			t.Errorf("%s %v: %+v", set, value, e)
		}
	}
}

// chargedJob is a live job that costs one unit of each entitlement.
func (f *fixture) chargedJob(entitlements ...string) NewJob {
	n := f.newJob("x")
	n.Mode = account.Live
	for _, e := range entitlements {
		n.Charges = append(n.Charges, Charge{e, 1})
	}
	return n
}

func TestJobIsReservedWithItsAcceptanceAndCountedWithItsSuccess(t *testing.T) {
	for _, planName := range []string{"", "free"} {
		f := newInline(t, planName)
		limited := int64(len(planName) / 4)
		var runs []Job
		for range 3 {
			job, err := f.Accept(t.Context(), f.chargedJob(create, parse))
			do(t, err)
			runs = append(runs, job)
		}
		f.wantUsed(t, create, 3*limited, 0)
		for i := range runs {
			runs[i] = f.claim(t, runs[i])
		}
		do(t, f.Finish(t.Context(), runs[0], done))
		do(t, f.Finish(t.Context(), runs[1], Output{Status: 422, Answer: Bytes("{}")}))
		f.wantUsed(t, create, limited, 1)
		f.wantUsed(t, parse, 0, 1)
		f.clock.Add(11 * time.Second)
		for range 4 { // it crashes its worker until it is given up
			_, err := f.Reap(t.Context())
			do(t, err)
			f.clock.Add(time.Minute)
			if got, err := f.claimAny(t.Context(), runs[2].ID); err == nil {
				runs[2] = got
			}
			f.clock.Add(11 * time.Second)
		}
		f.wantUsed(t, create, 0, 1)
		if n := f.rows(t, "reservations"); n > 0 {
			t.Errorf("plan %q: %d reservations are left", planName, n)
		}
	}
}

func TestJobBeyondOneOfItsQuotasIsNotAccepted(t *testing.T) {
	f := newInline(t, "free")
	do(t, f.write(use(f.account, create, 100)))
	var quota *QuotaError
	if _, err := f.Accept(t.Context(), f.chargedJob(parse, create)); !errors.As(err, &quota) || quota.Entitlement != create {
		t.Errorf("error %v", err)
	}
	test := f.chargedJob(create)
	test.Mode = account.Test
	_, err := f.Accept(t.Context(), test)
	do(t, err)
	if jobs, left := f.rows(t, "jobs"), f.rows(t, "reservations"); jobs != 1 || left != 0 {
		t.Errorf("%d jobs, %d reservations, want the test job alone", jobs, left)
	}
}

func TestJobCountsInTheMonthOfItsAcceptance(t *testing.T) {
	f := newInline(t, "")
	job, err := f.Accept(t.Context(), f.chargedJob(create))
	do(t, err)
	f.clock.Add(31 * 24 * time.Hour)
	do(t, f.Finish(t.Context(), f.claim(t, job), done))
	f.wantUsed(t, create, 0, 1)
}

func TestStagedBatchIsReservedWholeOrNotAtAll(t *testing.T) {
	f := newInline(t, "free")
	stage := func(batch string, jobs int, charges ...Charge) {
		do(t, f.write(func(tx *db.Tx) error {
			for i := range jobs {
				if err := f.stage(tx, batch, fmt.Sprintf("job_%s_%d", batch, i), f.account, account.Live, charges); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	reserve := func(batch string) error {
		return f.write(func(tx *db.Tx) error { return f.reserveBatch(tx, batch, f.account, account.Live) })
	}
	stage("a", 40, Charge{create, 2}, Charge{parse, 1})
	stage("b", 11, Charge{parse, 1}, Charge{create, 2})
	f.wantUsed(t, create, 0, 0) // an open batch takes nothing from others
	f.clock.Add(31*24*time.Hour - time.Hour)
	do(t, reserve("a"))
	var quota *QuotaError
	if err := reserve("b"); !errors.As(err, &quota) || quota.Current != 80 || quota.Limit != 100 {
		t.Errorf("error %v", err)
	}
	do(t, f.write(func(tx *db.Tx) error { return f.releaseBatch(tx, "b") }))
	for i := range 40 {
		do(t, f.write(func(tx *db.Tx) error { return settleJob(f, tx, i) }))
	}
	for entitlement, want := range map[string]int64{create: 40, parse: 20} {
		if r, c := f.used(t, "2026-04", entitlement); r != 0 || c != want {
			t.Errorf("%s: %d reserved, %d committed, want 0, %d", entitlement, r, c, want)
		}
	}
	if n := f.rows(t, "reservations") + f.rows(t, "usage WHERE period = '2026-03'"); n > 0 {
		t.Errorf("%d rows are left", n)
	}
}

// settleJob lets every other job of batch a succeed.
func settleJob(f *fixture, tx *db.Tx, i int) error {
	if job := fmt.Sprintf("job_a_%d", i); i%2 == 0 {
		return f.commit(tx, job)
	} else {
		return f.release(tx, job)
	}
}

// TestEndsBesideEachOtherLoseNoUnit lets several processes end jobs of one account at once, whose charges come in different orders.
func TestEndsBesideEachOtherLoseNoUnit(t *testing.T) {
	f := newInline(t, "free")
	entitlements := []string{create, createFR, parse}
	const jobs = 60
	for i := range jobs {
		charges := []Charge{{entitlements[i%3], 1}, {entitlements[(i+1)%3], 1}, {entitlements[(i+2)%3], 1}}
		do(t, f.write(func(tx *db.Tx) error { return f.reserve(tx, fmt.Sprint("job_", i), f.account, account.Live, charges) }))
	}
	var work sync.WaitGroup
	for i := range jobs {
		for range 2 { // twice, as after an acknowledgement that was lost
			work.Go(func() {
				if err := f.write(func(tx *db.Tx) error { return f.commit(tx, fmt.Sprint("job_", i)) }); err != nil {
					t.Error(err)
				}
			})
		}
	}
	work.Wait()
	for _, e := range entitlements {
		f.wantUsed(t, e, 0, jobs)
	}
}
