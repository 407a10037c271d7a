package validate

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Official is a file of verdicts of the official processors on a folder of documents.
type Official struct {
	Set      string                     `json:"set"`      // name of the folder
	Rulesets map[string]OfficialRuleset `json:"rulesets"` // by name
	Files    map[string]OfficialFile    `json:"files"`    // by the name of the document
}

// OfficialRuleset is a rule set that judged the documents.
type OfficialRuleset struct {
	Version string `json:"version"`
}

// OfficialFile is what was said of one document.
type OfficialFile struct {
	XSD   map[string]OfficialValidity `json:"xsd"`   // by the name of the schema
	Rules map[string]OfficialVerdict  `json:"rules"` // by the name of the rule set
}

// OfficialValidity is the verdict of a schema.
type OfficialValidity struct {
	Valid bool `json:"valid"`
}

// OfficialVerdict is the verdict of a rule set: findings, or the error that ended the run.
type OfficialVerdict struct {
	Findings []OfficialFinding
	Error    string // code of the error, such as XPTY0004; empty for runs that came to their end
	// Also are the findings that are right as well where the run ended with an error: another official processor does not come
	// upon it. AlsoFindings tells that there are such findings, none being possible.
	Also         []OfficialFinding
	AlsoFindings bool
}

// OfficialFinding is a rule that fired.
type OfficialFinding struct {
	ID    string `json:"id"`
	Flag  string `json:"flag"` // flag, else role
	Count int    `json:"count"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *OfficialVerdict) UnmarshalJSON(data []byte) error {
	*o = OfficialVerdict{}
	if jsontext.Value(data).Kind() == '[' {
		return json.Unmarshal(data, &o.Findings)
	}
	var aborted struct {
		Error string             `json:"error"`
		Also  *[]OfficialFinding `json:"also"`
	}
	if err := json.Unmarshal(data, &aborted); err != nil {
		return err
	}
	if aborted.Error == "" {
		return errors.New("expected a list of findings, or an object with the code of an error")
	}
	o.Error = aborted.Error
	if aborted.Also != nil {
		o.Also, o.AlsoFindings = *aborted.Also, true
	}
	return nil
}

// ReadOfficial reads a file of verdicts. Members that it does not know are left out; of documents that stand there twice the
// last one counts.
func ReadOfficial(data []byte) (*Official, error) {
	o := &Official{}
	if err := json.Unmarshal(data, o, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, fmt.Errorf("read verdicts: %w", err)
	}
	if len(o.Files) == 0 || len(o.Rulesets) == 0 {
		return nil, errors.New("read verdicts: expected an object with rulesets and files, by name")
	}
	return o, nil
}

// Differences tells where a verdict differs from the official one, empty when they agree: same rules, same levels, same
// counts. Where the official run ended with an error they agree when a rule could not be evaluated for the same reason.
func (o *OfficialVerdict) Differences(v *Verdict) []string {
	switch ended := o.Error != ""; {
	case ended && slices.ContainsFunc(v.NotRun, func(n SkippedRule) bool { return n.Code == o.Error }):
		return nil
	case ended && o.AlsoFindings:
		return compare(o.Also, v.Schematron)
	case ended:
		return []string{fmt.Sprintf("the official run ends with %s; no rule was not run with that code%s", o.Error, codes(v.NotRun))}
	}
	differences := compare(o.Findings, v.Schematron)
	for _, n := range v.NotRun {
		differences = append(differences, fmt.Sprintf("%s: not run: %s %s", n.ID, n.Code, n.Reason))
	}
	return differences
}

// Differences tells where the verdict of a schema differs from the official one, empty when they agree.
func (o OfficialValidity) Differences(v *Validity) []string {
	switch {
	case o.Valid == v.Valid:
		return nil
	case v.Valid:
		return []string{"officially not valid, ours valid"}
	}
	return []string{fmt.Sprintf("officially valid, ours not: line %d: %s", v.Errors[0].Line, v.Errors[0].Message)}
}

func codes(rules []SkippedRule) string {
	if len(rules) == 0 {
		return ""
	}
	return fmt.Sprintf(", but %s with %s", rules[0].ID, rules[0].Code)
}

// compare lists the rules whose counts differ, by id.
func compare(official []OfficialFinding, ours []FiredRule) []string {
	type rule struct{ id, level string }
	counts := map[rule][2]int{}
	for _, f := range official {
		c := counts[rule{f.ID, f.Flag}]
		counts[rule{f.ID, f.Flag}] = [2]int{c[0] + f.Count, c[1]}
	}
	for _, f := range ours {
		c := counts[rule{f.ID, f.Level()}]
		counts[rule{f.ID, f.Level()}] = [2]int{c[0], c[1] + f.Count}
	}
	var differences []string
	for r, c := range counts {
		if c[0] != c[1] {
			differences = append(differences, fmt.Sprintf("%s %s: official count %d, ours %d", r.id, r.level, c[0], c[1]))
		}
	}
	slices.Sort(differences)
	return differences
}

// Names lists the documents in their order.
func (o *Official) Names() []string { return slices.Sorted(maps.Keys(o.Files)) }
