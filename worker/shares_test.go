package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// TestShares_CountClaimsUnderWay ensures that claims which may come to runs of one account do not make more of them than its share, and that
// other accounts are claimed for meanwhile.
func TestShares_CountClaimsUnderWay(t *testing.T) {
	s := newShares(2, &job.Recent{})
	for range 2 {
		if full, _, ok := s.begin(); !ok || len(full) > 0 {
			t.Fatal("a claim is held up though nothing runs")
		}
	}
	_, changed, ok := s.begin()
	if ok {
		t.Fatal("a third claim may come to a third run of one account")
	}
	s.claimed("a")
	<-changed
	if _, _, ok := s.begin(); ok {
		t.Error("a claim beside a run and another claim may come to a third run")
	}
	s.claimed("a")
	if full, _, ok := s.begin(); !ok || len(full) != 1 || full[0] != "a" {
		t.Errorf("passed over are %q", full)
	}
	s.claimed("")
	s.end("a")
	if full, _, ok := s.begin(); !ok || len(full) > 0 {
		t.Errorf("after an end %q are passed over", full)
	}
}

// shared is a worker with a share, runs that go on until they are let go, and a second account.
type sharedFixture struct {
	*fixture
	other   string
	letGo   chan struct{}
	mu      sync.Mutex
	running map[string]int // by request
	most    map[string]int
	calls   sync.WaitGroup
}

func newSharedFixture(t *testing.T) *sharedFixture {
	f := &sharedFixture{letGo: make(chan struct{}), running: map[string]int{}, most: map[string]int{}}
	f.fixture = newFixture(t, func(ctx context.Context, _ string, request []byte) (ledger.Output, error) {
		f.count(string(request), 1)
		defer f.count(string(request), -1)
		select {
		case <-f.letGo:
		case <-ctx.Done():
		}
		return echo(ctx, "generate", request)
	})
	f.cfg.Share, f.cfg.Queues = 2, []string{names.Interactive, names.Default}
	f.shares = newShares(2, &job.Recent{})
	accounts, err := account.New(account.Config{}, f.db)
	do(t, err)
	a, err := accounts.CreateAccount(t.Context(), "Nachbarin")
	do(t, err)
	f.other = a.ID
	return f
}

func (f *sharedFixture) count(request string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running[request] += n
	f.most[request] = max(f.most[request], f.running[request])
}

func (f *sharedFixture) runs(request string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running[request]
}

// send accepts a job and, where it is told to, has the worker hear of it.
func (f *sharedFixture) send(t *testing.T, ctx context.Context, accountID, queue, request string, told bool) ledger.Job {
	t.Helper()
	job, err := f.ledger.Accept(t.Context(), ledger.NewJob{Account: accountID, Mode: account.Test, Kind: "generate", Queue: queue, Request: strings.NewReader(request)})
	do(t, err)
	if told {
		f.calls.Go(func() { f.Handle(ctx, queue, job.ID) })
	}
	return job
}

// TestAccountHasItsShareOfTheWorker ensures that one account has no more runs in a process than its share, that the job of another account begins
// beside them though no message tells of it, whatever its queue, and that all jobs are done in the end.
func TestAccountHasItsShareOfTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSharedFixture(t)
		for range 6 {
			f.send(t, t.Context(), f.account, names.Default, "busy", true)
		}
		time.Sleep(time.Second)
		if n := f.runs("busy"); n != 2 {
			t.Errorf("%d jobs of one account run, want 2", n)
		}
		for i, queue := range []string{names.Default, names.Interactive} {
			f.send(t, t.Context(), f.other, queue, "other", false)
			time.Sleep(2 * f.cfg.Look)
			if n := f.runs("other"); n != i+1 {
				t.Errorf("%d jobs of another account run, want %d", n, i+1)
			}
		}
		close(f.letGo)
		f.calls.Wait()
		if n := f.most["busy"]; n != 2 {
			t.Errorf("%d jobs of one account have run beside each other", n)
		}
		if left := f.unfinished(t); left != 2 { // two messages were for others
			t.Errorf("%d jobs are left, want 2", left)
		}
	})
}

// TestJobOfThisProcessIsLookedForAtOnce ensures that the job of another account begins at once where the worker is told of it, and that it is not told of
// those who have their share.
func TestJobOfThisProcessIsLookedForAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSharedFixture(t)
		for range 3 {
			f.send(t, t.Context(), f.account, names.Default, "busy", true)
		}
		time.Sleep(time.Second)
		began := time.Now()
		f.send(t, t.Context(), f.other, names.Interactive, "other", false)
		f.LookFor(f.account)
		if len(f.accepted) > 0 {
			t.Error("it is looked for jobs of an account that has its share")
		}
		f.LookFor(f.other)
		for i := 0; f.runs("other") == 0 && i < 1_000; i++ {
			time.Sleep(time.Microsecond)
		}
		if took := time.Since(began); f.runs("other") != 1 || took >= f.cfg.Look {
			t.Errorf("%d jobs of another account run after %s", f.runs("other"), took)
		}
		close(f.letGo)
		f.calls.Wait()
	})
}

func (f *fixture) unfinished(t *testing.T) (n int) {
	t.Helper()
	do(t, f.db.Get(t.Context(), &n, "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')"))
	return n
}

// TestMessageIsHandedBackWhenTheWorkerStops ensures that what waits for a share is told of again at once when the worker stops.
func TestMessageIsHandedBackWhenTheWorkerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSharedFixture(t)
		ctx, stop := context.WithCancel(t.Context())
		for i := range 3 {
			f.send(t, ctx, f.account, names.Default, fmt.Sprint(i), true)
			synctest.Wait()
		}
		stop()
		f.calls.Wait()
		if due := outboxtest.Due(t, f.outbox); len(due) != 3 {
			t.Errorf("%d messages are due, want 3", len(due))
		}
	})
}

// TestShares_KeepOneFreeForWhoWasThere ensures that an account which takes all it can leaves one run to another that had one within the last second, and
// has its whole share again afterwards.
func TestShares_KeepOneFreeForWhoWasThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShares(3, &job.Recent{})
		fill := func(account string) (n int) {
			for ; ; n++ {
				full, _, ok := s.begin()
				if !ok || slices.Contains(full, account) {
					if ok {
						s.claimed("")
					}
					return n
				}
				s.claimed(account)
			}
		}
		s.add("other")
		s.end("other")
		if n := fill("busy"); n != 2 {
			t.Errorf("beside another the account has %d runs, want 2", n)
		}
		time.Sleep(1001 * time.Millisecond)
		if n := fill("busy"); n != 1 {
			t.Errorf("a second later it gets %d more, want 1", n)
		}
	})
}
