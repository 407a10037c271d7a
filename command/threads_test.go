package command

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/api"
)

// TestThreads_LeaveRoom ensures that there is a thread for whoever comes: beside the one that waits for the disk, and beside what many may compute and write.
func TestThreads_LeaveRoom(t *testing.T) {
	for _, c := range []struct{ processors, accounts, want int }{
		{1, 0, 2}, {1, 2, 2}, {1, 3, 4},
		{2, 0, 3}, {2, 1, 3}, {2, 2, 4}, {2, 3, 8},
		{8, 1, 9}, {8, 2, 16}, {8, 3, 32},
	} {
		if got := threads(c.processors, c.accounts); got != c.want {
			t.Errorf("%d processors, %d accounts: %d threads, want %d", c.processors, c.accounts, got, c.want)
		}
	}
}

// TestThreads_FollowAccounts ensures that a process which answers requests changes its threads with the accounts that it serves, at once where there are more,
// and leaves them as they were.
func TestThreads_FollowAccounts(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	synctest.Test(t, func(t *testing.T) {
		h := &daemon{processors: before, api: &api.Server{}}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.spreadThreads(ctx)
		}()
		for _, step := range []struct {
			serve []string
			want  int
		}{
			{nil, before + 1}, {[]string{"a"}, before + 1}, {[]string{"b"}, 2 * before}, {[]string{"c"}, 4 * before}, {[]string{"a"}, 4 * before}, {nil, before + 1},
		} {
			for _, account := range step.serve {
				h.recent.Serve(account, time.Now())
			}
			if step.serve == nil {
				time.Sleep(time.Second + spreadPeriod)
			}
			synctest.Wait()
			if got := runtime.GOMAXPROCS(0); got != step.want {
				t.Errorf("after %q: %d threads, want %d", step.serve, got, step.want)
			}
		}
		stop()
		<-done
	})
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("%d threads are left, want %d", got, before)
	}
}

// TestThreads_OfTheOperator ensures that GOMAXPROCS holds, and that processes which answer no requests have a thread for each processor.
func TestThreads_OfTheOperator(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	for name, h := range map[string]*daemon{"1": {processors: before, api: &api.Server{}}, "": {processors: before}} {
		t.Setenv("GOMAXPROCS", name)
		h.spreadThreads(t.Context())
		if got := runtime.GOMAXPROCS(0); got != before {
			t.Errorf("with GOMAXPROCS=%q: %d threads, want %d", name, got, before)
		}
	}
}
