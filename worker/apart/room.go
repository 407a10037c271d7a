package apart

import (
	"os"
	"runtime"
	"sync"
)

// room gives the runtime a processor more for each run apart that is under way. Whoever moves its contents holds one, in system calls
// most of the time, and as long as all are held the runtime looks at the network every 10 ms only.
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
	r.runs--
	if r.runs == 0 && os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS() // it follows the processors of a container again; an operator's number would be forgotten
		return
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) - 1)
}
