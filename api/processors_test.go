package api

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/job"
)

// TestProcessors_AreLeftToWhoWasThere ensures that an account that is alone has as many places as there are processors, and one less within a
// second after another was served.
func TestProcessors_AreLeftToWhoWasThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for processors, beside := range map[int]int64{1: 1, 2: 1, 8: 7} {
			s := newProcessors(processors, &job.Recent{})
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
