package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// ErrOutput says that a program has given more than it may.
var ErrOutput = errors.New("the program gives too much")

// Filter runs a program once on data that is not trusted, and gives what it writes to standard output, at most so many bytes. The program is
// killed when ctx ends. What it says on standard error, up to a kilobyte, is in the error where it fails.
func Filter(ctx context.Context, program []string, input []byte, most int) ([]byte, error) {
	var said head
	out := &bounded{most: most}
	command := exec.CommandContext(ctx, program[0], program[1:]...)
	command.Args[0] = os.Args[0] // what lists of processes show
	command.Env = goVariables()
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), out, &said
	command.SysProcAttr = apart(false)
	command.WaitDelay = time.Second
	err := command.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case out.full:
		return nil, ErrOutput
	case err != nil:
		return nil, fmt.Errorf("%w: %w: %s", ErrDied, err, said.String())
	}
	return out.kept.Bytes(), nil
}

// bounded keeps what is written, up to a size, at which writing fails.
type bounded struct {
	kept bytes.Buffer
	most int
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(data []byte) (int, error) {
	if b.kept.Len()+len(data) > b.most {
		b.full = true
		return 0, io.ErrShortWrite
	}
	return b.kept.Write(data)
}
