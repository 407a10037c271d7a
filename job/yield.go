package job

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/einvoiced/einvoiced/storage/fair"
)

const (
	// quick is how long work goes on without letting others go first: what an invoice of a few lines takes.
	quick = time.Millisecond
	// stretch is for how long it goes on after that until it does so again.
	stretch = 200 * time.Microsecond
)

// Recent tells who was served lately. What answers requests and what runs jobs in one process share one. Its zero value is ready, and safe for
// concurrent use.
type Recent struct{ fair.Recent }

// Yielding gives the context for work of an account: that of ctx, but who asks it whether it has ended lets others go first when the work has taken
// a while and another account was served within the last second. Work asks that often, so that small requests of others need not wait until a large one
// has used up its time: 10 ms by the runtime, and by the kernel, which divides the processors among threads, some ms more.
func (r *Recent) Yielding(ctx context.Context, account string) context.Context {
	y := &yielding{Context: ctx, recent: r, account: account, began: time.Now(), letOthers: letOthers}
	y.next.Store(int64(quick))
	return y
}

// yielding is the context of Yielding.
type yielding struct {
	context.Context
	recent    *Recent
	account   string
	began     time.Time
	next      atomic.Int64 // how long after began others go first again
	letOthers func()
}

// Err implements context.Context.
func (y *yielding) Err() error {
	now := time.Now()
	if next := y.next.Load(); int64(now.Sub(y.began)) >= next && y.next.CompareAndSwap(next, int64(now.Sub(y.began)+stretch)) && y.recent.Others(y.account, now) {
		y.letOthers()
		y.next.Store(int64(time.Since(y.began) + stretch))
	}
	return y.Context.Err()
}

// letOthers lets other goroutines have the thread, and other threads the processor.
func letOthers() {
	runtime.Gosched()
	yieldThread()
}
