package subprocess

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/einvoiced/einvoiced/core/progress"
)

// process is a subprocess, as the worker sees it. One goroutine at a time uses it.
type process struct {
	command *exec.Cmd
	orders  io.WriteCloser
	replies *os.File
	shared  sharedFile
	encode  *gob.Encoder
	decode  *gob.Decoder
	said    head // on standard error: what it died of
	leaving *time.Timer

	ended chan struct{} // closed when it was reaped
	left  error         // what it ended with; to be read after ended
}

// start starts a process, with a session of its own or not, and waits until it takes orders, or ctx ends.
func start(ctx context.Context, program []string, session bool) (*process, error) {
	p := &process{command: exec.Command(program[0], program[1:]...), ended: make(chan struct{})}
	p.command.Args[0] = os.Args[0] // what lists of processes show
	p.command.Env = goVariables()
	p.command.Stderr = &p.said
	p.command.SysProcAttr = apart(session)
	p.command.WaitDelay = time.Second // for standard error, where something else keeps it open
	if err := p.open(); err != nil {
		return nil, fmt.Errorf("%w: start process: %w", errUnfit, err)
	}
	go func() {
		defer close(p.ended)
		p.left = p.command.Wait()
	}()
	var ready bool
	if err := p.exchange(ctx, func() error { return p.decode.Decode(&ready) }); err != nil {
		p.kill()
		return nil, fmt.Errorf("%w: process is not ready: %w: %s", errUnfit, err, p.said.String())
	}
	return p, nil
}

// apart gives a process a group or a session: signals to the worker's group, as of a terminal, are not for it.
func apart(session bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: !session, Setsid: session} // a session has a group
}

// open starts the process with its pipes and its shared file.
func (p *process) open() (err error) {
	if p.shared, err = newSharedFile(); err != nil {
		return err
	}
	replies, theirs, err := os.Pipe()
	if err != nil {
		return errors.Join(err, p.shared.file.Close())
	}
	defer theirs.Close() // the process has it
	p.command.ExtraFiles = []*os.File{theirs, p.shared.file}
	if p.orders, err = p.command.StdinPipe(); err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return errors.Join(err, replies.Close(), p.shared.file.Close())
	}
	p.replies = replies
	p.encode, p.decode = gob.NewEncoder(p.orders), gob.NewDecoder(bufio.NewReader(replies))
	return nil
}

// goVariables are what of the environment is for the runtime. The process has no use for anything else, secrets least of all.
func goVariables() []string {
	set := []string{}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GO") {
			set = append(set, v)
		}
	}
	return set
}

// do has an order done. After an error the process has ended.
func (p *process) do(ctx context.Context, o order) (*reply, error) {
	var answer *reply
	err := p.exchange(ctx, func() (err error) {
		if err := p.encode.Encode(&o); err != nil {
			return err
		}
		answer, err = p.hear(ctx)
		return err
	})
	if err == nil {
		return answer, nil
	}
	p.kill()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("%w: %w: %s", ErrDied, errors.Join(err, p.left), p.said.String())
}

// hear waits for the reply and notes how far the run is.
func (p *process) hear(ctx context.Context) (*reply, error) {
	for {
		var m message
		if err := p.decode.Decode(&m); err != nil || m.Reply != nil {
			return m.Reply, err
		}
		progress.Note(ctx, m.Percent)
	}
}

// exchange talks with the process, which is killed when ctx ends before the talk does.
func (p *process) exchange(ctx context.Context, talk func() error) error {
	spare := context.AfterFunc(ctx, func() { _ = p.command.Process.Kill() }) // it may have ended by itself
	err := talk()
	if !spare() {
		return context.Cause(ctx)
	}
	return err
}

// kill ends the process, whatever it does, and waits until it is reaped.
func (p *process) kill() {
	_ = p.command.Process.Kill() // it may have ended by itself
	<-p.ended
	_ = errors.Join(p.replies.Close(), p.shared.file.Close()) // nothing is read from them any more
}

// leaveAfter ends the process after a while, unless it is to stay.
func (p *process) leaveAfter(idle time.Duration) { p.leaving = time.AfterFunc(idle, p.kill) }

// stay keeps the process from leaving; false where it has left.
func (p *process) stay() bool { return p.leaving.Stop() }

// head keeps the beginning of what is written, and takes all: a dying process must not wait for a reader.
type head struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

// mostSaid is how many bytes a head keeps: a fatal error of the runtime says in its first lines what it is.
const mostSaid = 1 << 10

// Write implements io.Writer.
func (h *head) Write(said []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept.Write(said[:min(len(said), mostSaid-h.kept.Len())])
	return len(said), nil
}

// String gives what was kept.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept.String()
}
