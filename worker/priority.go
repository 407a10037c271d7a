package worker

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// LowerPriority puts the calling process behind others by niceness, if it is not as far behind already. On Linux niceness is a thread's:
// those of the process get it one by one, until there are none but these, whose own threads have theirs. The error is the kernel's.
func LowerPriority(niceness int) error {
	behind := map[string]bool{}
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		known := len(behind)
		for _, thread := range threads {
			if err := lower(thread.Name(), niceness); err != nil {
				return err
			}
			behind[thread.Name()] = true
		}
		if len(behind) == known {
			return nil
		}
	}
}

// lower puts one thread behind others; one that has ended needs nothing.
func lower(thread string, niceness int) error {
	id, err := strconv.Atoi(thread)
	if err != nil {
		return err
	}
	inverse, err := syscall.Getpriority(syscall.PRIO_PROCESS, id) // 20 less the niceness: so the kernel has no negative answers
	if err == nil && 20-inverse < niceness {
		err = syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness)
	}
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
