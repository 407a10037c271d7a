package rulebook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// Subject is what a rule is about; rulebooks.Subjects tells the forms. The zero value is a rule of which nothing is known.
type Subject struct {
	Member string   // of the invoice, as the contract names it
	Terms  []string // business terms, with signs
	Named  []string // business terms and groups that its text names
}

// Subject gives what a rule is about, by the key of its assertion.
func (b *Book) Subject(rule string) Subject {
	subjects, err := b.subjects.get(b.readSubjects)
	if err != nil { // of a rulebook that was not checked when it was loaded
		return Subject{}
	}
	return subjects[rule]
}

// readSubjects reads the files of the manifest; where none of them says what texts name, the texts themselves tell.
func (b *Book) readSubjects() (map[string]Subject, error) {
	all, named := map[string]Subject{}, false
	for _, name := range b.Manifest.Subjects {
		data, err := b.files.ReadFile(name)
		if err != nil {
			return nil, &Error{Reason: LoadFailed, Book: b.Name(), Cause: err}
		}
		subjects, err := decodeSubjects(data)
		if err != nil {
			return nil, &Error{Reason: LoadFailed, Book: b.Name(), Cause: fmt.Errorf("%s: %w", name, err)}
		}
		addSubjects(all, subjects)
		named = named || subjects.Named != nil
	}
	if named {
		return all, nil
	}
	sets, err := b.Rulesets()
	addSubjects(all, &rulebooks.Subjects{Named: namedIn(sets)})
	return all, err
}

// explicitSubjects gives the members and terms of all files in the form of one; nil where there are none. What texts name is left out:
// those of other texts name something else.
func (b *Book) explicitSubjects() ([]byte, error) {
	subjects, err := b.subjects.get(b.readSubjects)
	if err != nil {
		return nil, err
	}
	all := rulebooks.Subjects{Members: map[string]string{}, Terms: map[string]string{}}
	for rule, of := range subjects {
		if of.Member != "" {
			all.Members[rule] = of.Member
		}
		if len(of.Terms) > 0 {
			all.Terms[rule] = strings.Join(of.Terms, " ")
		}
	}
	if len(all.Members)+len(all.Terms) == 0 {
		return nil, nil
	}
	return yaml.Marshal(&all)
}

// decodeSubjects reads a file of subjects strictly.
func decodeSubjects(data []byte) (*rulebooks.Subjects, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	subjects := &rulebooks.Subjects{}
	if err := decoder.Decode(subjects); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return subjects, nil
}

// addSubjects adds what is not there yet.
func addSubjects(all map[string]Subject, more *rulebooks.Subjects) {
	each := func(table map[string]string, add func(of *Subject, text string)) {
		for rules, text := range table {
			for rule := range strings.FieldsSeq(rules) {
				of := all[rule]
				add(&of, text)
				all[rule] = of
			}
		}
	}
	each(more.Members, func(of *Subject, text string) {
		if of.Member == "" {
			of.Member = text
		}
	})
	each(more.Terms, func(of *Subject, text string) {
		if of.Terms == nil {
			of.Terms = strings.Fields(text)
		}
	})
	each(more.Named, func(of *Subject, text string) {
		if of.Named == nil {
			of.Named = strings.Fields(text)
		}
	})
}

// namedIn gives the business terms that the texts of rules name, by the keys of their assertions.
func namedIn(sets []*schematron.Ruleset) map[string]string {
	named := map[string]string{}
	for a := range assertions(sets) {
		if terms := rulebooks.TermsIn(TextOf(a)); named[a.Key] == "" && len(terms) > 0 {
			named[a.Key] = strings.Join(terms, " ")
		}
	}
	return named
}
