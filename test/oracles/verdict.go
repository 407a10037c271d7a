// Package oracles asks the official validation artefacts about documents and keeps the list of their verdicts. It serves the
// tests; the service never imports it.
package oracles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	Findings    []Finding      `json:"-"` // in the order of the rule sets
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

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
