package oracles

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// Release is a release of Saxon. They differ in which operands they evaluate, and so in which errors they come upon.
type Release int

// The releases that made the verdicts of the corpus: the first one, and the one that was asked again.
const (
	Saxon9 Release = iota
	Saxon12
)

// A Processor is one running Java process that judges documents by single files. It is not safe for concurrent use.
type Processor struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errors  bytes.Buffer
}

// StartProcessor fetches the release where it is not there yet and starts the process.
func StartProcessor(ctx context.Context, release Release) (*Processor, error) {
	name, pom := "saxon", "saxon/pom.xml"
	if release == Saxon12 {
		name, pom = "oracles", "pom.xml"
	}
	folder, err := fetched(ctx, name, pom)
	if err != nil {
		return nil, err
	}
	p := &Processor{}
	p.command = exec.CommandContext(ctx, "java", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
		filepath.Join(folder, "lib", "*"), filepath.Join(folder, "Files.java"))
	p.command.Stderr = &p.errors
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("open the input of the processor: %w", err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("open the output of the processor: %w", err)
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start java: %w", err)
	}
	return p, nil
}

// Close ends the process.
func (p *Processor) Close() error {
	if err := errors.Join(p.in.Close(), p.command.Wait()); err != nil {
		return fmt.Errorf("end the processor: %w: %s", err, p.errors.String())
	}
	return nil
}

// Judge judges a document by files. Rule files that the release does not compile are left out of the verdicts.
func (p *Processor) Judge(path string, files []File) (FileVerdicts, error) {
	document, err := filepath.Abs(path)
	if err != nil {
		return FileVerdicts{}, fmt.Errorf("find the document: %w", err)
	}
	var question strings.Builder
	for _, f := range files {
		question.WriteString(f.what + "\t")
	}
	if _, err := fmt.Fprintf(p.in, "%s%s\n", question.String(), document); err != nil {
		return FileVerdicts{}, fmt.Errorf("ask about %s: %w: %s", path, err, p.errors.String())
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return FileVerdicts{}, fmt.Errorf("read the answer about %s: %w: %s", path, err, p.errors.String())
	}
	var answers []struct {
		Fired   []Fired `json:"fired"`
		Aborted string  `json:"aborted"`
		Refused bool    `json:"refused"`
		Valid   bool    `json:"valid"`
	}
	if err := json.Unmarshal(line, &answers); err != nil || len(answers) != len(files) {
		return FileVerdicts{}, fmt.Errorf("decode the answer %q about %s: %w", line, path, err)
	}
	v := FileVerdicts{map[string]Validity{}, map[string]RuleFired{}}
	for i, f := range files {
		switch {
		case f.Schema:
			v.XSD[f.Name] = Validity{answers[i].Valid}
		case !answers[i].Refused:
			v.Rules[f.Name] = RuleFired{Fired: answers[i].Fired, Aborted: answers[i].Aborted}
		}
	}
	return v, nil
}
