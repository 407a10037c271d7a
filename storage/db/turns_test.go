package db

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestWritesTakeTurnsByAccount ensures that the one write of an account is not behind the many of others that came before it, and that the writes of each
// account stay in their order.
func TestWritesTakeTurnsByAccount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turns, now := newTurns(), time.Now()
		came := map[string][]*write{}
		for _, account := range rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c"}), 1, 60).Draw(t, "accounts") {
			w := &write{account: account}
			came[account] = append(came[account], w)
			turns.add(w)
		}
		given := map[string]bool{}
		for round := 0; len(came) > 0; round++ {
			clear(given)
			for range len(came) {
				w, wait := turns.next(now)
				if w == nil || wait != 0 || given[w.account] || w != came[w.account][0] {
					t.Fatalf("round %d: write %+v, wait %s", round, w, wait)
				}
				given[w.account] = true
				if came[w.account] = came[w.account][1:]; len(came[w.account]) == 0 {
					delete(came, w.account)
				}
			}
		}
		if w, wait := turns.next(now); w != nil || wait != 0 || len(turns.lines) != 0 || len(turns.order) != 0 {
			t.Fatalf("write %+v, wait %s, lines %v", w, wait, turns.lines)
		}
	})
}

// TestWritesGivenUpTakeNoTurn ensures that what nobody waits for any more costs an account nothing.
func TestWritesGivenUpTakeNoTurn(t *testing.T) {
	turns := newTurns()
	gone, first := &write{account: "a"}, &write{account: "a"}
	turns.add(gone)
	turns.add(first)
	gone.taken.Store(true)
	if w, _ := turns.next(time.Now()); w != first {
		t.Fatalf("%+v", w)
	}
}

// TestAccountRestsAfterALongWrite ensures that an account whose write has taken long lets others go first for as long, where there are others; that
// somebody who is alone never waits, and the service's own work neither.
func TestAccountRestsAfterALongWrite(t *testing.T) {
	begin := time.Now()
	at := func(d time.Duration) time.Time { return begin.Add(d) }
	for name, c := range map[string]struct {
		before, by string
		took       time.Duration
		rest       time.Duration
	}{
		"beside another":      {"b", "a", 10 * longWrite, 10 * longWrite},
		"short":               {"b", "a", longWrite / 2, 0},
		"alone":               {"a", "a", 10 * longWrite, 0},
		"beside the service":  {"", "a", 10 * longWrite, 0},
		"of the service":      {"b", "", 10 * longWrite, 0},
		"one of the accounts": {"c", "a", 10 * longWrite, 10 * longWrite},
	} {
		t.Run(name, func(t *testing.T) {
			turns := newTurns()
			turns.ran(c.before, longWrite/2, at(0))
			turns.ran(c.by, c.took, at(0))
			first := &write{account: c.by}
			turns.add(first)
			w, wait := turns.next(at(0))
			if c.rest > 0 && (w != nil || wait != c.rest) || c.rest == 0 && w != first {
				t.Fatalf("write %+v, wait %s", w, wait)
			}
			if c.rest == 0 {
				return
			}
			other := &write{account: "b"}
			turns.add(other)
			if w, _ := turns.next(at(c.rest - 1)); w != other {
				t.Errorf("another waits: %+v", w)
			}
			if w, _ := turns.next(at(c.rest)); w != first {
				t.Errorf("after its rest: %+v", w)
			}
		})
	}
	turns := newTurns()
	turns.ran("b", longWrite/2, at(0))
	turns.ran("a", 10*longWrite, at(time.Second+1))
	if len(turns.rests) != 0 {
		t.Errorf("rests after another has been away for long: %v", turns.rests)
	}
}

// TestAccountRestsAfterManyWrites ensures that an account rests after many short writes of a transaction as after a long one, and for the commit too.
func TestAccountRestsAfterManyWrites(t *testing.T) {
	turns, now := newTurns(), time.Now()
	turns.ran("b", longWrite/4, now)
	for i := range 3 {
		turns.ran("a", longWrite/2, now)
		if _, rests := turns.rests["a"]; rests != (i > 0) {
			t.Errorf("after %d writes it rests: %t", i+1, rests)
		}
	}
	turns.ended(longWrite, now)
	for account, want := range map[string]time.Duration{"a": longWrite + 3*(longWrite/2), "b": 0} {
		if got := max(0, turns.rests[account].Sub(now)); got != want {
			t.Errorf("account %s rests for %s, want %s", account, got, want)
		}
	}
	turns.ran("a", longWrite/2, now.Add(time.Hour))
	if got := turns.rests["a"].Sub(now); got > time.Minute {
		t.Errorf("what was spent in an earlier transaction counts still: it rests for %s", got)
	}
}

// TestRestsAreForgotten ensures that accounts that have rested take no memory.
func TestRestsAreForgotten(t *testing.T) {
	turns, now := newTurns(), time.Now()
	for i := range 1000 {
		turns.ran(fmt.Sprint(i), longWrite, now.Add(time.Duration(i)*longWrite))
		turns.ended(0, now.Add(time.Duration(i)*longWrite))
	}
	if len(turns.rests) > 3 || len(turns.spent) > 0 {
		t.Fatalf("%d rests, %d have spent", len(turns.rests), len(turns.spent))
	}
}

// TestWriteOfAnotherAccountGoesFirst ensures on a real file that a write is done before those of an account with many.
func TestWriteOfAnotherAccountGoesFirst(t *testing.T) {
	d := open(t, t.TempDir())
	release := hold(t, d)
	var (
		writers sync.WaitGroup
		mu      sync.Mutex
		order   []string
	)
	write := func(account string) {
		writers.Go(func() {
			err := d.Write(ByAccount(t.Context(), account), func(*Tx) error {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, account)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	waiting := func(n int) {
		turns := d.engine.(*sqlite).turns
		for waits := 0; waits < n; runtime.Gosched() {
			turns.mu.Lock()
			waits = 0
			for _, line := range turns.lines {
				waits += len(line)
			}
			turns.mu.Unlock()
		}
	}
	for range 40 {
		write("many")
	}
	waiting(40)
	write("one")
	waiting(41)
	release()
	writers.Wait()
	if i := slices.Index(order, "one"); i > 1 || len(order) != 41 {
		t.Fatalf("turn %d of %s", i, strings.Join(order, " "))
	}
}
