package command

import (
	"bytes"
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

// mostInput is the most bytes of a file or of standard input: as of a request.
const mostInput = 128 << 20

// readFile reads a file of at most so many bytes.
func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var expected int64
	if info, err := f.Stat(); err == nil {
		expected = info.Size() // of a device it is 0
	}
	data, err := readUpTo(f, most, expected)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// readUpTo reads to the end, which has to come within so many bytes and is expected after some.
func readUpTo(r io.Reader, most, expected int64) ([]byte, error) {
	var data bytes.Buffer
	data.Grow(int(min(expected, most)) + bytes.MinRead)
	_, err := data.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && int64(data.Len()) > most {
		err = fmt.Errorf("it has more than %d MiB", most>>20)
	}
	return data.Bytes(), err
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

// errorBody gives an error as the API answers it, with the places of its findings.
func errorBody(err error, extra ...finding.Extra) jsontext.Value {
	details := []finding.Detail{}
	r, ok := errors.AsType[*finding.Refusal](err)
	if ok {
		details = finding.Details(r.Errors, nil)
	} else { // the API keeps such causes to itself; here they are the caller's own
		word := map[bool]string{true: "Bad Request", false: "Internal Server Error"}[failureOf(err).code == exitUsage]
		err = &finding.Refusal{Kind: finding.Unavailable, Word: word, Message: err.Error(), Cause: err}
	}
	return api.ErrorBody(err, append(extra, finding.Extra{Name: "findings", Value: details})...)
}

// result is what came of one file, for programs and for people.
type result interface {
	line() any         // one object
	text(style) string // lines
}

// report tells what came of one file, or why nothing did: results to standard output; without --json, what went wrong to standard
// error. The extra members are those of an error in JSON.
func (m *Main) report(asJSON bool, file string, err error, r result, extra ...finding.Extra) error {
	switch {
	case asJSON && err != nil:
		return printJSON(m.Stdout, struct {
			File  string         `json:"file"`
			Error jsontext.Value `json:",embed"`
		}{file, errorBody(err, extra...)})
	case asJSON:
		return printJSON(m.Stdout, r.line())
	case err != nil:
		fmt.Fprintf(m.Stderr, "einvoiced: %s: %s\n", file, m.styleOf(m.Stderr).in(red, err.Error()))
		return nil
	}
	_, err = io.WriteString(m.Stdout, r.text(m.styleOf(m.Stdout)))
	return err
}
