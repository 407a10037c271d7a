package command

import (
	"context"
	"os"
	"runtime"
	"time"
)

// threads is how many threads do Go in a process that answers requests, by how many accounts were served lately.
//
// The runtime lets a goroutine that computes go on for 10 ms before another has its thread; the kernel lets a thread go on for less.
//   - An account that is alone gets the most answers with one thread more than processors: one of them mostly waits for the disk, and the runtime
//     notices late that it does not compute.
//   - Of two, the work of one, its jobs and the writer of the database may have all threads when the other comes with something small, so that the kernel
//     divides. Two for each processor are a compromise: beside jobs and many writes of the other, small invoices wait less with more threads, beside long
//     work longer, also since the garbage collector takes its share of threads, not of processors.
//   - Of more of them more may compute when one comes.
func threads(processors, accounts int) int {
	switch accounts {
	case 0, 1:
		return processors + 1
	case 2:
		return 2 * processors
	}
	return 4 * processors
}

// spreadPeriod is how often the number of threads is looked at where no further account comes; to change it stops the whole program for a moment.
const spreadPeriod = 250 * time.Millisecond

// spreadThreads keeps the number of threads as threads says until ctx ends. Where the operator has set GOMAXPROCS, that holds.
func (h *daemon) spreadThreads(ctx context.Context) {
	if h.api == nil || os.Getenv("GOMAXPROCS") != "" {
		return
	}
	defer runtime.GOMAXPROCS(h.processors)
	tick := time.NewTicker(spreadPeriod)
	defer tick.Stop()
	for now := time.Now(); ctx.Err() == nil; {
		if n := threads(h.processors, h.recent.Accounts(now)); n != runtime.GOMAXPROCS(0) {
			runtime.GOMAXPROCS(n)
		}
		select {
		case now = <-tick.C:
		case <-h.recent.More():
			now = time.Now()
		case <-ctx.Done():
		}
	}
}
