package command

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
)

// sbdhCommand is einvoiced sbdh.
type sbdhCommand struct {
	Check  sbdhCheck  `cmd:"" help:"Check envelopes strictly, and name the rules that they break."`
	Unwrap sbdhUnwrap `cmd:"" help:"Take the document out of an envelope, whatever stands on that."`
}

// sbdhCheck is einvoiced sbdh check.
type sbdhCheck struct {
	Files []string `arg:"" name:"file" help:"Envelopes, or - for standard input."`
	JSON  bool     `name:"json" help:"Print one line of JSON for each envelope."`
}

// checkedEnvelope is what is told of an envelope in JSON.
type checkedEnvelope struct {
	File   string          `json:"file"`
	Valid  bool            `json:"valid"`
	Faults []envelopeFault `json:"faults"`
}

type envelopeFault struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Path    string `json:"path,omitzero"`
	Line    int    `json:"line,omitzero"`
}

// Run prints a line for each rule that is broken, causes first.
func (c *sbdhCheck) Run(m *Main, ctx context.Context) error {
	bad := 0
	for _, file := range c.Files {
		data, err := m.read(ctx, file)
		if err != nil {
			return err
		}
		checked := checkEnvelope(file, data)
		if !checked.Valid {
			bad++
		}
		if err := c.print(m, checked); err != nil {
			return err
		}
	}
	if bad > 0 {
		return &failure{code: exitInvalid, cause: fmt.Errorf("%d of %d envelopes break rules", bad, len(c.Files)), told: true}
	}
	return nil
}

func checkEnvelope(file string, data []byte) checkedEnvelope {
	checked := checkedEnvelope{File: file, Faults: []envelopeFault{}}
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		checked.Faults = append(checked.Faults, envelopeFault{Rule: "not-well-formed", Message: err.Error()})
		return checked
	}
	for _, f := range sbdh.Check(doc) {
		checked.Faults = append(checked.Faults, envelopeFault{f.Rule, f.Message, f.Path, f.Line})
	}
	checked.Valid = len(checked.Faults) == 0
	return checked
}

func (c *sbdhCheck) print(m *Main, checked checkedEnvelope) error {
	if c.JSON {
		line, err := json.Marshal(checked)
		if err == nil {
			_, err = fmt.Fprintf(m.Stdout, "%s\n", line)
		}
		return err
	}
	if checked.Valid {
		_, err := fmt.Fprintf(m.Stdout, "%s: right\n", checked.File)
		return err
	}
	for _, f := range checked.Faults {
		if _, err := fmt.Fprintf(m.Stdout, "%s:%d: %s: %s\n", checked.File, f.Line, f.Rule, f.Message); err != nil {
			return err
		}
	}
	return nil
}

// sbdhUnwrap is einvoiced sbdh unwrap.
type sbdhUnwrap struct {
	File   string `arg:"" help:"The envelope, or - for standard input."`
	Output string `short:"o" default:"-" placeholder:"FILE" help:"Where the document goes; standard output by default."`
}

// Run writes the document.
func (c *sbdhUnwrap) Run(m *Main, ctx context.Context) error {
	data, err := m.read(ctx, c.File)
	if err != nil {
		return err
	}
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err == nil && !sbdh.Is(doc) {
		err = fmt.Errorf("%s is no envelope: its document element is not StandardBusinessDocument", c.File)
	}
	var inside []byte
	if err == nil {
		inside, err = sbdh.Unwrap(doc)
	}
	if err != nil {
		return &failure{code: exitInvalid, cause: err}
	}
	return m.write(c.Output, inside)
}
