package oracles

import (
	"encoding/json"
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

// RuleFired is the verdict of a rule set: what fired, or the code of the error that ended the run. With both, processors
// differ, and either is right.
type RuleFired struct {
	Fired   []Fired
	Aborted string
	Either  bool
}

// aborted is the form of a verdict with an error.
type aborted struct {
	Error string   `json:"error"`
	Also  *[]Fired `json:"also,omitempty"`
}

// MarshalJSON writes an array, or an object with the error.
func (r RuleFired) MarshalJSON() ([]byte, error) {
	fired := append([]Fired{}, r.Fired...)
	switch {
	case r.Aborted == "":
		return json.Marshal(fired)
	case r.Either:
		return json.Marshal(aborted{r.Aborted, &fired})
	}
	return json.Marshal(aborted{Error: r.Aborted})
}

// UnmarshalJSON reads what MarshalJSON writes, and what more the verdicts of the corpus have.
func (r *RuleFired) UnmarshalJSON(data []byte) error {
	*r = RuleFired{}
	if strings.HasPrefix(string(data), "[") {
		return json.Unmarshal(data, &r.Fired)
	}
	var a aborted
	if err := json.Unmarshal(data, &a); err != nil {
		return err
	}
	r.Aborted = a.Error
	if a.Also != nil {
		r.Fired, r.Either = *a.Also, true
	}
	return nil
}

// Or gives the verdict that accepts what either of two processors says, where one of them ends with an error.
func (r RuleFired) Or(other RuleFired) RuleFired {
	switch {
	case r.Aborted != "" && other.Aborted == "":
		return RuleFired{other.Fired, r.Aborted, true}
	case r.Aborted == "" && other.Aborted != "":
		return RuleFired{r.Fired, other.Aborted, true}
	}
	return r
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
	return r.Aborted == other.Aborted && (r.Aborted != "" || slices.Equal(a, b))
}
