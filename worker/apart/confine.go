package apart

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// background is the niceness of processes apart: between it and 0 the kernel shares a contended processor about one to ten. It counts
// among the processes of one control group, and of one session where the kernel groups by sessions (autogroup in sched(7)).
const background = 10

// firstToDie is what the kernel adds, of a thousand, to how much memory a process seems to take where it looks for one to end.
const firstToDie = "500"

// Confine puts the calling process, in a process group of its own, behind others by niceness, before them where memory is short, and
// bounds the memory that it may take, in bytes; at the bound its runtime ends it. Signals to end are not for it: it ends with
// its orders, so that what its worker finishes while it stops is finished. The error says what the kernel refused; the rest is done.
func Confine(memory uint64) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	limit := syscall.Rlimit{Cur: memory, Max: memory}
	return errors.Join(
		told("leave the group", syscall.Setpgid(0, 0)),
		told("give way", GiveWay(background)),
		told("bound memory", syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)),
		told("go first", os.WriteFile("/proc/self/oom_score_adj", []byte(firstToDie), 0)),
	)
}

// GiveWay puts the calling process behind others by niceness, if it is not as far behind already. On Linux niceness is a thread's:
// those of the process get it one by one, until there are none but these, whose own threads have theirs. The error is the kernel's.
func GiveWay(niceness int) error {
	behind := map[string]bool{}
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		known := len(behind)
		for _, thread := range threads {
			if err := putBehind(thread.Name(), niceness); err != nil {
				return err
			}
			behind[thread.Name()] = true
		}
		if len(behind) == known {
			return nil
		}
	}
}

// putBehind puts one thread behind others; one that has ended needs nothing.
func putBehind(thread string, niceness int) error {
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

// told says what was being done.
func told(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
