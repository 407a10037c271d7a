package model

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

func patterns(t *testing.T) map[string]*sch.Pattern {
	t.Helper()
	rules, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]*sch.Pattern{}
	for _, name := range books {
		if made[name], err = patternOf(rules, name); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

// TestPatterns_AreWhole ensures that each id stands once in each pattern, that nothing is left of the notation of the texts, and
// that the VAT categories have the same rules in both syntaxes.
func TestPatterns_AreWhole(t *testing.T) {
	notation, family := regexp.MustCompile(`@(arg|code|name)|\$B[TG]-|total\(|found\(`), regexp.MustCompile(`^BR-(S|Z|E|AE|IC|G|O|AF|AG|B)-\d\d$`)
	categories := map[string]map[string]bool{}
	for name, p := range patterns(t) {
		seen := map[string]bool{}
		categories[name] = map[string]bool{}
		for _, rule := range p.Rules {
			if notation.MatchString(rule.Context + rule.Comment) {
				t.Errorf("%s: %s", name, rule.Context)
			}
			for _, a := range rule.Assertions {
				if seen[a.ID] || notation.MatchString(a.Test+a.Text) || a.Flag != "fatal" && a.ID != "BR-51" {
					t.Errorf("%s: %+v", name, a)
				}
				seen[a.ID] = true
				if family.MatchString(a.ID) {
					categories[name][a.ID] = true
				}
			}
		}
	}
	if diff := cmp.Diff(categories["ubl.txt"], categories["cii.txt"]); diff != "" {
		t.Error(diff)
	}
}

// TestRules_AreAllUsed ensures that rules.txt and terms.txt hold nothing that no syntax has.
func TestRules_AreAllUsed(t *testing.T) {
	rules, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range patterns(t) {
		all.Write(p.Bytes(""))
	}
	for id, name := range rules.names {
		if !strings.Contains(all.String(), id+" ("+name+")") && !strings.Contains(all.String(), "category "+id+" ("+name+")") {
			t.Errorf("nothing names %s %s", id, name)
		}
	}
	for key, r := range rules.byKey {
		if strings.HasPrefix(key, "BR-") && !strings.Contains(all.String(), `id="`+key+`"`) {
			t.Errorf("no syntax has %s: %s", key, r.text)
		}
	}
}

// TestExpand ensures what stands for terms, definitions, categories and the two functions of messages.
func TestExpand(t *testing.T) {
	x := &expander{
		rules:    &rulebook{names: map[string]string{"BT-1": "number", "S": "standard rated"}, defines: map[string]string{"list": "A B"}},
		layout:   &layout{defines: map[string]string{"VAT": "[x = 'VAT']", "of": "outer"}},
		place:    &place{defines: map[string]string{"BT-1": "cbc:ID", "BT-1-date": "cbc:Date", "of": "[y = '@code']", "deep": "$BT-1$of$VAT"}},
		category: &category{code: "S"}, arg: "BT-1",
	}
	for in, want := range map[string]string{
		"$BT-1 = $BT-1-date":      "cbc:ID = cbc:Date",
		"$deep/z":                 "cbc:ID[y = 'S'][x = 'VAT']/z",
		"every $v in $@arg":       "every $v in cbc:ID",
		"contains(' $list ', .)":  "contains(' A B ', .)",
		"total(f($BT-1)) - 1":     "sum(f(cbc:ID)[. castable as xs:decimal]/xs:decimal(.)) - 1",
		"1 + found($BT-1)":        "1 + (if (exists(cbc:ID)) then cbc:ID else 'missing')",
		"$BT-1 - total($BT-1[1])": "cbc:ID - sum(cbc:ID[1][. castable as xs:decimal]/xs:decimal(.))",
	} {
		if got := x.expand(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	if got, want := x.message("[BT-1] of @code (@name) is {$BT-1[1]}."), "BT-1 (number) of S (standard rated) is {cbc:ID[1]}."; got != want || x.err != nil {
		t.Errorf("got %s, want %s: %v", got, want, x.err)
	}
}

// TestExpand_Faults ensures that what is not defined is no part of a rule.
func TestExpand_Faults(t *testing.T) {
	for in, want := range map[string]string{"$BT-2": "BT-2 has no place", "$again": "in circles"} {
		x := &expander{rules: &rulebook{}, layout: &layout{}, place: &place{defines: map[string]string{"again": "1 + $again"}}}
		if x.expand(in); x.err == nil || !strings.Contains(x.err.Error(), want) {
			t.Errorf("%s: %v", in, x.err)
		}
	}
	x := &expander{rules: &rulebook{}}
	if x.message("[BT-9] is missing."); x.err == nil {
		t.Error("a term without a name")
	}
}

// TestAddRule_Faults ensures that a rule without condition, message or place of its terms is refused.
func TestAddRule_Faults(t *testing.T) {
	rules := &rulebook{byKey: map[string]rule{"BR-1": {text: "no condition"}, "BR-2": {test: "no message"}, "BR-3": {"$BT-1", "text"}, "-01 v": {"$BT-1", "text"}}}
	for _, id := range []string{"BR-1", "BR-2", "BR-3", "BR-4", "-01", "-02"} {
		l := &layout{categories: []category{{family: "S", code: "S", columns: map[string]string{"used": "v"}}}}
		at := &place{name: "here", rules: []reference{{id, "fatal"}}}
		if err := addRule(&sch.Pattern{}, rules, l, at, nil); err == nil || !strings.Contains(err.Error(), "place here") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestLayout_Faults ensures that lines which mean nothing are refused.
func TestLayout_Faults(t *testing.T) {
	l := &layout{groups: map[string]*place{}}
	for _, line := range []string{"nothing of the kind", "with nothing"} {
		word, rest, _ := strings.Cut(line, " ")
		if err := l.inner(&place{name: "here"}, word, rest); err == nil {
			t.Errorf("%q is accepted", line)
		}
	}
}
