package job

import "golang.org/x/sys/unix"

// yieldThread lets other threads have the processor. The runtime is not told of the call: it would give the goroutines of this thread to one more, which
// is one more to wait for.
func yieldThread() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
