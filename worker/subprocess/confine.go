package subprocess

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/einvoiced/einvoiced/worker"
)

// background is the niceness of subprocesses: between it and 0 the kernel shares a contended processor about one to ten. It counts
// among the processes of one control group, and where the kernel groups by sessions (autogroup in sched(7)), of one session.
const background = 10

// firstToDie is what the kernel adds, of a thousand, to how much memory a process seems to take where it looks for one to end.
const firstToDie = "500"

// Confine puts the calling process behind others by niceness, before them where memory is short, and bounds the memory that it may take,
// in bytes; at the bound its runtime ends it. Signals to end are not for it: it ends with its orders, so that what its worker finishes
// while it stops is finished. The error says what the kernel refused; the rest is done.
func Confine(memory uint64) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	limit := syscall.Rlimit{Cur: memory, Max: memory}
	return errors.Join(
		told("lower priority", worker.LowerPriority(background)),
		told("lower priority of session", lowerSession()),
		told("bound memory", syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)),
		told("go first", os.WriteFile("/proc/self/oom_score_adj", []byte(firstToDie), 0)),
	)
}

// sessionPause is how often, without privileges, the kernel lets a session be put behind others, by all processes together.
const sessionPause = 100 * time.Millisecond

// lowerSession puts a session that is the process's own behind others where the kernel groups by sessions; where others have just done so, it does it later.
func lowerSession() error {
	if session, err := unix.Getsid(0); err != nil || session != os.Getpid() {
		return err
	}
	err := os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(background)), 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.EAGAIN):
		time.AfterFunc(sessionPause, func() { _ = lowerSession() })
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
