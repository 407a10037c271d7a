package worker

import (
	"runtime"
	"sync"
	"syscall"
)

// background is the niceness of runs that give way: between it and 0 the kernel shares a contended processor about one to ten.
const background = 10

// quickInput is up to how many bytes of input a run is over sooner than a thread of its own would pay.
const quickInput = 256 << 10

// giveWay puts the calling goroutine on a thread of its own that the kernel runs behind the others of the process. The thread ends
// with the goroutine, since nothing unlocks it. Where the kernel refuses, the goroutine runs like any other.
func giveWay() {
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, background) // Linux takes 0 for the calling thread
}

// room gives the runtime a processor more for each run that gives way, as long as it computes: a run holds one, and requests would
// wait for the end of its time slice.
type room struct {
	mu   sync.Mutex
	runs int
}

func (r *room) enter() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs++
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
}

func (r *room) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs--; r.runs == 0 {
		runtime.SetDefaultGOMAXPROCS()
		return
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) - 1)
}
