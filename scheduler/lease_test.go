package scheduler_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/lease"
)

// member is a process whose scheduler has a chore of its own and one that only one process is to do.
type member struct {
	alone, each atomic.Int32
	dead        atomic.Bool // its database answers no more
	*db.DB
	stop func()
}

var errDead = errors.New("the process is dead")

func (m *member) Select(ctx context.Context, dst any, query string, args ...any) error {
	if m.dead.Load() {
		return errDead
	}
	return m.DB.Select(ctx, dst, query, args...)
}

func (m *member) Write(ctx context.Context, fn func(*db.Tx) error) error {
	if m.dead.Load() {
		return errDead
	}
	return m.DB.Write(ctx, fn)
}

// kill ends the process without a word to the others.
func (m *member) kill() {
	m.dead.Store(true)
	m.stop()
}

// join starts a process.
func join(t *testing.T, database *db.DB, name string) *member {
	t.Helper()
	m := &member{DB: database}
	l, err := lease.New(lease.Config{Name: "scheduler", Holder: name, Logger: slog.New(slog.DiscardHandler)}, m)
	if err != nil {
		t.Fatal(err)
	}
	count := func(n *atomic.Int32) func(context.Context) error {
		return func(context.Context) error { n.Add(1); return nil }
	}
	s, err := scheduler.New(scheduler.Config{Lease: l, Each: []scheduler.Chore{{Name: "each", Every: time.Second, Do: count(&m.each)}}},
		scheduler.Chore{Name: "alone", Every: time.Second, Do: count(&m.alone)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	m.stop = sync.OnceFunc(func() { cancel(); <-done })
	return m
}

// TestOneSchedulerAmongManyIsActive ensures that a killed one is followed within the TTL, one that ends at once, and that the
// chores of each process do not wait for that.
func TestOneSchedulerAmongManyIsActive(t *testing.T) {
	file := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		database, err := db.Open(t.Context(), db.Config{Path: file, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer database.Close()
		members := []*member{join(t, database, "first")}
		synctest.Wait()
		for range 2 {
			members = append(members, join(t, database, "other"))
		}
		expect := func(when string, alone, each [3]bool) {
			t.Helper()
			for i, m := range members {
				a, e := m.alone.Swap(0), m.each.Swap(0)
				if (a > 0) != alone[i] || (e > 0) != each[i] {
					t.Errorf("%s: process %d did the chore alone %d times and each %d times", when, i, a, e)
				}
			}
		}
		time.Sleep(5500 * time.Millisecond)
		expect("at first", [3]bool{true, false, false}, [3]bool{true, true, true})
		members[0].kill()
		members[1].stop()
		expect("meanwhile", [3]bool{}, [3]bool{})
		time.Sleep(10 * time.Second)
		expect("after a TTL", [3]bool{false, false, true}, [3]bool{false, false, true})
		members[2].stop()
	})
}
