package en16931

import (
	"fmt"
	"slices"
	"strings"

	"einvoiced/rulebooks/lists"
	"einvoiced/rulebooks/sch"
)

// listVersion is the version of the code lists.
const listVersion = "en16931-1.3.16"

// codeRules collects rules on code lists. Each list is a variable of the pattern.
type codeRules struct {
	pattern *sch.Pattern
	known   map[string]bool // variables
}

// comparisons are the forms in which a value is looked up. Those that are not as written are trimmed.
var comparisons = map[string]string{"exactly": "%s", "trimmed": "normalize-space(%s)", "capitals": "upper-case(normalize-space(%s))"}

// add adds what a line of a table of code lists says: a context with one assertion.
func (c *codeRules) add(t *table) error {
	id, list, value := t.field(), t.field(), t.field()
	compare, ok := comparisons[value]
	if ok {
		value = t.field()
	} else {
		compare = comparisons["trimmed"]
	}
	list, further, more := strings.Cut(list, "+")
	l, variable, err := c.list(list)
	if err != nil {
		return err
	}
	allowed := "$" + variable
	if more {
		allowed = "(" + allowed + ", '" + further + "')"
	}
	context := t.expression()
	c.pattern.Rules = append(c.pattern.Rules, sch.Rule{Context: context, Assertions: []sch.Assertion{{
		ID: id, Flag: "fatal", Test: fmt.Sprintf(compare, value) + " = " + allowed, Text: codeText(t.words(), value, l),
	}}})
	return t.fault
}

// list gives a list by its name and variant, and the variable that holds its codes.
func (c *codeRules) list(wanted string) (*lists.List, string, error) {
	name, variant, _ := strings.Cut(wanted, ":")
	l, err := lists.Open(name, listVersion)
	if err != nil {
		return nil, "", err
	}
	codes, err := l.Variant(variant)
	if err != nil {
		return nil, "", err
	}
	variable := strings.ReplaceAll(wanted, ":", "-")
	if !c.known[variable] {
		c.known[variable] = true
		c.pattern.Lets = append(c.pattern.Lets, sch.Let{Name: variable, Value: "tokenize('" + strings.Join(codes, " ") + "', ' ')"})
	}
	return l, variable, nil
}

// enumerated is the greatest number of codes that a text gives.
const enumerated = 10

// codeText is the text of a rule: what was found, and what would be right.
func codeText(term, value string, l *lists.List) string {
	text := fmt.Sprintf(`%s: "{%s}" is not in the code list %s.`, term, value, l.Title)
	if len(l.Codes) > enumerated {
		return text + " Give a code of that list."
	}
	var codes []string
	for _, c := range l.Codes {
		codes = append(codes, strings.TrimSpace(c.Code+" "+c.Name))
	}
	slices.Sort(codes)
	return text + " Give one of: " + strings.Join(codes, ", ") + "."
}
