package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/api"
	"github.com/einvoiced/einvoiced/core/finding"
)

// read gives the content of a file, or of standard input for "-".
func (m *Main) read(name string) ([]byte, error) {
	var data []byte
	var err error
	if name == "-" {
		data, err = io.ReadAll(m.Stdin)
	} else {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		cause := &finding.Refusal{Kind: finding.BadRequest, Message: fmt.Sprintf("read input: %v", err), Cause: err}
		return nil, &failure{code: exitUsage, cause: cause, hint: "check the name and its permissions"}
	}
	return data, nil
}

// write puts data into a file, whole or not at all, or to standard output for "-".
func (m *Main) write(name string, data []byte) error {
	if name == "-" {
		_, err := m.Stdout.Write(data)
		return err
	}
	if err := replaceFile(name, data); err != nil {
		return &failure{code: exitUsage, cause: fmt.Errorf("write output: %w", err), hint: "check that the folder exists and can be written"}
	}
	return nil
}

// replaceFile writes beside the file first, so that nobody sees a half of it.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".einvoiced-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// printJSON writes v as one line.
func printJSON(w io.Writer, v any) error {
	line, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("encode output: %w", err)
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// result is what came of one file, for programs and for people.
type result interface {
	line() any    // one object
	text() string // lines
}

// report tells what came of one file, or why nothing did: results to standard output; without --json, what went wrong to standard
// error. The extra members are those of an error in JSON.
func (m *Main) report(asJSON bool, file string, err error, r result, extra ...finding.Extra) error {
	switch {
	case asJSON && err != nil:
		return printJSON(m.Stdout, struct {
			File  string         `json:"file"`
			Error jsontext.Value `json:",embed"`
		}{file, api.ErrorBody(err, extra...)})
	case asJSON:
		return printJSON(m.Stdout, r.line())
	case err != nil:
		fmt.Fprintf(m.Stderr, "einvoiced: %s: %v\n", file, err)
		return nil
	}
	_, err = io.WriteString(m.Stdout, r.text())
	return err
}
