package worker

import (
	"runtime"
	"syscall"
)

// background is the niceness of runs that give way: between it and 0 the kernel shares a contended processor about one to ten.
const background = 10

// giveWay puts the calling goroutine on a thread of its own that the kernel runs behind the others of the process. The thread ends
// with the goroutine, since nothing unlocks it. Where the kernel refuses, the goroutine runs like any other.
func giveWay() {
	runtime.LockOSThread()
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, background) // Linux takes 0 for the calling thread
}
