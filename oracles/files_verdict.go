package oracles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Fired is a rule that fired.
type Fired struct {
	ID    string `json:"id"`   // ~ and a hash for an assertion without id, as in the corpus
	Flag  string `json:"flag"` // flag, else role
	Count int    `json:"count"`
}

// Verdicts are the verdicts of single files on the documents of a folder, in the form of the corpus.
type Verdicts struct {
	Set      string                  `json:"set"` // name of the folder
	Rulesets map[string]SetVersion   `json:"rulesets"`
	Files    map[string]FileVerdicts `json:"files"` // by the name of the document
}

// SetVersion is the version of a rule set.
type SetVersion struct {
	Version string `json:"version"`
}

// FileVerdicts is what the files say about one document, by their names.
type FileVerdicts struct {
	XSD   map[string]Validity  `json:"xsd"`
	Rules map[string]RuleFired `json:"rules"`
}

// Validity is the verdict of a schema.
type Validity struct {
	Valid bool `json:"valid"`
}

// RuleFired is the verdict of a rule set: what fired, or the code of the error that ended the run.
type RuleFired struct {
	Fired   []Fired
	Aborted string
}

// MarshalJSON writes an array, or an object with the error.
func (r RuleFired) MarshalJSON() ([]byte, error) {
	if r.Aborted != "" {
		return json.Marshal(map[string]string{"error": r.Aborted})
	}
	return json.Marshal(append([]Fired{}, r.Fired...))
}

// UnmarshalJSON reads what MarshalJSON writes, and what more the verdicts of the corpus have.
func (r *RuleFired) UnmarshalJSON(data []byte) error {
	*r = RuleFired{}
	if strings.HasPrefix(string(data), "[") {
		return json.Unmarshal(data, &r.Fired)
	}
	var aborted struct{ Error string }
	err := json.Unmarshal(data, &aborted)
	r.Aborted = aborted.Error
	return err
}

// Same tells whether two verdicts of the same files are equal. Files that only one of them has do not count.
func (f FileVerdicts) Same(other FileVerdicts) bool {
	for name, x := range f.XSD {
		if y, ok := other.XSD[name]; ok && x != y {
			return false
		}
	}
	for name, x := range f.Rules {
		if y, ok := other.Rules[name]; ok && !x.same(y) {
			return false
		}
	}
	return true
}

func (r RuleFired) same(other RuleFired) bool {
	compare := func(a, b Fired) int { return strings.Compare(a.ID+" "+a.Flag, b.ID+" "+b.Flag) }
	a, b := slices.SortedFunc(slices.Values(r.Fired), compare), slices.SortedFunc(slices.Values(other.Fired), compare)
	return r.Aborted == other.Aborted && slices.Equal(a, b)
}

// Files judges a document by single files.
func (j *Judge) Files(path string, files []File) (FileVerdicts, error) {
	layers := make([]string, len(files))
	for i, f := range files {
		layers[i] = f.layer
	}
	answers, err := j.ask(layers, path)
	if err != nil {
		return FileVerdicts{}, fmt.Errorf("judge %s: %w", path, err)
	}
	v := FileVerdicts{map[string]Validity{}, map[string]RuleFired{}}
	for i, f := range files {
		switch a := answers[i]; {
		case !f.Schema:
			v.Rules[f.Name] = RuleFired{a.Fired, a.Aborted}
		case a.Valid != nil:
			v.XSD[f.Name] = Validity{*a.Valid}
		default:
			v.XSD[f.Name] = Validity{len(a.Findings) == 0}
		}
	}
	return v, nil
}
