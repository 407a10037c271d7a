package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var silent = slog.New(slog.DiscardHandler)

const ttl = 10 * time.Second

// street is processes on one database. It lives in a bubble of synctest, where time passes when all wait.
type street struct {
	t      *testing.T
	db     *db.DB
	active atomic.Int32 // processes that work under the lease
	worst  atomic.Int32 // the most that ever did
	mu     sync.Mutex
	starts []time.Duration // when somebody began
	fences []int64
	begin  time.Time
}

// onStreet runs a test on an empty street.
func onStreet(t *testing.T, test func(t *testing.T, s *street)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		database, err := db.Open(t.Context(), db.Config{Path: filepath.Join(dir, "test.db"), Logger: silent})
		if err != nil {
			t.Fatal(err)
		}
		defer database.Close()
		test(t, &street{t: t, db: database, begin: time.Now()})
	})
}

// process is one that takes part.
type process struct {
	*street
	store *flaky
	clock *clock.Hand
	stops time.Duration // how long its work takes to stop
	end   context.CancelFunc
	ended chan struct{}
}

// flaky is the process's way to the database.
type flaky struct {
	*db.DB
	cut  atomic.Bool  // everything fails
	lost atomic.Bool  // writes are carried out, and yet fail
	slow atomic.Int64 // nanoseconds before every answer
}

var errCut = errors.New("cut off")

// pause makes no timer where there is nothing to wait for: of timers of a bubble that are over at once, each goroutine runs its own, beside those of
// others, and for all of them the race detector has one context, which bears one at a time (runtime.timer.maybeRunChan of Go 1.26).
func (f *flaky) pause(ctx context.Context) error {
	if slow := time.Duration(f.slow.Load()); slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if f.cut.Load() {
		return errCut
	}
	return ctx.Err()
}

func (f *flaky) Select(ctx context.Context, dst any, query string, args ...any) error {
	if err := f.pause(ctx); err != nil {
		return err
	}
	return f.DB.Select(ctx, dst, query, args...)
}

func (f *flaky) Write(ctx context.Context, fn func(*db.Tx) error) error {
	if err := f.pause(ctx); err != nil {
		return err
	}
	err := f.DB.Write(ctx, fn)
	if err == nil && f.lost.Load() {
		return db.ErrInDoubt
	}
	return err
}

// start starts a process.
func (s *street) start(t *testing.T, holder string) *process {
	t.Helper()
	p := &process{street: s, store: &flaky{DB: s.db}, clock: clock.NewHand(noon), ended: make(chan struct{})}
	l, err := New(Config{Name: "scheduler", Holder: holder, TTL: ttl, Clock: p.clock, Logger: silent}, p.store)
	if err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, p.end = context.WithCancel(context.Background())
	go func() {
		defer close(p.ended)
		l.Hold(ctx, p.work)
	}()
	return p
}

// work is what one process is to do.
func (p *process) work(ctx context.Context) {
	if n := p.active.Add(1); n > p.worst.Load() {
		p.worst.Store(n)
	}
	p.mu.Lock()
	p.starts = append(p.starts, time.Since(p.begin))
	p.fences = append(p.fences, Fence(ctx))
	p.mu.Unlock()
	<-ctx.Done()
	time.Sleep(p.stops)
	p.active.Add(-1)
}

// stop lets the process end as it should.
func (p *process) stop() {
	p.end()
	<-p.ended
}

// kill takes the process away: it gives nothing back.
func (p *process) kill() {
	p.store.cut.Store(true)
	p.stop()
}

func (s *street) check(starts int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.starts) != starts || s.worst.Load() > 1 {
		s.t.Errorf("%d starts at %v, want %d; at most %d were active", len(s.starts), s.starts, starts, s.worst.Load())
	}
	for i := range s.fences {
		if i > 0 && s.fences[i] <= s.fences[i-1] {
			s.t.Errorf("fences %v do not grow", s.fences)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for name, cfg := range map[string]Config{"no name": {}, "short": {Name: "x", TTL: time.Millisecond}} {
		if _, err := New(cfg, nil); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestFirstProcessIsActiveAtOnceAndStaysSo(t *testing.T) {
	onStreet(t, func(t *testing.T, s *street) {
		one := s.start(t, "one")
		synctest.Wait()
		other := s.start(t, "other")
		time.Sleep(10 * time.Minute)
		s.check(1)
		if s.starts[0] != 0 || s.active.Load() != 1 {
			t.Errorf("started at %v, %d active", s.starts, s.active.Load())
		}
		one.stop()
		other.stop()
	})
}

func TestKilledHolderIsFollowedWithinTheTTL(t *testing.T) {
	for _, at := range []time.Duration{0, 700 * time.Millisecond, 1999 * time.Millisecond, 2 * time.Second, 13500 * time.Millisecond} {
		onStreet(t, func(t *testing.T, s *street) {
			one := s.start(t, "one")
			synctest.Wait()
			time.Sleep(300 * time.Millisecond)
			other := s.start(t, "other")
			time.Sleep(at)
			one.kill()
			killed := time.Since(s.begin)
			time.Sleep(ttl)
			s.check(2)
			if took := s.starts[1] - killed; took > ttl {
				t.Errorf("killed after %s, followed after %s", killed, took)
			}
			other.stop()
		})
	}
}

func TestHolderThatEndsIsFollowedAtOnce(t *testing.T) {
	onStreet(t, func(t *testing.T, s *street) {
		one := s.start(t, "one")
		synctest.Wait()
		other := s.start(t, "other")
		time.Sleep(15 * time.Second)
		one.stop()
		ended := time.Since(s.begin)
		time.Sleep(ttl)
		s.check(2)
		if took := s.starts[1] - ended; took > ttl/looks {
			t.Errorf("followed after %s", took)
		}
		other.stop()
	})
}

func TestHolderThatCannotRenewStopsBeforeAnotherBegins(t *testing.T) {
	for name, cut := range map[string]func(*flaky){
		"error":  func(f *flaky) { f.cut.Store(true) },
		"silent": func(f *flaky) { f.slow.Store(int64(time.Hour)) },
	} {
		onStreet(t, func(t *testing.T, s *street) {
			one := s.start(t, "one")
			synctest.Wait()
			one.stops = ttl/5 - time.Millisecond
			other := s.start(t, "other")
			time.Sleep(11 * time.Second)
			cut(one.store)
			time.Sleep(ttl)
			s.check(2)
			if s.active.Load() != 1 {
				t.Errorf("%s: %d active", name, s.active.Load())
			}
			one.stop()
			other.stop()
		})
	}
}

func TestHolderGoesOnAfterAShortTrouble(t *testing.T) {
	onStreet(t, func(t *testing.T, s *street) {
		one := s.start(t, "one")
		synctest.Wait()
		for range 10 {
			one.store.cut.Store(true)
			time.Sleep(2 * time.Second)
			one.store.cut.Store(false)
			time.Sleep(4 * time.Second)
		}
		s.check(1)
		one.stop()
	})
}

func TestAnswersThatAreLostCostNoLease(t *testing.T) {
	onStreet(t, func(t *testing.T, s *street) {
		one := s.start(t, "one")
		one.store.lost.Store(true)
		time.Sleep(3 * time.Second)
		one.store.lost.Store(false)
		other := s.start(t, "other")
		time.Sleep(time.Minute)
		s.check(1)
		if !strings.HasPrefix(s.holder(t), "one/") {
			t.Errorf("held by %q", s.holder(t))
		}
		one.stop()
		other.stop()
		if s.holder(t) != "" {
			t.Errorf("left to %q", s.holder(t))
		}
	})
}

func (s *street) holder(t *testing.T) string {
	t.Helper()
	var holder string
	if err := s.db.Get(context.Background(), &holder, "SELECT holder FROM leases"); err != nil {
		t.Fatal(err)
	}
	return holder
}

func TestClockJumpsMakeNoSecondHolder(t *testing.T) {
	onStreet(t, func(t *testing.T, s *street) {
		one := s.start(t, "one")
		synctest.Wait()
		other := s.start(t, "other")
		for i := range 20 {
			jump := []time.Duration{time.Hour, -time.Hour}[i%2]
			[]*process{one, other}[i/2%2].clock.Add(jump)
			time.Sleep(3 * time.Second)
			if s.active.Load() != 1 {
				t.Errorf("%d active after jump %d of %s", s.active.Load(), i, jump)
			}
		}
		one.stop()
		other.stop()
		s.check(len(s.starts))
	})
}

func TestLeaseEndsWithTheWork(t *testing.T) {
	onStreet(t, func(t *testing.T, s *street) {
		l, err := New(Config{Name: "once", Logger: silent}, s.db)
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		l.Hold(t.Context(), func(context.Context) { ran++ })
		if ran != 1 || s.holder(t) != "" {
			t.Errorf("ran %d times, held by %q", ran, s.holder(t))
		}
	})
}

func TestLongestTTLIsRespected(t *testing.T) {
	onStreet(t, func(t *testing.T, s *street) {
		one := s.start(t, "one")
		synctest.Wait()
		l, err := New(Config{Name: "scheduler", TTL: time.Second, Logger: silent}, s.db)
		if err != nil {
			t.Fatal(err)
		}
		one.kill()
		killed := time.Now()
		l.Hold(t.Context(), func(context.Context) {
			if waited := time.Since(killed); waited < ttl*silence/looks {
				t.Errorf("taken after %s", waited)
			}
		})
	})
}

func TestFenceIsOfTheTermAlone(t *testing.T) {
	if n := Fence(t.Context()); n != 0 {
		t.Errorf("fence %d outside of a term", n)
	}
	onStreet(t, func(t *testing.T, s *street) {
		for i := range int64(3) {
			l, err := New(Config{Name: "scheduler", Logger: silent}, s.db)
			if err != nil {
				t.Fatal(err)
			}
			l.Hold(t.Context(), func(ctx context.Context) {
				if n := Fence(ctx); n != i+1 {
					t.Error(fmt.Errorf("term %d has fence %d", i+1, n))
				}
			})
		}
	})
}
