package rulebook

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// Generation is a set of rulebooks that fit together. It does not change.
type Generation struct {
	Number int64   // under which it was put in use, from 1; a Registry counts its loads unless it is told a number
	Digest string  // the same for the same rulebooks, in every process
	books  []*Book // by id, and then by version, the oldest first
	byID   map[string][]*Book
	bound  map[xmltree.Name][]bound // by document element, in the order of books
}

// bound is a binding of a rulebook.
type bound struct {
	book *Book
	*rulebooks.Binding
}

// newGeneration sorts the rulebooks and checks that each finds those that it comes after.
func newGeneration(books []*Book) (*Generation, error) {
	slices.SortFunc(books, func(a, b *Book) int {
		return cmp.Or(strings.Compare(a.Manifest.ID, b.Manifest.ID), CompareVersions(a.Manifest.Version, b.Manifest.Version))
	})
	g := &Generation{books: books, Digest: digest(books), byID: map[string][]*Book{}, bound: map[xmltree.Name][]bound{}}
	for _, b := range books {
		g.byID[b.Manifest.ID] = append(g.byID[b.Manifest.ID], b)
		for i := range b.Manifest.Bindings {
			binding := &b.Manifest.Bindings[i]
			root := RootOf(binding)
			g.bound[root] = append(g.bound[root], bound{b, binding})
		}
	}
	return g, g.check()
}

// check tells of bindings that come after rulebooks that are not there.
func (g *Generation) check() error {
	for _, b := range g.books {
		for _, binding := range b.Manifest.Bindings {
			for _, other := range binding.After {
				if !g.has(other) {
					return refuse(LoadFailed, b.Name(), "binding %q comes after %s: expected a rulebook that is there", binding.Name, other)
				}
			}
		}
	}
	return nil
}

func (g *Generation) has(name string) bool {
	id, version, pinned := strings.Cut(name, "@")
	return slices.ContainsFunc(g.byID[id], func(b *Book) bool { return !pinned || b.Manifest.Version == version })
}

// Books lists the rulebooks by id and version.
func (g *Generation) Books() []*Book { return slices.Clone(g.books) }

// Find gives the rulebook with an id: that version, or where none is asked for the one in force on a day (YYYY-MM-DD). Of
// several in force the one that began last counts, of those the highest version; one without a beginning stands where its version
// does. The error has the reason Missing.
func (g *Generation) Find(id, version, day string) (*Book, error) {
	if version == "" {
		if b := g.inForce(id, day); b != nil {
			return b, nil
		}
	}
	var versions, periods []string
	for _, b := range g.byID[id] {
		if b.Manifest.Version == version {
			return b, nil
		}
		versions, periods = append(versions, b.Manifest.Version), append(periods, b.Manifest.Version+b.period())
	}
	switch {
	case len(versions) == 0:
		return nil, refuse(Missing, id, "is not there")
	case version != "":
		return nil, refuse(Missing, id, "has no version %s: there are %s", version, strings.Join(versions, ", "))
	}
	return nil, refuse(Missing, id, "is not in force on %s: there are %s", day, strings.Join(periods, ", "))
}

// Latest gives the rulebook with an id: that version, or where none is asked for the highest one. The error has the reason Missing.
func (g *Generation) Latest(id, version string) (*Book, error) {
	if versions := g.byID[id]; version == "" && len(versions) > 0 {
		return versions[len(versions)-1], nil
	}
	return g.Find(id, version, "")
}

// period says from when to when a rulebook is in force, for people; empty for always.
func (b *Book) period() string {
	var text string
	if from := b.Manifest.Valid.From; from != "" {
		text += " from " + from
	}
	if to := b.Manifest.Valid.To; to != "" {
		text += " until " + to
	}
	return text
}

// inForce gives the version of a rulebook that counts on a day, nil where there is none.
func (g *Generation) inForce(id, day string) (best *Book) {
	for _, b := range g.byID[id] {
		if b.InForce(day) && (best == nil || b.replaces(best)) {
			best = b
		}
	}
	return best
}

// replaces tells whether of two versions in force, of which older is the lower one, b counts.
func (b *Book) replaces(older *Book) bool {
	from, since := b.Manifest.Valid.From, older.Manifest.Valid.From
	return from == "" || since == "" || from >= since
}

// Plan says what judges a kind of document: the rulebooks in their order, and the levels that differ.
type Plan struct {
	Binding *rulebooks.Binding
	Books   []*Book
	Next    []Announced // rulebooks that will judge such documents and are announced; by their days
}

// Level is the severity of a rule of one of the plan's rulebooks, where it is not the publisher's: that of the binding, else
// that of the rulebook. ok is false where neither gives one.
func (p *Plan) Level(b *Book, rule string) (level finding.Severity, ok bool) {
	if level, ok = levels[p.Binding.Levels[rule]]; ok {
		return level, true
	}
	return b.Level(rule)
}

// Kind is a kind of document.
type Kind struct {
	Root          xmltree.Name // document element
	Specification string       // specification identifier (BT-24); empty where there is none
	Process       string       // business process (BT-23); empty where there is none
	Format        string       // of the API that it is judged as, token-version (zugferd-2.4); empty where none is asked for
}

// Plan gives what judges a kind of document on a day. A binding that names the specification counts before one that names its
// beginning, and that before one for any; of those one that names the business process before one that does not, of those one that
// names the format; of several the first by the id of its rulebook counts. Errors have the reason NotBound, or Missing where there are
// rulebooks for such documents and none of them, or one of the plan, is not in force.
func (g *Generation) Plan(kind Kind, day string) (*Plan, error) {
	plan, err := g.planOn(kind, day)
	if err == nil {
		plan.Next = g.announced(kind, plan, day)
	}
	return plan, err
}

// planOn gives the plan without what is announced.
func (g *Generation) planOn(kind Kind, day string) (*Plan, error) {
	best, other := g.bestBound(kind, day)
	switch {
	case best.book == nil && other != nil:
		_, err := g.Find(other.Manifest.ID, "", day)
		return nil, err
	case best.book == nil:
		return nil, refuse(NotBound, "", "no rulebook is for documents {%s}%s with specification %q on %s", kind.Root.Space, kind.Root.Local, kind.Specification, day)
	}
	plan := &Plan{Binding: best.Binding}
	for _, other := range best.After {
		id, version, _ := strings.Cut(other, "@")
		b, err := g.Find(id, version, day)
		if err != nil {
			return nil, fmt.Errorf("bind %s: %w", best.Name, err)
		}
		plan.Books = append(plan.Books, b)
	}
	plan.Books = append(plan.Books, best.book)
	return plan, nil
}

// bestBound gives the binding that counts for a kind on a day, and a rulebook for such documents of which no version is in force then.
func (g *Generation) bestBound(kind Kind, day string) (best bound, other *Book) {
	for _, b := range g.bound[kind.Root] {
		if !kind.fits(b.Binding) {
			continue
		}
		inForce := g.inForce(b.book.Manifest.ID, day)
		switch {
		case inForce == b.book && (best.book == nil || closeness(b.Binding) > closeness(best.Binding)):
			best = b
		case inForce == nil:
			other = b.book
		}
	}
	return best, other
}

// RootOf is the document element of a binding.
func RootOf(b *rulebooks.Binding) xmltree.Name { return expandedName(b.Root) }

// fits tells whether a binding is for the kind, apart from the document element.
func (k *Kind) fits(b *rulebooks.Binding) bool {
	return specified(b.Specification, k.Specification) && (len(b.Processes) == 0 || slices.Contains(b.Processes, k.Process)) &&
		(len(b.Formats) == 0 || slices.Contains(b.Formats, k.Format))
}

// specified tells whether the specification of a binding, which may end with a star, is the identifier of a document.
func specified(want, identifier string) bool {
	if begin, open := strings.CutSuffix(want, "*"); open {
		return strings.HasPrefix(identifier, begin)
	}
	return want == "" || want == identifier
}

// closeness is the higher, the more a binding says of its documents. The powers of two keep the questions apart: the
// specification decides before the process, and that before the format.
func closeness(b *rulebooks.Binding) int {
	c := 0
	switch {
	case strings.HasSuffix(b.Specification, "*"):
		c += 4
	case b.Specification != "":
		c += 8
	}
	if len(b.Processes) > 0 {
		c += 2
	}
	if len(b.Formats) > 0 {
		c++
	}
	return c
}

// CompareVersions orders versions: numbers in them by their value, the rest by its letters. 1.9 is before 1.10, 1.0 before
// 1.0.1.
func CompareVersions(a, b string) int {
	for a != "" && b != "" {
		x, y := leading(a), leading(b)
		a, b = a[len(x):], b[len(y):]
		if c := comparePieces(x, y); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// leading gives the digits that s begins with, or everything before the first digit.
func leading(s string) string {
	digits := isDigit(s[0])
	for i := range len(s) {
		if isDigit(s[i]) != digits {
			return s[:i]
		}
	}
	return s
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func comparePieces(x, y string) int {
	if isDigit(x[0]) && isDigit(y[0]) {
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
	}
	return strings.Compare(x, y)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
