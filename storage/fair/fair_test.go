package fair

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// nobody tells whether nothing is held and nobody waits.
func (s *Shared) nobody() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.shares.Held) == 0 && len(s.lines) == 0
}

// TestShared_LeavesRoomForWhoComesNext ensures that an account that takes all it can get leaves half, two leave a third, and that whoever
// holds nothing gets what is free.
func TestShared_LeavesRoomForWhoComesNext(t *testing.T) {
	s := New(120, nil)
	fill := func(account string) (n int64) {
		for s.Take(account, 1, 0) {
			n++
		}
		return n
	}
	for i, want := range []int64{60, 30, 15} {
		if got := fill(fmt.Sprint(i)); got != want {
			t.Errorf("account %d got %d, want %d", i, got, want)
		}
	}
	if !s.Take("new", 15, 0) {
		t.Error("what is free was refused to who holds nothing")
	}
	if s.Take("newer", 1, 0) {
		t.Error("more was given than there is")
	}
	for account, n := range map[string]int64{"0": 60, "1": 30, "2": 15, "new": 15} {
		s.Give(account, n)
	}
	if !s.nobody() || s.shares.Free != 120 {
		t.Errorf("%d of 120 are free", s.shares.Free)
	}
}

// TestShared_OneHoldingMayBeLarge ensures that the only holding of an account may grow to whatever is free.
func TestShared_OneHoldingMayBeLarge(t *testing.T) {
	s := New(100, nil)
	if !s.Take("a", 60, 0) || !s.Take("a", 40, 60) {
		t.Error("a holding does not grow")
	}
	s.Give("a", 60)
	if s.Take("a", 30, 0) {
		t.Error("a second holding makes more than a share")
	}
}

// queued lets accounts wait and gives the order in which they were served.
type queued struct {
	t     *testing.T
	s     *Shared
	order chan string
}

func (q *queued) wait(ctx context.Context, account string, n int64) {
	go func() {
		if err := q.s.Await(ctx, account, n); err != nil {
			q.order <- account + " left"
			return
		}
		q.order <- account
	}()
	synctest.Wait()
}

// served compares those who were served since the last time with those who should have been, whatever their order.
func (q *queued) served(want ...string) {
	q.t.Helper()
	synctest.Wait()
	got := []string{}
	for len(q.order) > 0 {
		got = append(got, <-q.order)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		q.t.Errorf("%q were served, want %q", got, want)
	}
}

// TestShared_Turns ensures that accounts take turns however many wait of one, that one with its share is passed, and that who
// waits for much is not passed for ever by those who want little.
func TestShared_Turns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queued{t, New(4, nil), make(chan string, 100)}
		ctx := t.Context()
		for range 10 {
			q.wait(ctx, "many", 1)
		}
		q.served("many", "many")
		q.wait(ctx, "one", 1)
		q.served("one")
		q.s.Give("many", 1)
		q.served() // two with one beside it would be more than what is left
		q.s.Give("one", 1)
		q.served("many")
		q.s.Give("many", 1)
		q.wait(ctx, "large", 4)
		q.wait(ctx, "small", 1)
		q.served("many")
		q.s.Give("many", 1)
		q.served("many") // it stood first, and stands last now
		for range 2 {
			q.s.Give("many", 1)
		}
		q.served("large")
		q.s.Give("large", 4)
		q.served("small", "many")
	})
}

// TestShared_WhoLeavesHoldsUpNobody ensures that a turn which was given up is passed on.
func TestShared_WhoLeavesHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queued{t, New(10, nil), make(chan string, 10)}
		q.wait(t.Context(), "a", 5)
		q.served("a")
		ctx, cancel := context.WithCancel(t.Context())
		q.wait(ctx, "b", 10)
		q.wait(t.Context(), "c", 1)
		q.served()
		cancel()
		q.served("b left", "c")
		q.s.Give("a", 5)
		q.s.Give("c", 1)
		if !q.s.nobody() || q.s.shares.Free != 10 {
			t.Errorf("%d of 10 are free", q.s.shares.Free)
		}
	})
}

// TestShared_Model ensures, over any steps, that never more is held than there is, that what is held is told by account, and that nobody
// waits who could be served first.
func TestShared_Model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const total = 16
		s := New(total, nil)
		held := map[string]int64{}
		waiting := map[*turn]string{}
		account := rapid.SampledFrom([]string{"a", "b", "c"})
		collect := func() {
			for w, who := range waiting {
				select {
				case <-w.ready:
					held[who] += w.n
					delete(waiting, w)
				default:
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				if who, n := account.Draw(t, "account"), rapid.Int64Range(1, total).Draw(t, "n"); s.Take(who, n, 0) {
					held[who] += n
				}
			},
			"queue": func(t *rapid.T) {
				who := account.Draw(t, "account")
				waiting[s.queue(who, rapid.Int64Range(1, total).Draw(t, "n"))] = who
			},
			"give": func(t *rapid.T) {
				if who := account.Draw(t, "account"); held[who] > 0 {
					n := rapid.Int64Range(1, held[who]).Draw(t, "n")
					held[who] -= n
					s.Give(who, n)
				}
			},
			"leave": func(*rapid.T) {
				for w, who := range waiting {
					if s.leave(who, w) {
						delete(waiting, w)
					}
					return
				}
			},
			"": func(t *rapid.T) {
				collect()
				sum := int64(0)
				for who, n := range held {
					if sum += n; n != s.shares.Held[who] {
						t.Fatalf("%s holds %d, told are %d", who, n, s.shares.Held[who])
					}
				}
				if s.shares.Free != total-sum || s.shares.Free < 0 {
					t.Fatalf("%d held, %d free", sum, s.shares.Free)
				}
				if len(held) > 0 && sum == 0 && len(s.lines) > 0 {
					t.Fatal("somebody waits while nothing is held")
				}
			},
		})
	})
}
