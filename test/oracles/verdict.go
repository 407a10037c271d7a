// Package oracles asks the official validation artefacts about documents and keeps the list of their verdicts. It serves the
// tests; the service never imports it.
package oracles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Level ranks a finding of the official rules.
type Level string

// The levels: a fatal finding makes a document invalid.
const (
	Fatal       Level = "fatal"
	Warning     Level = "warning"
	Information Level = "information"
)

// UnmarshalText takes the judge's own names of levels. A finding of a rule without a flag counts as fatal.
func (l *Level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "fatal_error", "error":
		*l = Fatal
	case "warn":
		*l = Warning
	case "info":
		*l = Information
	default:
		return fmt.Errorf("the judge gave the unknown level %q", text)
	}
	return nil
}

// Finding is one finding of the official rules. ID is XSD for a schema fault and NOT-EVALUATED when a rule set could not be
// evaluated.
type Finding struct {
	ID    string `json:"id"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Place string `json:"place"` // XPath; empty for schema faults
	Line  int    `json:"line"`  // 1-based; 0 for rules
}

// Verdict is what the official artefacts say about one document. The maps count findings by rule id.
type Verdict struct {
	SHA256      string         `json:"sha256"`   // of the document's bytes, hex in lower case
	RuleSets    []string       `json:"ruleSets"` // name and version, in the order of their use
	Valid       bool           `json:"valid"`    // no fatal finding
	Fatal       map[string]int `json:"fatal,omitempty"`
	Warning     map[string]int `json:"warning,omitempty"`
	Information map[string]int `json:"information,omitempty"`
	// Fetched are the rule sets, name and version, that accept it and that no package registry has in that version.
	Fetched  []string  `json:"fetched,omitempty"`
	Findings []Finding `json:"-"` // in the order of the rule sets
}

func (v *Verdict) add(f Finding) {
	v.Findings = append(v.Findings, f)
	counts := map[Level]*map[string]int{Fatal: &v.Fatal, Warning: &v.Warning, Information: &v.Information}[f.Level]
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[f.ID]++
	v.Valid = v.Valid && f.Level != Fatal
}

// fetchedSets are the rule sets that have to be fetched, with their versions: those that the corpus judges by in another version than Maven Central
// has, and those that no package registry has at all.
var fetchedSets = map[string]string{
	"fatturapa-1.0-xsd": "1.0", "fatturapa-1.1-xsd": "1.1",
	"nl-ubl":    "2.0.3.13",
	"pint-aunz": "1.1.3", "pint-aunz-base": "1.1.3", "pint-aunz-sb": "1.1.3", "pint-aunz-sb-base": "1.1.3",
	"pint-jp": "1.1.3", "pint-jp-base": "1.1.3", "pint-jp-ntr": "1.1.3", "pint-jp-ntr-base": "1.1.3", "pint-jp-sb": "1.1.3", "pint-jp-sb-base": "1.1.3",
	"pint-om": "1.0.1", "pint-om-base": "1.0.1", "pint-om-sb": "1.0.1", "pint-om-sb-base": "1.0.1",
}

// Wanted are the names of the rule sets that a document is to be judged by and that are fetched.
func (v *Verdict) Wanted() (names []string) {
	for _, set := range v.RuleSets {
		if name, _, _ := strings.Cut(set, " "); fetchedSets[name] != "" {
			names = append(names, name)
		}
	}
	return names
}

// Accepted notes that a fetched rule set accepts the document.
func (v *Verdict) Accepted(name string) {
	if set := name + " " + fetchedSets[name]; !slices.Contains(v.Fetched, set) {
		v.Fetched = append(v.Fetched, set)
	}
}

// missing are the rule sets, name and version, that have yet to judge the document.
func (v *Verdict) missing() (sets []string) {
	for _, name := range v.Wanted() {
		if set := name + " " + fetchedSets[name]; !slices.Contains(v.Fetched, set) {
			sets = append(sets, set)
		}
	}
	return sets
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
