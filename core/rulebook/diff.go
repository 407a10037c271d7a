package rulebook

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/finding"
)

// Diff is how the rules of one rulebook differ from those of another. Texts of messages do not count.
type Diff struct {
	Added   []string `json:"added"`   // rules that only the second one has, by id
	Removed []string `json:"removed"` // rules that only the first one has
	Changed []Change `json:"changed"` // rules whose condition or level differs
}

// Change is a rule that differs.
type Change struct {
	Rule string `json:"rule"`
	What string `json:"what"` // sentences for people
}

// Compare tells how the rules of a rulebook differ from those of another. Assertions of one id are one rule. The error is that of
// Rulesets.
func Compare(from, to *Book) (*Diff, error) {
	old, err := from.judgedRules()
	if err != nil {
		return nil, err
	}
	now, err := to.judgedRules()
	if err != nil {
		return nil, err
	}
	d := &Diff{Added: []string{}, Removed: []string{}, Changed: []Change{}}
	for _, rule := range slices.SortedFunc(maps.Keys(now), CompareVersions) {
		before, known := old[rule]
		if !known {
			d.Added = append(d.Added, rule)
		} else if what := changeOf(before, now[rule]); what != "" {
			d.Changed = append(d.Changed, Change{rule, what})
		}
	}
	for _, rule := range slices.SortedFunc(maps.Keys(old), CompareVersions) {
		if _, still := now[rule]; !still {
			d.Removed = append(d.Removed, rule)
		}
	}
	return d, nil
}

// judged is what decides the verdict of an assertion.
type judged struct {
	context, test string // the test as one that must hold
	variables     string // those that context and test use, with their values
	level         finding.Severity
}

// judgedRules gives the assertions of the rulebook by their keys.
func (b *Book) judgedRules() (map[string][]judged, error) {
	sets, err := b.Rulesets()
	if err != nil {
		return nil, err
	}
	rules := map[string][]judged{}
	for _, set := range sets {
		values := valuesOf(set)
		for rule, a := range placed([]*schematron.Ruleset{set}) {
			j := judged{context: plain(rule.Context.Text), test: plain(a.Test.Text), level: a.Severity()}
			if a.Report {
				j.test = "not(" + j.test + ")"
			}
			if level, given := b.Level(a.Key); given {
				j.level = level
			}
			own := maps.Clone(values)
			addValues(own, rule.Lets)
			j.variables = used(j.context+" "+j.test, own)
			rules[a.Key] = append(rules[a.Key], j)
		}
	}
	return rules, nil
}

// valuesOf gives the variables of a rule set and of its patterns, which all rules see, by name.
func valuesOf(set *schematron.Ruleset) map[string]string {
	values := map[string]string{}
	addValues(values, set.Lets)
	for _, pattern := range set.Patterns {
		addValues(values, pattern.Lets)
	}
	return values
}

func addValues(values map[string]string, lets []schematron.Let) {
	for _, l := range lets {
		values[l.Name] = plain(l.Value.Text)
	}
}

// plain is an expression with single spaces.
func plain(expression string) string { return strings.Join(strings.Fields(expression), " ") }

// reference is the form of variables in expressions.
var reference = regexp.MustCompile(`\$([\pL_][\pL\d._-]*)`)

// used lists the variables that an expression uses, those in their values included, in the order of their names.
func used(expression string, values map[string]string) string {
	found := map[string]string{}
	for open := []string{expression}; len(open) > 0; open = open[1:] {
		for _, m := range reference.FindAllStringSubmatch(open[0], -1) {
			value, known := values[m[1]]
			if _, done := found[m[1]]; known && !done {
				found[m[1]] = value
				open = append(open, value)
			}
		}
	}
	var b strings.Builder
	for _, name := range sortedKeys(found) {
		fmt.Fprintf(&b, "$%s is %s\n", name, found[name])
	}
	return b.String()
}

// changeOf says in words how a rule differs; empty where it does not.
func changeOf(old, now []judged) string {
	if len(old) != len(now) {
		return fmt.Sprintf("It has %d conditions instead of %d.", len(now), len(old))
	}
	var words []string
	for i := range old {
		for _, sentence := range sentences(&old[i], &now[i]) {
			if !slices.Contains(words, sentence) {
				words = append(words, sentence)
			}
		}
	}
	return strings.Join(words, " ")
}

// levelNames are the words for levels.
var levelNames = map[finding.Severity]string{finding.Fatal: "fatal", finding.Warning: "a warning", finding.Information: "an information"}

func sentences(old, now *judged) []string {
	var words []string
	if old.level != now.level {
		words = append(words, fmt.Sprintf("It is %s instead of %s.", levelNames[now.level], levelNames[old.level]))
	}
	if old.context != now.context {
		words = append(words, "It judges other elements: "+instead(old.context, now.context))
	}
	if old.test != now.test {
		words = append(words, conditionChange("Its condition", old.test, now.test))
	}
	if old.variables != now.variables {
		words = append(words, conditionChange("What its condition uses", old.variables, now.variables))
	}
	return words
}

// conditionChange says which codes of a condition are new or gone, where that is all that differs, and else where it differs.
func conditionChange(subject, old, now string) string {
	oldFrame, oldCodes := codesOf(old)
	nowFrame, nowCodes := codesOf(now)
	added, removed := without(nowCodes, oldCodes), without(oldCodes, nowCodes)
	if oldFrame != nowFrame || len(added)+len(removed) == 0 {
		return subject + " is another one: " + instead(old, now)
	}
	var words []string
	if len(added) > 0 {
		words = append(words, "with "+strings.Join(added, ", "))
	}
	if len(removed) > 0 {
		words = append(words, "without "+strings.Join(removed, ", "))
	}
	return subject + " has other codes: " + strings.Join(words, ", and ") + "."
}

// literal is the form of texts in expressions.
var literal = regexp.MustCompile(`'[^']*'|"[^"]*"`)

// codesOf gives an expression without its texts, of which several in a row are one, and the codes in these texts.
func codesOf(expression string) (frame string, codes []string) {
	frame = literal.ReplaceAllStringFunc(expression, func(text string) string {
		codes = append(codes, strings.FieldsFunc(text[1:len(text)-1], func(r rune) bool { return r == ' ' || r == '|' || r == ',' })...)
		return "''"
	})
	for before := ""; before != frame; {
		before, frame = frame, strings.ReplaceAll(frame, "'', ''", "''")
	}
	return strings.ReplaceAll(frame, "'',''", "''"), codes
}

// without gives the texts that another list does not have, each once.
func without(list, other []string) []string {
	var rest []string
	for _, text := range list {
		if !slices.Contains(other, text) && !slices.Contains(rest, text) {
			rest = append(rest, text)
		}
	}
	return rest
}

// instead shows where two expressions differ: the words between those that begin and end both.
func instead(old, now string) string {
	a, b := strings.Fields(old), strings.Fields(now)
	begin := 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < min(len(a), len(b))-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return fmt.Sprintf("%s instead of %s.", excerpt(b, begin, end), excerpt(a, begin, end))
}

// The most that an excerpt of an expression has, and how many words it has around a difference.
const (
	excerptBytes = 300
	wordsAround  = 3
)

// excerpt gives the words but the first and the last ones, with a few around them.
func excerpt(words []string, begin, end int) string {
	from, to := max(0, begin-wordsAround), min(len(words), len(words)-end+wordsAround)
	text := strings.Join(words[from:to], " ")
	if len(text) > excerptBytes {
		text = strings.ToValidUTF8(text[:excerptBytes], "") + " …"
	}
	if from > 0 {
		text = "… " + text
	}
	if to < len(words) {
		text += " …"
	}
	return "`" + text + "`"
}
