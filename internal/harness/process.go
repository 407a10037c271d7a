package harness

import (
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/einvoiced/einvoiced/internal/await"
)

// patience is how long a process may take to answer or to end where no scenario says otherwise.
const patience = 60 * time.Second

// Process is a process that can be started, killed and started again. Its output of all lives is kept; a failed test prints the end of it.
type Process struct {
	Name string

	t     T
	build func() *exec.Cmd
	log   await.Buffer

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{} // closed when the present life has ended
}

// NewProcess prepares a process; build gives its command line for each life.
func NewProcess(t T, name string, build func() *exec.Cmd) *Process {
	p := &Process{Name: name, t: t, build: build}
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("=== the last of %s:\n%s", name, tail(p.log.String(), 25))
		}
	})
	return p
}

// tail gives the last lines of a text.
func tail(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}

// starter is the one thread that starts all children: the kernel kills them when it ends, that is, with this process.
var starter = sync.OnceValue(func() chan func() {
	starts := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
	return starts
})

// Start begins a life of the process.
func (p *Process) Start() {
	p.t.Helper()
	cmd := p.build()
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		p.t.Fatalf("start %s: %v", p.Name, err)
	}
	done := make(chan struct{})
	p.mu.Lock()
	p.cmd, p.done = cmd, done
	p.mu.Unlock()
	go func() {
		_ = cmd.Wait() // ExitCode tells
		close(done)
	}()
}

// life gives the present or last life; nil before the first.
func (p *Process) life() (*exec.Cmd, chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd, p.done
}

// Signal sends a signal to the process and its children. One that has ended gets none.
func (p *Process) Signal(s syscall.Signal) {
	if cmd, _ := p.life(); cmd != nil && p.Alive() {
		_ = syscall.Kill(-cmd.Process.Pid, s) // it may end at this moment
	}
}

// Kill is SIGKILL; it returns when the process has ended.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	if _, done := p.life(); done != nil {
		<-done
	}
}

// Pause is SIGSTOP, Resume SIGCONT.
func (p *Process) Pause() { p.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (p *Process) Resume() { p.Signal(syscall.SIGCONT) }

// Stop is SIGTERM. It gives the exit code, and ends the test when the process has not ended in time.
func (p *Process) Stop(atMost time.Duration) int {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	return p.Ended(atMost)
}

// Ended waits for the end of the process and gives its exit code, -1 when a signal ended it. It ends the test when the process goes on.
func (p *Process) Ended(atMost time.Duration) int {
	p.t.Helper()
	code, ended := p.Wait(atMost)
	if !ended {
		p.t.Fatalf("%s has not ended within %s", p.Name, atMost)
	}
	return code
}

// Wait waits for the end of the process and gives its exit code, or tells that it goes on.
func (p *Process) Wait(atMost time.Duration) (code int, ended bool) {
	cmd, done := p.life()
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-done:
		return cmd.ProcessState.ExitCode(), true
	case <-timer.C:
		return 0, false
	}
}

// Alive tells whether the process has not ended.
func (p *Process) Alive() bool {
	_, done := p.life()
	if done == nil {
		return false
	}
	select {
	case <-done:
		return false
	default:
		return true
	}
}

// Pid is the process id of the present or last life.
func (p *Process) Pid() int {
	cmd, _ := p.life()
	return cmd.Process.Pid
}

// Log gives what the process has printed in all its lives.
func (p *Process) Log() string { return p.log.String() }
