package job

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// TestProcessors_AreLeftToWhoWasThere ensures that an account that is alone has as many places as there are processors, and one less within a
// second after another was served.
func TestProcessors_AreLeftToWhoWasThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for processors, beside := range map[int]int64{1: 1, 2: 1, 8: 7} {
			s := NewProcessors(processors, &Recent{}).places
			fill := func() (n int64) {
				for s.Take("busy", 1, 0) {
					n++
				}
				return n
			}
			if n := fill(); n != int64(processors) {
				t.Errorf("alone: %d places for %d processors", n, processors)
			}
			s.Give("busy", int64(processors))
			if !s.Take("other", 1, 0) {
				t.Error("who holds nothing has to wait")
			}
			s.Give("other", 1)
			if n := fill(); n != beside {
				t.Errorf("beside another: %d places for %d processors, want %d", n, processors, beside)
			}
			if !s.Take("other", 1, 0) {
				t.Error("who was there has to wait")
			}
			s.Give("other", 1)
			time.Sleep(1001 * time.Millisecond)
			if n := fill(); n != int64(processors)-beside {
				t.Errorf("a second later: %d more places for %d processors", n, processors)
			}
		}
	})
}

// TestProcessors_AreSharedByRuns ensures that a run of a job waits for a processor behind the requests of its account where another account was served lately,
// for a second at most; and that one for which no request could have waited, or of an account that is alone, does not.
func TestProcessors_AreSharedByRuns(t *testing.T) {
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, account string
		inline        bool
		others        bool
		wait          time.Duration // until the requests of the account give their processors back
		want          time.Duration
	}{
		{"beside another account", "busy", true, true, 300 * time.Millisecond, 300 * time.Millisecond},
		{"for a while", "busy", true, true, time.Hour, time.Second},
		{"alone", "busy", true, false, time.Hour, 0},
		{"work that waits for a network", "busy", false, true, time.Hour, 0},
		{"another account", "other", true, true, time.Hour, 0},
		{"an order that has no job", "", true, true, time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var recent Recent
				p := NewProcessors(2, &recent)
				for range 2 {
					leave, err := p.Await(t.Context(), "busy")
					if err != nil {
						t.Fatal(err)
					}
					time.AfterFunc(c.wait, leave)
				}
				if c.others {
					recent.Serve("other", time.Now())
				}
				kind := Kind{Name: "generate", Parameters: func() any { return &struct{}{} }, Inline: c.inline, Run: func(context.Context, Run, *Order) (*Outcome, error) { return &Outcome{}, nil }}
				local, began := NewLocal(Kinds{kind}, registry, p), time.Now()
				order := Order{Operation: kind.Name}
				request, err := io.ReadAll(order.Pack())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := local.Run(t.Context(), Run{Kind: kind.Name, Account: c.account}, ledger.Bytes(request)); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took != c.want {
					t.Errorf("it took %s, want %s", took, c.want)
				}
				time.Sleep(c.wait + 1)
				if n := p.Held() + int64(p.Waiting()); n != 0 {
					t.Errorf("%d processors are held or waited for", n)
				}
			})
		})
	}
}
