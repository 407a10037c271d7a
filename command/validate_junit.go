package command

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// junitReport collects results for continuous integration: a test case for each file, in the form that Ant's JUnit task writes. A
// file that keeps the rules passes, one that does not fails, one that could not be judged is an error.
type junitReport struct{ suite junitSuite }

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Error   *junitProblem `xml:"error,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (r *junitReport) add(v validated) {
	r.suite.Tests++
	c := junitCase{Name: v.file, Class: "einvoiced"}
	switch {
	case v.err != nil:
		f := refusalFinding(v.err)
		c.Error = &junitProblem{Type: f.Code, Message: f.Message}
	case v.answer.Valid:
		c.Class, c.Output = v.format(), warningsOf(v)
	case v.unchecked():
		c.Class, c.Error = v.format(), problemOf(v)
	default:
		c.Class, c.Output, c.Failure = v.format(), warningsOf(v), problemOf(v)
	}
	if c.Error != nil {
		r.suite.Errors++
	}
	if c.Failure != nil {
		r.suite.Failures++
	}
	r.suite.Cases = append(r.suite.Cases, c)
}

// problemOf has a line for each error of a file.
func problemOf(v validated) *junitProblem {
	var lines strings.Builder
	for _, f := range v.answer.Errors {
		fmt.Fprintf(&lines, "%s: %s\n", ruleOf(f), f.Message)
	}
	return &junitProblem{Type: ruleOf(v.answer.Errors[0]), Message: fmt.Sprintf("%s, errors: %d", v.verdict(), len(v.answer.Errors)), Text: lines.String()}
}

// warningsOf has a line for each warning of a file.
func warningsOf(v validated) string {
	var lines strings.Builder
	for _, f := range v.answer.Warnings {
		fmt.Fprintf(&lines, "warning: %s: %s\n", ruleOf(f), f.Message)
	}
	return lines.String()
}

func (r *junitReport) write(w io.Writer) error {
	r.suite.Name = "einvoiced validate"
	data, err := xml.MarshalIndent(r.suite, "", "  ")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	return err
}
