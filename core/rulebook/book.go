package rulebook

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// Book is one loaded rulebook. It does not change and is safe for concurrent use; what it makes of its files is made when first
// asked for, and kept.
type Book struct {
	Manifest *rulebooks.Manifest
	Layer    string // name of the layer that it comes from
	Shipped  bool   // the layer is trusted: it comes with the program, and not from its operator
	Digest   string // SHA-256 of its manifest, which has those of its files
	files    *listed
	rules    lazy[[]*schematron.Ruleset]
	programs lazy[[]*schematron.Program]
	schemas  lazy[[]Schema]
	subjects lazy[map[string]Subject]
}

// Schema is an XML Schema of a rulebook, compiled.
type Schema struct {
	*xsd.Schema
	Root xmltree.Name // the document element that it is for. Default: any that it declares
}

// Name is id and version, id@version.
func (b *Book) Name() string { return b.Manifest.ID + "@" + b.Manifest.Version }

// FS gives the rulebook's files and nothing else. A file that is not what the manifest says cannot be read.
func (b *Book) FS() fs.FS { return b.files }

// Rulesets gives the Schematron rule sets in the order of the manifest. Errors have the reason LoadFailed.
func (b *Book) Rulesets() ([]*schematron.Ruleset, error) {
	return b.rules.get(b.readRules)
}

func (b *Book) readRules() ([]*schematron.Ruleset, error) {
	sets := make([]*schematron.Ruleset, 0, len(b.Manifest.Rules))
	for _, r := range b.Manifest.Rules {
		set, err := schematron.Read(b.files, r.File, schematron.Options{LastParameter: r.Parameters == "last"})
		if err != nil {
			return nil, &Error{Reason: LoadFailed, Book: b.Name(), Cause: err}
		}
		if _, _, err := set.Active(r.Phase); err != nil {
			return nil, &Error{Reason: LoadFailed, Book: b.Name(), Cause: fmt.Errorf("%s: %w", r.File, err)}
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// Programs gives the rule sets compiled, in the order of the manifest. Rules read code lists from the rulebook only. Errors are
// those of Rulesets.
func (b *Book) Programs() ([]*schematron.Program, error) {
	return b.programs.get(func() ([]*schematron.Program, error) {
		sets, err := b.Rulesets()
		if err != nil {
			return nil, err
		}
		programs := make([]*schematron.Program, len(sets))
		for i, set := range sets {
			opt := schematron.CompileOptions{Phase: b.Manifest.Rules[i].Phase}
			if programs[i], err = schematron.Compile(set, b.files, opt); err != nil {
				return nil, &Error{Reason: LoadFailed, Book: b.Name(), Cause: err}
			}
		}
		return programs, nil
	})
}

// Schemas gives the XML Schemas compiled, in the order of the manifest. Errors have the reason LoadFailed.
func (b *Book) Schemas() ([]Schema, error) {
	return b.schemas.get(func() ([]Schema, error) {
		schemas := make([]Schema, len(b.Manifest.Schemas))
		for i, entry := range b.Manifest.Schemas {
			schema, err := xsd.Compile(b.files, xsd.Options{}, entry.File)
			if err != nil {
				return nil, &Error{Reason: LoadFailed, Book: b.Name(), Cause: fmt.Errorf("compile %s: %w", entry.File, err)}
			}
			schemas[i] = Schema{schema, expandedName(entry.Root)}
		}
		return schemas, nil
	})
}

// adopt takes over what a rulebook with the same files has made of them.
func (b *Book) adopt(same *Book) {
	b.rules.adopt(&same.rules)
	b.programs.adopt(&same.programs)
	b.schemas.adopt(&same.schemas)
	b.subjects.adopt(&same.subjects)
}

// InForce tells whether the rulebook is in force on a day, YYYY-MM-DD.
func (b *Book) InForce(day string) bool {
	p := b.Manifest.Valid
	return (p.From == "" || p.From <= day) && (p.To == "" || day <= p.To)
}

// Level is the severity that the manifest gives a rule in place of the publisher's; ok is false where it gives none.
func (b *Book) Level(rule string) (level finding.Severity, ok bool) {
	level, ok = levels[b.Manifest.Levels[rule]]
	return level, ok
}

// Pending gives the warning phase in which a rule is on a day (YYYY-MM-DD), the first of the manifest that names the rule; nil
// when there is none or its date has come.
func (b *Book) Pending(rule, day string) *rulebooks.Pending {
	for i := range b.Manifest.EnforceFrom {
		if p := &b.Manifest.EnforceFrom[i]; slices.Contains(p.Rules, rule) {
			if day >= p.Date {
				return nil
			}
			return p
		}
	}
	return nil
}

// EnforcedFrom is the day (YYYY-MM-DD) before which a rule only warns; empty for rules without a warning phase.
func (b *Book) EnforcedFrom(rule string) string {
	if p := b.Pending(rule, ""); p != nil {
		return p.Date
	}
	return ""
}

// houseCode is the code of rules that have none of their own.
const houseCode = "SPEC_RULE_FAILED"

// HouseCode is the API's stable code for a rule.
func (b *Book) HouseCode(rule string) string {
	return cmp.Or(b.Manifest.HouseCodes[rule], houseCode)
}

// PublisherID is the id that the publisher's rules report where this rulebook reports rule.
func (b *Book) PublisherID(rule string) string {
	return cmp.Or(b.Manifest.StandsFor[rule], rule)
}

// expandedName reads {namespace}local.
func expandedName(s string) xmltree.Name {
	if space, local, ok := strings.Cut(strings.TrimPrefix(s, "{"), "}"); ok {
		return xmltree.Name{Space: space, Local: local}
	}
	return xmltree.Name{Local: s}
}

// lazy is a value that is made once, when first asked for. Who asks while it is made waits for it, so that requests which
// come together compile rules once.
type lazy[T any] struct {
	mu    sync.Mutex
	made  bool
	value T
	err   error
}

func (l *lazy[T]) get(create func() (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.made {
		l.value, l.err = create()
		l.made = true
	}
	return l.value, l.err
}

// isMade tells whether the value is there.
func (l *lazy[T]) isMade() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.made && l.err == nil
}

// adopt takes over the value of another if that has been made well.
func (l *lazy[T]) adopt(other *lazy[T]) {
	other.mu.Lock()
	defer other.mu.Unlock()
	if other.made && other.err == nil {
		l.value, l.made = other.value, true
	}
}
