package en16931

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// rule adds what a line of a table of use says: a context, or an assertion in the last one.
func (t *table) rule(p *sch.Pattern) error {
	if context, ok := strings.CutPrefix(t.text, "rule "); ok {
		p.Rules = append(p.Rules, sch.Rule{Context: t.resolve(context)})
		return t.fault
	}
	if len(p.Rules) == 0 {
		return errors.New("it stands before the first context")
	}
	r := &p.Rules[len(p.Rules)-1]
	u, err := t.use(r.Context)
	if err != nil {
		return err
	}
	r.Assertions = append(r.Assertions, sch.Assertion{ID: u.id, Flag: u.level, Test: forms[u.form].test(u), Text: u.text()})
	return nil
}

// use is what a line says.
type use struct {
	id, level string
	form      string // name in forms
	context   string // of the rule
	limit     string // a number
	path      string // from the node, or an expression
	condition string // on which the rule does not hold
	words     string // the business term, or the whole text
}

// use reads a line: id, level, form, what the form asks for, and words for people.
func (t *table) use(context string) (use, error) {
	u := use{id: t.field(), level: t.field(), form: t.field(), context: context}
	if u.level != "fatal" && u.level != "warning" {
		return u, fmt.Errorf("%s has the level %q", u.id, u.level)
	}
	f, ok := forms[u.form]
	if !ok {
		return u, fmt.Errorf("%s has the form %q, which is not known", u.id, u.form)
	}
	if f.limited {
		u.limit = t.field()
	}
	u.path, u.condition, _ = strings.Cut(t.expression(), " unless ")
	u.words = t.words()
	if t.fault == nil && u.text() == "" {
		return u, fmt.Errorf("%s has no text", u.id)
	}
	return u, t.fault
}

// text is what the rule says when it fires. Words that end in a full stop are all of it.
func (u use) text() string {
	if strings.HasSuffix(u.words, ".") {
		return u.words
	}
	return forms[u.form].text(u)
}

// form is a kind of rule.
type form struct {
	limited bool // a number comes before the path
	test    func(use) string
	text    func(use) string // {expression} gives its value
}

// forms are the kinds of rules by name. README.md explains them.
var forms = map[string]form{
	"unused": {test: func(u use) string {
		if u.condition != "" {
			return "empty(" + u.path + ") or " + u.condition
		}
		return "not(" + u.path + ")"
	}, text: func(u use) string { return u.lead() + u.named() + " is not part of EN 16931. Remove " + u.kind() + "." }},
	"most": {limited: true, test: func(u use) string { return "count(" + u.path + ") le " + u.limit },
		text: func(u use) string {
			return u.lead() + u.named() + " may occur " + u.often() + ", but " + u.found() + ". Remove the others."
		}},
	"one": {test: func(u use) string { return "count(" + u.path + ") eq 1" },
		text: func(u use) string {
			return u.lead() + u.named() + " must be given exactly once, but " + u.found() + ". Give one."
		}},
	"given": {test: func(u use) string { return "exists(" + u.path + ")" },
		text: func(u use) string { return u.lead() + u.named() + " is missing. Give " + u.kind() + "." }},
	"true": {test: func(u use) string { return u.path }, text: func(use) string { return "" }},
}

// lead is the beginning of a text: the business term.
func (u use) lead() string {
	if u.words == "" {
		return ""
	}
	return u.words + ": "
}

// predicate is what is of no use to people in the name of an element.
var predicate = regexp.MustCompile(`\[[^\[\]]*\]`)

// named is what people call the path. An alternative of elements that only differ in the document's name is called by it.
func (u use) named() string {
	path, anywhere := strings.CutPrefix(predicate.ReplaceAllString(u.path, ""), "//")
	path = strings.Replace(path, "(cac:InvoiceLine | cac:CreditNoteLine)", "cac:{local-name()}Line", 1)
	if subject := subject(u.context); subject != "" && !anywhere {
		return subject + "/" + path
	}
	return path
}

// kind is what is to be given or removed.
func (u use) kind() string {
	if strings.Contains(u.path, "@") {
		return "the attribute"
	}
	return "it"
}

// found tells how often the path occurs. Where a predicate may fail for one of the nodes, nothing is counted.
func (u use) found() string {
	if strings.Contains(u.path, "[") {
		return "occurs more often"
	}
	return "occurs {count(" + u.path + ")} times"
}

// often is how often the path may occur.
func (u use) often() string {
	if u.limit == "1" {
		return "once"
	}
	return u.limit + " times"
}

// lastStep is the end of a context: a name and its predicates.
var lastStep = regexp.MustCompile(`^(?:.*/)?([a-z]+:[A-Za-z]+)$`)

// subject is what people call the nodes of a context: nothing for the document element, else the name. Where there are several
// names, it is that of the node.
func subject(context string) string {
	if context == "/ubl:Invoice | /cn:CreditNote" || context == "/rsm:CrossIndustryInvoice" {
		return ""
	}
	if m := lastStep.FindStringSubmatch(predicate.ReplaceAllString(context, "")); m != nil && !strings.Contains(context, " | ") {
		return m[1]
	}
	return "{name()}"
}
