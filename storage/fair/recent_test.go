package fair

import (
	"testing"
	"time"
)

// at is so many milliseconds after the first moment of a test.
func at(ms int) time.Time {
	return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

// TestRecent_KnowsOthersForASecond ensures that an account is told of others that were served within the last second, and never of itself.
func TestRecent_KnowsOthersForASecond(t *testing.T) {
	var r Recent
	for _, step := range []struct {
		serve  string
		ms     int
		others map[string]bool
	}{
		{"", 0, map[string]bool{"a": false}},
		{"a", 0, map[string]bool{"a": false, "b": true}},
		{"a", 500, map[string]bool{"a": false, "b": true}},
		{"b", 600, map[string]bool{"a": true, "b": true, "c": true}},
		{"b", 1500, map[string]bool{"a": true, "b": true}},
		{"b", 1501, map[string]bool{"a": true, "b": false}},
		{"", 2502, map[string]bool{"a": false, "b": false}},
	} {
		if step.serve != "" {
			r.Serve(step.serve, at(step.ms))
		}
		for account, want := range step.others {
			if got := r.Others(account, at(step.ms)); got != want {
				t.Errorf("after %d ms %s is told of others: %v", step.ms, account, got)
			}
		}
	}
}

// TestRecent_CountsAccounts ensures that each account counts once, for a second after it was served last, and no more than three do.
func TestRecent_CountsAccounts(t *testing.T) {
	var r Recent
	for _, step := range []struct {
		serve    string
		ms, want int
	}{
		{"", 0, 0},
		{"a", 0, 1},
		{"a", 300, 1},
		{"b", 400, 2},
		{"a", 500, 2},
		{"c", 600, 3},
		{"d", 700, 3},
		{"", 1500, 3},
		{"", 1501, 2},
		{"a", 1600, 3},
		{"", 1701, 1},
		{"", 2601, 0},
	} {
		if step.serve != "" {
			r.Serve(step.serve, at(step.ms))
		}
		if got := r.Accounts(at(step.ms)); got != step.want {
			t.Errorf("after %d ms, with %q: %d accounts, want %d", step.ms, step.serve, got, step.want)
		}
	}
}

// TestRecent_TellsOfMoreAccounts ensures that who waits for it learns of each further account, and not of those that come again.
func TestRecent_TellsOfMoreAccounts(t *testing.T) {
	var r Recent
	now := time.Now()
	r.Serve("a", now) // nobody has asked yet
	for i, step := range []struct {
		account string
		after   time.Duration
		told    bool
	}{{"a", 0, false}, {"b", 0, true}, {"a", 0, false}, {"b", 0, false}, {"c", 0, true}, {"d", 0, false}, {"", 0, false}, {"d", lately + 1, true}, {"d", 0, false}, {"a", 0, true}} {
		now = now.Add(step.after)
		r.More()
		r.Serve(step.account, now)
		select {
		case <-r.More():
			if !step.told {
				t.Errorf("step %d: told of account %q", i, step.account)
			}
		default:
			if step.told {
				t.Errorf("step %d: not told of account %q", i, step.account)
			}
		}
	}
}
