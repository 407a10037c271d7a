package command

import (
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/einvoiced/einvoiced/core/finding"
)

// sarifReport collects findings for code scanners (OASIS SARIF 2.1.0).
type sarifReport struct{ run *sarif.Run }

func newSarifReport() *sarifReport {
	driver := sarif.NewToolComponent().WithName("einvoiced").WithVersion(buildVersion().Version)
	return &sarifReport{sarif.NewRun().WithTool(sarif.NewTool().WithDriver(driver))}
}

func (r *sarifReport) add(v validated) {
	if v.err != nil {
		r.result(v.file, sarif.LevelError, refusalFinding(v.err))
		return
	}
	for _, f := range v.answer.Errors {
		r.result(v.file, sarif.LevelError, f)
	}
	for _, f := range v.answer.Warnings {
		r.result(v.file, sarif.LevelWarning, f)
	}
}

func (r *sarifReport) result(file, level string, f finding.Finding) {
	rule := ruleOf(f)
	r.run.AddRule(rule)
	place := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(fileURI(file)))
	if line, ok := lineOf(f.Message); ok {
		place.WithRegion(sarif.NewSimpleRegion(line, line))
	}
	location := sarif.NewLocationWithPhysicalLocation(place)
	if strings.HasPrefix(f.Field, "/") {
		location.AddLogicalLocation(sarif.NewLogicalLocation().WithFullyQualifiedName(f.Field))
	}
	r.run.CreateResultForRule(rule).WithLevel(level).WithMessage(sarif.NewTextMessage(f.Message)).AddLocation(location)
}

func (r *sarifReport) write(w io.Writer) error {
	if err := sarif.NewReport().AddRun(r.run).PrettyWrite(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// fileURI names a file as SARIF does: relative to where the program runs, or as a file URI.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}

// placeForm is the end of the message of a finding in a document: the line of the place, and the day of a rule in its warning phase.
var placeForm = regexp.MustCompile(`, line ([0-9]+)\)(?: \(enforced from [0-9-]+\))?$`)

// lineOf reads the line of the place from a message.
func lineOf(message string) (line int, ok bool) {
	found := placeForm.FindStringSubmatch(message)
	if found == nil {
		return 0, false
	}
	line, err := strconv.Atoi(found[1])
	return line, err == nil && line > 0
}
