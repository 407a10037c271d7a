package en16931

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/lists"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// listVersion is the version of the code lists.
const listVersion = "en16931-1.3.16"

// Lists says which code lists count, for rule sets that take others than EN 16931 1.3.16. The zero value stands for its lists.
type Lists struct {
	Owner    string            // whose lists they are, for messages. Default: EN 16931
	Versions map[string]string // of package lists, by name of the list. Default: those of EN 16931 1.3.16
}

// codeRules collects rules on code lists. Each list is a variable of the pattern.
type codeRules struct {
	pattern *sch.Pattern
	known   map[string]bool // variables
	lists   Lists
}

// comparisons are the forms in which a value is looked up. Those that are not as written are trimmed.
var comparisons = map[string]string{"exactly": "%s", "trimmed": "normalize-space(%s)", "capitals": "upper-case(normalize-space(%s))"}

// codeRule is what a line of a table of code lists says.
type codeRule struct {
	id      string
	list    *lists.List
	named   string // the list with its variant
	codes   []string
	owner   string // whose list it is
	further string // a code beside the list; may be empty
	compare string // as in comparisons
	value   string // from the node
	context string
	words   string // the business term
}

// code reads a line: id, list, a word of comparisons if need be, value, context, and words for people.
func (t *table) code(l Lists) (codeRule, error) {
	r := codeRule{id: t.field(), owner: cmp.Or(l.Owner, "EN 16931")}
	r.named, r.further, _ = strings.Cut(t.field(), "+")
	name, variant, _ := strings.Cut(r.named, ":")
	var err error
	if r.list, err = lists.Open(name, cmp.Or(l.Versions[name], listVersion)); err != nil {
		return r, err
	}
	if r.codes, err = r.list.Variant(variant); err != nil {
		return r, err
	}
	r.value = t.field()
	r.compare = comparisons["trimmed"]
	if compare, ok := comparisons[r.value]; ok {
		r.compare, r.value = compare, t.field()
	}
	r.context, r.words = t.expression(), t.words()
	return r, t.fault
}

// add adds what a line says: a context with one assertion, and the list unless it is there.
func (c *codeRules) add(t *table) error {
	r, err := t.code(c.lists)
	if err != nil {
		return err
	}
	variable := strings.ReplaceAll(r.named, ":", "-")
	if !c.known[variable] {
		c.known[variable] = true
		c.pattern.Lets = append(c.pattern.Lets, sch.CodeList(variable, r.codes))
	}
	allowed := "$" + variable
	if r.further != "" {
		allowed = "(" + allowed + ", '" + r.further + "')"
	}
	c.pattern.Rules = append(c.pattern.Rules, sch.Rule{Context: r.context, Assertions: []sch.Assertion{
		{ID: r.id, Flag: "fatal", Test: fmt.Sprintf(r.compare, r.value) + " = " + allowed, Text: r.text()},
	}})
	return nil
}

// enumerated is the greatest number of codes that a text gives.
const enumerated = 10

// text says what was found, and what would be right.
func (r codeRule) text() string {
	text := fmt.Sprintf(`%s: "{%s}" is not a code of %s in %s.`, r.words, r.value, r.list.Title, r.owner)
	if len(r.codes) > enumerated {
		return text + " Give one of that list."
	}
	var codes []string
	for _, c := range r.list.Codes {
		if slices.Contains(r.codes, c.Code) {
			codes = append(codes, strings.TrimSpace(c.Code+" "+c.Name))
		}
	}
	slices.Sort(codes)
	return text + " Give one of: " + strings.Join(codes, ", ") + "."
}
