package oracles

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// Java is a running Java process that answers with a line to each line that it is asked. It is not safe for concurrent use.
type Java struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  bytes.Buffer // what it wrote to its standard error
}

// StartJava starts java with these arguments. The process ends with the context, or by Close.
func StartJava(ctx context.Context, args ...string) (*Java, error) {
	j := &Java{command: exec.CommandContext(ctx, "java", args...)}
	j.command.Stderr = &j.errors
	in, err := j.command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open the input of java: %w", err)
	}
	out, err := j.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open the output of java: %w", err)
	}
	j.in, j.out = in, bufio.NewReader(out)
	if err := j.command.Start(); err != nil {
		return nil, fmt.Errorf("start java: %w", err)
	}
	return j, nil
}

// Ask sends a question without a line break, and gives the answer with one. The error tells what the process wrote to its
// standard error.
func (j *Java) Ask(question string) ([]byte, error) {
	if _, err := fmt.Fprintln(j.in, question); err != nil {
		return nil, fmt.Errorf("ask java: %w: %s", err, j.errors.String())
	}
	answer, err := j.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("read the answer of java: %w: %s", err, j.errors.String())
	}
	return answer, nil
}

// Close ends the process.
func (j *Java) Close() error {
	if err := errors.Join(j.in.Close(), j.command.Wait()); err != nil {
		return fmt.Errorf("end java: %w: %s", err, j.errors.String())
	}
	return nil
}
