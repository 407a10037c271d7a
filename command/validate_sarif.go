package command

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
)

// sarifReport collects findings for code scanners (OASIS SARIF 2.1.0). It has the members of the standard that findings fill.
type sarifReport struct {
	rules   []sarifRule
	known   map[string]int // index in rules
	results []sarifResult
}

// The levels of SARIF (§3.27.10).
const (
	sarifError   = "error"
	sarifWarning = "warning"
)

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Language string        `json:"language"`         // of the messages
		Newlines []string      `json:"newlineSequences"` // that lines are counted by
		Results  []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name     string      `json:"name"`
		Version  string      `json:"version"`
		Language string      `json:"language"`
		Rules    []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPlace     `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPlace struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

func newSarifReport() *sarifReport {
	return &sarifReport{rules: []sarifRule{}, known: map[string]int{}, results: []sarifResult{}}
}

func (r *sarifReport) add(v validated) {
	if v.err != nil {
		r.result(v.file, sarifError, refusalFinding(v.err))
		return
	}
	for _, f := range v.answer.Errors {
		r.result(v.file, sarifError, f)
	}
	for _, f := range v.answer.Warnings {
		r.result(v.file, sarifWarning, f)
	}
}

func (r *sarifReport) result(file, level string, f finding.Finding) {
	location := sarifLocation{Physical: sarifPlace{Artifact: sarifArtifact{fileURI(file)}}}
	if line := f.Place.Line; line > 0 {
		location.Physical.Region = &sarifRegion{line, line}
	}
	if strings.HasPrefix(f.Field, "/") {
		location.Logical = []sarifLogical{{f.Field}}
	}
	rule := ruleOf(f)
	r.results = append(r.results, sarifResult{RuleID: rule, RuleIndex: r.rule(rule), Level: level, Message: sarifText{f.Message}, Locations: []sarifLocation{location}})
}

// rule gives the index of a rule in the report.
func (r *sarifReport) rule(id string) int {
	index, ok := r.known[id]
	if !ok {
		index = len(r.rules)
		r.known[id], r.rules = index, append(r.rules, sarifRule{id})
	}
	return index
}

func (r *sarifReport) write(w io.Writer) error {
	const language = "en-GB"
	run := sarifRun{Language: language, Newlines: []string{"\r\n", "\n"}, Results: r.results}
	run.Tool.Driver = sarifDriver{Name: "einvoiced", Version: buildVersion().Version, Language: language, Rules: r.rules}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// fileURI names a file as SARIF does: relative to where the program runs, or as a file URI.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}
