package worker

import (
	"runtime/debug"
	"sync"
	"time"
)

// giveBackPause is the least time between two times that memory is given back.
const giveBackPause = 10 * time.Second

// memory gives memory back to the system after runs that have gone wrong, which may have taken any amount of it: the runtime by
// itself keeps for minutes what was needed once.
type memory struct {
	mu   sync.Mutex
	last time.Time
}

// giveBack collects garbage and gives back what is free, but seldom: it costs processor time.
func (m *memory) giveBack() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.last) < giveBackPause {
		return
	}
	debug.FreeOSMemory()
	m.last = time.Now()
}
