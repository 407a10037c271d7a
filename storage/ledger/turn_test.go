package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// acceptOf takes over a job of the account.
func (f *fixture) acceptOf(t testing.TB, accountID string) Job {
	t.Helper()
	f.clock.Add(time.Millisecond) // ids tell which of two jobs came first
	n := f.newJob("x")
	n.Account = accountID
	job, err := f.Accept(t.Context(), n)
	do(t, err)
	return job
}

// claimNext claims the job whose turn it is.
func (f *fixture) claimNext(t testing.TB) Job {
	t.Helper()
	job, err := f.Claim(t.Context(), names.Default, "job_of_any_ring")
	do(t, err)
	return job
}

func TestSingleJobIsNextAfterTenThousandOfAnother(t *testing.T) {
	f := newFixture(t)
	busy, quiet := f.account, f.newAccount(t)
	batch := f.acceptBatch(t, 10_000)
	for i := range 3 {
		if got := f.claimNext(t); got.Account != busy || got.Batch != batch.ID {
			t.Fatalf("claim %d is %+v", i, got)
		}
	}
	for range 3 {
		job := f.acceptOf(t, quiet)
		if got := f.claimNext(t); got.ID != job.ID {
			t.Errorf("the next claim is one of %s, want %s", got.Account, job.ID)
		}
		if got := f.claimNext(t); got.Account != busy {
			t.Errorf("then comes one of %s", got.Account)
		}
	}
}

func TestJobsOfOneAccountAreServedAsTheyCame(t *testing.T) {
	f := newFixture(t)
	var want, got []string
	for range 20 {
		want = append(want, f.accept(t, "x").ID)
	}
	for range want {
		got = append(got, f.claimNext(t).ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("served %q, accepted %q", got, want)
	}
}

// TestNobodyStarvesBehindThoseWhoComeAgainAndAgain ensures that two accounts which ask for the next job when they have got one do
// not keep a third from its turn.
func TestNobodyStarvesBehindThoseWhoComeAgainAndAgain(t *testing.T) {
	f := newFixture(t)
	greedy := []string{f.newAccount(t), f.newAccount(t)}
	for range 10 {
		f.accept(t, "x")
	}
	for _, g := range greedy {
		f.acceptOf(t, g)
	}
	served := map[string]int{}
	for range 27 {
		job := f.claimNext(t)
		served[job.Account]++
		if job.Account != f.account {
			f.acceptOf(t, job.Account)
		}
	}
	if served[f.account] < 8 {
		t.Errorf("the three were served %v times in 27 claims", served)
	}
}

// fairness counts, for each account that waits, how often each other was served meanwhile.
type fairness struct {
	waiting map[string]int            // jobs
	since   map[string]map[string]int // the claims of others since the account's last one, or since it has waited
	claims  map[string]int            // of the account since it has always had something waiting
	others  map[string]map[string]int // of others meanwhile
}

func (f *fairness) accepted(who string) {
	if f.waiting[who]++; f.waiting[who] == 1 {
		f.since[who], f.others[who], f.claims[who] = map[string]int{}, map[string]int{}, 0
	}
}

// claimed notes a claim and tells which bound it breaks.
func (f *fairness) claimed(who string) string {
	f.waiting[who]--
	f.claims[who]++
	f.since[who] = map[string]int{}
	for x, n := range f.waiting {
		if x == who || n == 0 {
			continue
		}
		f.since[x][who]++
		f.others[x][who]++
		if f.since[x][who] > 2 {
			return fmt.Sprintf("%s was served %d times while %s waited", who, f.since[x][who], x)
		}
		if f.others[x][who] > f.claims[x]+2 {
			return fmt.Sprintf("%s was served %d times and %s, which always had something waiting, %d times", who, f.others[x][who], x, f.claims[x])
		}
	}
	return ""
}

// TestAccountsTakeTurns ensures the bounds of fairness for jobs that come in any order: while an account has something waiting,
// any other is served at most twice between two of its claims, and in the long run at most two times more than it.
func TestAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	accounts := []string{f.account, f.newAccount(t), f.newAccount(t), f.newAccount(t)}
	rapid.Check(t, func(rt *rapid.T) {
		m := &fairness{map[string]int{}, map[string]map[string]int{}, map[string]int{}, map[string]map[string]int{}}
		claim := func() (more bool) {
			job, err := f.Claim(t.Context(), names.Default, "job_of_any_ring")
			if errors.Is(err, ErrNotQueued) {
				return false
			}
			if err != nil {
				rt.Fatal(err)
			}
			if broken := m.claimed(job.Account); broken != "" {
				rt.Fatal(strings.NewReplacer(accounts[0], "A", accounts[1], "B", accounts[2], "C", accounts[3], "D").Replace(broken))
			}
			return true
		}
		defer func() { // the next check begins with an empty queue
			for claim() {
			}
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"accept": func(rt *rapid.T) {
				who := rapid.SampledFrom(accounts).Draw(rt, "account")
				for range rapid.IntRange(1, 5).Draw(rt, "jobs") {
					f.acceptOf(t, who)
					m.accepted(who)
				}
			},
			"claim": func(rt *rapid.T) {
				for range rapid.IntRange(1, 4).Draw(rt, "claims") {
					claim()
				}
			},
		})
	})
}

func TestTurnOfAJobThatComes(t *testing.T) {
	null := func(n int64) (v struct {
		Int64 int64
		Valid bool
	}) {
		v.Int64, v.Valid = n, n >= 0
		return v
	}
	const none = -1
	for _, c := range []struct {
		name              string
		own, lowest, last int64
		want              int64
	}{
		{"into an empty queue", none, none, none, 0},
		{"into an empty queue, with a past", none, none, 900, 0},
		{"behind its own first job", 4, 4, 4, 7},
		{"behind its own later job", 9, 5, 9, 11},
		{"into the present round", none, 5, none, 4},
		{"into the present round, served in an earlier one", none, 6, 4, 6},
		{"into the next round, served in the present one", none, 7, 6, 9},
		{"into the next round, with the turn of another time", none, 7, 900, 9},
	} {
		own, lowest := null(c.own), null(c.lowest)
		s := stand{}
		s.Own.Int64, s.Own.Valid, s.Lowest.Int64, s.Lowest.Valid = own.Int64, own.Valid, lowest.Int64, lowest.Valid
		if got := s.turn(c.last, c.last != none); got != c.want {
			t.Errorf("%s: turn %d, want %d", c.name, got, c.want)
		}
	}
}

func TestJobThatComesBackGoesFirstAndLeavesTheOthersTheirTurns(t *testing.T) {
	f := newFixture(t)
	other := f.newAccount(t)
	jobs := []Job{f.acceptOf(t, f.account), f.acceptOf(t, f.account), f.acceptOf(t, other)}
	run := f.claim(t, jobs[0])
	do(t, f.Release(t.Context(), run))
	f.claim(t, jobs[0])
	if got := f.claimNext(t); got.ID != jobs[2].ID {
		t.Errorf("then comes %+v", got)
	}
}

// TestClaimersBesideEachOtherShareTheJobs ensures that of many claimers, of several processes, each gets another job and all
// jobs are claimed.
func TestClaimersBesideEachOtherShareTheJobs(t *testing.T) {
	f := newFixture(t)
	f.acceptBatch(t, 300)
	processes := []*fixture{f, openFixture(t, f.place, f.cfg), openFixture(t, f.place, f.cfg)}
	var claimed sync.Map
	var claimers sync.WaitGroup
	for i := range 12 {
		claimers.Go(func() {
			for {
				job, err := processes[i%3].Claim(t.Context(), names.Default, "job_of_any_ring")
				if errors.Is(err, ErrNotQueued) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if _, twice := claimed.LoadOrStore(job.ID, true); twice || job.Run != 1 {
					t.Errorf("job %s is claimed again as run %d", job.ID, job.Run)
				}
			}
		})
	}
	claimers.Wait()
	var left int
	do(t, f.db.Get(t.Context(), &left, "SELECT count(*) FROM jobs WHERE state <> 'running'"))
	n := 0
	claimed.Range(func(any, any) bool { n++; return true })
	if left != 0 || n != 300 {
		t.Errorf("%d jobs claimed, %d left", n, left)
	}
}

// TestEveryMessageFindsAJob ensures that as many claims as there are jobs find one each, also where the jobs come and go meanwhile: a
// message that finds nothing would leave a job waiting until it is enqueued again.
func TestEveryMessageFindsAJob(t *testing.T) {
	f := newFixture(t)
	processes := []*fixture{f, openFixture(t, f.place, f.cfg)}
	var callers sync.WaitGroup
	for i := range 12 {
		callers.Go(func() {
			for range 40 {
				job, err := f.Accept(t.Context(), f.newJob("x"))
				if err == nil {
					_, err = processes[i%2].Claim(t.Context(), names.Default, job.ID)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	callers.Wait()
}
