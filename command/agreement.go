package command

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
)

// subject is what has an official verdict: a rule set or a schema.
type subject struct {
	Ruleset string `json:"ruleset,omitzero"`
	Schema  string `json:"schema,omitzero"`
}

// String gives the name; schemas may have that of a rule set.
func (s subject) String() string {
	if s.Schema != "" {
		return "xsd:" + s.Schema
	}
	return s.Ruleset
}

func (s subject) compare(other subject) int {
	return cmp.Or(strings.Compare(s.Ruleset, other.Ruleset), strings.Compare(s.Schema, other.Schema))
}

// agreement compares the verdicts on many documents.
type agreement struct {
	official  *validate.Official
	documents fs.FS
	parser    *xmltree.Parser
	now       time.Time
	tallies   map[subject]*agreementTally
}

// agreementTally is how often a rule set or schema agrees.
type agreementTally struct {
	book             *rulebook.Book // nil when it is not loaded
	set              *validate.Set  // the rules alone, or the schemas alone
	missing          string         // why it is not loaded
	documents, equal int
}

func newAgreement(official *validate.Official, books *rulebook.Generation, documents fs.FS, now time.Time) (*agreement, error) {
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return nil, err
	}
	a := &agreement{official, documents, parser, now, map[subject]*agreementTally{}}
	for _, file := range official.Files {
		for name := range file.Rules {
			if of := (subject{Ruleset: name}); a.tallies[of] == nil {
				a.tallies[of] = a.rules(books, name)
			}
		}
	}
	for _, name := range a.schemas() {
		if t := a.schema(books, name); t != nil {
			a.tallies[subject{Schema: name}] = t
		}
	}
	return a, nil
}

// rules finds the rulebook of a rule set: the version that the official processors ran, else the one in force.
func (a *agreement) rules(books *rulebook.Generation, name string) *agreementTally {
	day := a.now.UTC().Format(time.DateOnly)
	version := a.official.Rulesets[name].Version
	book, err := books.Find(name, version, day)
	if err != nil && version != "" {
		book, err = books.Find(name, "", day)
	}
	var set *validate.Set
	if err == nil {
		set, err = validate.OfBook(book)
	}
	if err != nil {
		return &agreementTally{missing: err.Error()}
	}
	return &agreementTally{book: book, set: &validate.Set{Rules: set.Rules}}
}

// schemas lists the schemas that have verdicts.
func (a *agreement) schemas() []string {
	names := map[string]bool{}
	for _, file := range a.official.Files {
		for name := range file.XSD {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// schema finds the rulebook of that name with a schema; nil when there is none.
func (a *agreement) schema(books *rulebook.Generation, name string) *agreementTally {
	book, err := books.Find(name, "", a.now.UTC().Format(time.DateOnly))
	if err != nil || len(book.Manifest.Schemas) == 0 {
		return nil
	}
	set, err := validate.OfBook(book)
	if err != nil {
		return &agreementTally{missing: err.Error()}
	}
	return &agreementTally{book: book, set: &validate.Set{Schemas: set.Schemas}}
}

// notCompared lists the schemas that have verdicts and no rulebook.
func (a *agreement) notCompared() []string {
	return slices.DeleteFunc(a.schemas(), func(name string) bool { return a.tallies[subject{Schema: name}] != nil })
}

// version is that of the rulebook.
func (t *agreementTally) version() string {
	if t.book == nil {
		return ""
	}
	return t.book.Manifest.Version
}

// comparison is what came of one document: where the verdicts differ, with nothing where they agree.
type comparison struct {
	file        string
	differences map[subject][]string
}

// compareAll goes through the documents in their order.
func (a *agreement) compareAll(ctx context.Context, m *Main, report func(comparison) error) error {
	return withProgress(ctx, m, a.official.Names(), a.compare, func(c comparison) error {
		for of, differences := range c.differences {
			a.tallies[of].documents++
			if len(differences) == 0 {
				a.tallies[of].equal++
			}
		}
		return report(c)
	})
}

// compare judges one document by everything that has a verdict on it.
func (a *agreement) compare(ctx context.Context, file string) comparison {
	c := comparison{file, map[subject][]string{}}
	reading := a.read(file)
	compare := func(of subject, differences func(*validate.Verdict) []string) {
		if ours, err := reading.judge(ctx, a.tallies[of], a.now); err != nil {
			c.differences[of] = []string{err.Error()}
		} else {
			c.differences[of] = differences(ours)
		}
	}
	for name, official := range a.official.Files[file].Rules {
		compare(subject{Ruleset: name}, official.Differences)
	}
	for name, official := range a.official.Files[file].XSD {
		if of := (subject{Schema: name}); a.tallies[of] != nil {
			compare(of, func(ours *validate.Verdict) []string { return official.Differences(ours.XSD) })
		}
	}
	if reading.document != nil {
		reading.document.Release()
	}
	return c
}

// reading is a document, or why there is none.
type reading struct {
	document *xmltree.Document
	refused  error // by the parser
	err      error // of the folder
}

// read reads a document of the folder, or of the folder in it that has the name of the set.
func (a *agreement) read(file string) reading {
	source, err := fs.ReadFile(a.documents, file)
	if errors.Is(err, fs.ErrNotExist) && fs.ValidPath(a.official.Set) {
		if below, err := fs.ReadFile(a.documents, path.Join(a.official.Set, file)); err == nil {
			return a.parse(below)
		}
	}
	if err != nil {
		return reading{err: err}
	}
	return a.parse(source)
}

func (a *agreement) parse(source []byte) reading {
	document, err := a.parser.Parse(source)
	return reading{document: document, refused: err}
}

// errNotLoaded is the difference of a rule set that no rulebook has.
var errNotLoaded = errors.New("not loaded")

// judge gives the verdict of a rule set or schema, with the ids that the publisher's rules report.
func (r reading) judge(ctx context.Context, t *agreementTally, now time.Time) (*validate.Verdict, error) {
	switch {
	case t.set == nil:
		return nil, errNotLoaded
	case r.err != nil:
		return nil, r.err
	case r.refused != nil:
		return t.set.Unread(r.refused), nil
	}
	v, err := t.set.Document(ctx, r.document, now)
	if err != nil {
		return nil, err
	}
	for i := range v.Schematron {
		v.Schematron[i].ID = t.book.PublisherID(v.Schematron[i].ID)
	}
	return v, nil
}
