package oracles

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Judge is one running Java process that holds the official schemas and rules. It is not safe for concurrent use.
type Judge struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  bytes.Buffer
}

// StartJudge fetches the official artefacts where they are not there yet and starts the process. It answers an error when
// the process does not accept a good document and refuse a bad one, so that a broken set-up cannot look like a verdict.
func StartJudge(ctx context.Context) (*Judge, error) {
	folder, err := artefacts(ctx)
	if err != nil {
		return nil, err
	}
	j := &Judge{}
	j.command = exec.CommandContext(ctx, "java", "-Xmx768m", "-cp", filepath.Join(folder, "lib", "*"), filepath.Join(folder, "Rules.java"))
	j.command.Stderr = &j.errors
	if j.in, err = j.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("open the input of the judge: %w", err)
	}
	out, err := j.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open the output of the judge: %w", err)
	}
	j.out = bufio.NewReader(out)
	if err := j.command.Start(); err != nil {
		return nil, fmt.Errorf("start java: %w", err)
	}
	if err := j.prove(filepath.Join(folder, "proof")); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Close ends the process.
func (j *Judge) Close() error {
	if err := j.in.Close(); err != nil {
		return fmt.Errorf("close the input of the judge: %w", err)
	}
	if err := j.command.Wait(); err != nil {
		return fmt.Errorf("end the judge: %w: %s", err, j.errors.String())
	}
	return nil
}

// Verdict judges one document by the binding that its root element and specification identifier (BT-24) select.
func (j *Judge) Verdict(path string) (Verdict, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Verdict{}, fmt.Errorf("read the document: %w", err)
	}
	b, err := bindingOf(data)
	if err != nil {
		return Verdict{}, fmt.Errorf("choose the rules for %s: %w", path, err)
	}
	layers, err := j.ask(b, path)
	if err != nil {
		return Verdict{}, fmt.Errorf("judge %s: %w", path, err)
	}
	return b.verdict(data, layers), nil
}

// layerAnswer is what one schema or rule set said.
type layerAnswer struct {
	Layer    string    `json:"layer"`
	Findings []Finding `json:"findings"`
}

func (j *Judge) ask(b *binding, path string) ([]layerAnswer, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the document: %w", err)
	}
	if _, err := fmt.Fprintf(j.in, "%s\t%s\n", strings.Join(b.layers(), ","), absolute); err != nil {
		return nil, fmt.Errorf("ask: %w: %s", err, j.errors.String())
	}
	line, err := j.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w: %s", err, j.errors.String())
	}
	var answer struct {
		Error  string        `json:"error"`
		Layers []layerAnswer `json:"layers"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, fmt.Errorf("decode the answer %q: %w", line, err)
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Layers, nil
}
