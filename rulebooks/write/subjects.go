package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// subjectsFile has what the rules of a book name in their texts.
const subjectsFile = "subjects.yaml"

// sharedSubjects is the folder of the files that say what rules are about where their texts do not tell.
const sharedSubjects = rulebooks.SharedFolder + "/subjects"

// ruleText is a rule and its text.
type ruleText struct{ id, text string }

// rulesIn lists the rules in the Schematron files of a book. No rulebook that ships has abstract patterns, so each stands there once
// for each that is judged.
func rulesIn(books fs.FS, folder string, files []string) ([]ruleText, error) {
	var rules []ruleText
	for _, name := range files {
		if path.Ext(name) != ".sch" {
			continue
		}
		data, err := fs.ReadFile(books, folder+"/"+name)
		if err != nil {
			return nil, err
		}
		more, err := rulesOf(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rules = append(rules, more...)
	}
	return rules, nil
}

// rulesOf lists the rules of one Schematron file.
func rulesOf(data []byte) ([]ruleText, error) {
	var rules []ruleText
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return rules, nil
		}
		if err != nil {
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "assert" && start.Name.Local != "report" {
			continue
		}
		var assertion struct {
			ID   string `xml:"id,attr"`
			Text string `xml:",chardata"`
		}
		if err := d.DecodeElement(&assertion, &start); err != nil {
			return nil, err
		}
		rules = append(rules, ruleText{assertion.ID, assertion.Text})
	}
}

// countOf is how many ids rules have.
func countOf(rules []ruleText) int {
	ids := map[string]bool{}
	for _, rule := range rules {
		ids[rule.id] = true
	}
	return len(ids)
}

// subjectsOf gives the content of subjectsFile: what the texts name by rule; of several texts of a rule the first that names
// something. It is empty where none does.
func subjectsOf(rules []ruleText) []byte {
	named := map[string][]string{}
	for _, rule := range rules {
		if terms := rulebooks.TermsIn(rule.text); len(named[rule.id]) == 0 && len(terms) > 0 {
			named[rule.id] = terms
		}
	}
	if len(named) == 0 {
		return nil
	}
	text := []byte("# Made by rulebooks/write: the business terms that the texts of the rules name\nnamed:\n")
	for _, id := range slices.Sorted(maps.Keys(named)) {
		text = fmt.Appendf(text, "  %s: %s\n", id, strings.Join(named[id], " "))
	}
	return text
}

// sharedSubjectsOf lists the shared files that have something on one of the rules.
func sharedSubjectsOf(fsys fs.FS, rules []ruleText) ([]string, error) {
	files, err := fs.Glob(fsys, sharedSubjects+"/*.yaml")
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, rule := range rules {
		known[rule.id] = true
	}
	var used []string
	for _, name := range files {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		subjects := rulebooks.Subjects{}
		if err := yaml.Unmarshal(data, &subjects); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for ids := range concerned(subjects) {
			if slices.ContainsFunc(strings.Fields(ids), func(id string) bool { return known[id] }) {
				used = append(used, name)
				break
			}
		}
	}
	return used, nil
}

// concerned gives the keys of all tables.
func concerned(s rulebooks.Subjects) map[string]string {
	all := maps.Clone(s.Named)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, s.Terms)
	maps.Copy(all, s.Members)
	return all
}
