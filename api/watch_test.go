package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// endings ends jobs at their times and counts how often it is asked.
type endings struct {
	mu      sync.Mutex
	ends    map[string]time.Time
	asked   int // questions
	about   int // jobs in them
	failing bool
}

func (c *endings) ended(_ context.Context, ids []string) (over []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	c.about += len(ids)
	if c.failing {
		return nil, errors.New("database is away")
	}
	for _, id := range ids {
		if end, known := c.ends[id]; !known || !time.Now().Before(end) {
			over = append(over, id)
		}
	}
	return over, nil
}

// count gives the questions so far and the jobs in them.
func (c *endings) count() (asked, about int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.about
}

func silentLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestWatcher_SharesItsLooks ensures that five hundred requests which wait for a minute cost few questions, and that each hears of
// its job within a look of its end.
func TestWatcher_SharesItsLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &endings{ends: map[string]time.Time{}}
		w := newWatcher(c.ended, silentLog())
		var waiters sync.WaitGroup
		for i := range 500 {
			id := fmt.Sprintf("job_%d", i)
			c.ends[id] = time.Now().Add(time.Duration(i+1) * 120 * time.Millisecond)
		}
		for id, end := range maps.Clone(c.ends) {
			waiters.Go(func() {
				over, leave := w.await(id)
				defer leave()
				<-over
				if late := time.Since(end); late < 0 || late > lastLook {
					t.Errorf("%s: told %s after its end", id, late)
				}
			})
		}
		waiters.Wait()
		synctest.Wait()
		if asked, about := c.count(); asked > 60*5 || about > 500*60*5 {
			t.Errorf("%d questions about %d jobs in a minute", asked, about)
		}
	})
}

// TestWatcher_LooksSoonAtNewOnes ensures that a short job is not waited for longer than its like because of long ones.
func TestWatcher_LooksSoonAtNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &endings{ends: map[string]time.Time{"long": time.Now().Add(time.Hour), "short": time.Now().Add(10*time.Second + 20*time.Millisecond)}}
		w := newWatcher(c.ended, silentLog())
		_, leave := w.await("long")
		time.Sleep(10 * time.Second)
		began := time.Now()
		over, gone := w.await("short")
		<-over
		if took := time.Since(began); took > 40*time.Millisecond {
			t.Errorf("a job of 20 ms was told after %s", took)
		}
		gone()
		leave()
	})
}

// TestWatcher_IsTold ensures that a job which ends in this process need not be looked at, and that all who wait for it hear of it.
func TestWatcher_IsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &endings{ends: map[string]time.Time{"a": time.Now().Add(time.Hour), "b": time.Now().Add(time.Hour)}}
		w := newWatcher(c.ended, silentLog())
		first, leaveFirst := w.await("a")
		second, leaveSecond := w.await("a")
		other, leaveOther := w.await("b")
		w.tell("a", "unknown")
		<-first
		<-second
		select {
		case <-other:
			t.Error("another job was told")
		default:
		}
		if asked, _ := c.count(); asked != 0 {
			t.Errorf("%d questions", asked)
		}
		leaveFirst()
		leaveSecond()
		leaveOther()
	})
}

// TestWatcher_OutlivesItsDatabase ensures that a database which is away only delays the news.
func TestWatcher_OutlivesItsDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &endings{ends: map[string]time.Time{"a": time.Now()}, failing: true}
		w := newWatcher(c.ended, silentLog())
		over, leave := w.await("a")
		defer leave()
		time.Sleep(10 * time.Second)
		asked, _ := c.count()
		c.mu.Lock()
		c.failing = false
		c.mu.Unlock()
		<-over
		if asked < 10 || asked > 60 {
			t.Errorf("%d questions while the database was away", asked)
		}
	})
}

// TestWatcher_EndsWithItsWaiters ensures that nothing goes on when nobody waits, and that it begins again.
func TestWatcher_EndsWithItsWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &endings{ends: map[string]time.Time{"a": time.Now().Add(time.Hour)}}
		w := newWatcher(c.ended, silentLog())
		for range 3 {
			var leaves []func()
			for range 4 {
				_, leave := w.await("a")
				leaves = append(leaves, leave)
			}
			time.Sleep(time.Second)
			for _, leave := range slices.Backward(leaves) {
				leave()
			}
			synctest.Wait()
			before, _ := c.count()
			time.Sleep(time.Minute)
			if after, _ := c.count(); after != before || w.running || len(w.watched) > 0 {
				t.Errorf("%d questions with nobody waiting", after-before)
			}
		}
	})
}
