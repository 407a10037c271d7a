package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"einvoiced/core/judge"
	"einvoiced/core/rulebook"
	"einvoiced/core/xmltree"
)

// rulebooksAgree is einvoiced rulebooks agree.
type rulebooksAgree struct {
	Folder   string `arg:"" name:"docdir" help:"Folder of the documents."`
	Verdicts string `required:"" placeholder:"FILE" help:"Verdicts of the official processors on the documents."`
	Diff     bool   `help:"Print each difference."`
	JSON     bool   `name:"json" help:"Print lines of JSON."`
	rulebooksFlag
	clockFlag
}

// Run compares the verdicts of the loaded rulebooks with the official ones, on all cores.
func (c *rulebooksAgree) Run(m *Main, ctx context.Context) error {
	official, err := c.official(m)
	if err != nil {
		return err
	}
	documents, err := os.OpenRoot(c.Folder)
	if err != nil {
		return &failure{code: exitUsage, cause: fmt.Errorf("open documents: %w", err), hint: "name the folder that holds the documents of the verdicts"}
	}
	defer documents.Close()
	books, closer, err := c.load(ctx)
	if err != nil {
		return err
	}
	defer closer()
	a, err := newAgreement(official, books, documents.FS(), c.time())
	if err != nil {
		return err
	}
	if err := a.compareAll(ctx, m, c.reporter(m)); err != nil {
		return err
	}
	return c.report(m, a)
}

func (c *rulebooksAgree) official(m *Main) (*judge.Official, error) {
	data, err := m.read(c.Verdicts)
	if err != nil {
		return nil, err
	}
	official, err := judge.ReadOfficial(data)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: fmt.Errorf("%s: %w", c.Verdicts, err), hint: "--verdicts names a file with the verdicts of rule sets on a folder of documents"}
	}
	return official, nil
}

// agreement compares the verdicts on many documents.
type agreement struct {
	official  *judge.Official
	documents fs.FS
	parser    *xmltree.Parser
	now       time.Time
	tallies   map[string]*setTally // by the name of the rule set
}

// setTally is how often a rule set agrees.
type setTally struct {
	set              *judge.Set // nil when it is not loaded
	missing          string     // why it is not
	version          string
	documents, equal int
}

func newAgreement(official *judge.Official, books *rulebook.Generation, documents fs.FS, now time.Time) (*agreement, error) {
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return nil, err
	}
	a := &agreement{official, documents, parser, now, map[string]*setTally{}}
	for name, set := range official.Rulesets {
		a.tallies[name] = newSetTally(books, name, set.Version, now)
	}
	for _, file := range official.Files {
		for name := range file.Rules {
			if a.tallies[name] == nil {
				a.tallies[name] = newSetTally(books, name, "", now)
			}
			a.tallies[name].documents++
		}
	}
	return a, nil
}

// newSetTally finds the rulebook of a rule set: the version that the official processors ran, else the one in force.
func newSetTally(books *rulebook.Generation, name, version string, now time.Time) *setTally {
	day := now.UTC().Format(time.DateOnly)
	book, err := books.Find(name, version, day)
	if err != nil && version != "" {
		book, err = books.Find(name, "", day)
	}
	var set *judge.Set
	if err == nil {
		set, err = judge.OfBook(book)
	}
	if err != nil {
		return &setTally{missing: err.Error()}
	}
	return &setTally{set: set, version: book.Manifest.Version}
}

// comparison is what came of one document: for each rule set where the verdicts differ, nothing where they agree.
type comparison struct {
	file        string
	differences map[string][]string
}

// compareAll goes through the documents in their order.
func (a *agreement) compareAll(ctx context.Context, m *Main, report func(comparison) error) error {
	names := a.official.Names()
	bar := newProgress(m, len(names))
	defer bar.finish()
	return inOrder(ctx, workers(), names, a.compare, func(c comparison) error {
		bar.step()
		for name := range a.official.Files[c.file].Rules {
			if len(c.differences[name]) == 0 {
				a.tallies[name].equal++
			}
		}
		return report(c)
	})
}

// compare judges one document by all rule sets that have a verdict on it.
func (a *agreement) compare(ctx context.Context, file string) comparison {
	c := comparison{file, map[string][]string{}}
	source, err := a.read(file)
	if err != nil {
		return a.failed(c, err)
	}
	doc, unread := a.parser.Parse(source)
	for name, official := range a.official.Files[file].Rules {
		ours := a.judge(ctx, a.tallies[name].set, doc, unread)
		if ours.err != nil {
			c.differences[name] = []string{ours.err.Error()}
			continue
		}
		c.differences[name] = official.Differences(ours.verdict)
	}
	if unread == nil {
		doc.Release()
	}
	return c
}

// failed is the comparison of a document that is not there.
func (a *agreement) failed(c comparison, err error) comparison {
	for name := range a.official.Files[c.file].Rules {
		c.differences[name] = []string{err.Error()}
	}
	return c
}

// judge gives the verdict of a rule set; unread is why there is no document.
func (a *agreement) judge(ctx context.Context, set *judge.Set, doc *xmltree.Document, unread error) judged {
	switch {
	case set == nil:
		return judged{err: errors.New("not loaded")}
	case unread != nil:
		return judged{verdict: judge.Unread(unread)}
	}
	v, err := set.Document(ctx, doc, a.now)
	return judged{verdict: v, err: err}
}

// read reads a document of the folder, or of the folder in it that has the name of the set.
func (a *agreement) read(file string) ([]byte, error) {
	source, err := fs.ReadFile(a.documents, file)
	if errors.Is(err, fs.ErrNotExist) && fs.ValidPath(a.official.Set) {
		if below, err := fs.ReadFile(a.documents, path.Join(a.official.Set, file)); err == nil {
			return below, nil
		}
	}
	return source, err
}

// reporter gives what prints the differences of a document.
func (c *rulebooksAgree) reporter(m *Main) func(comparison) error {
	return func(of comparison) error {
		if !c.Diff {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(of.differences)) {
			for _, difference := range of.differences[name] {
				if err := c.printDifference(m, of.file, name, difference); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (c *rulebooksAgree) printDifference(m *Main, file, ruleset, difference string) error {
	if c.JSON {
		return printJSON(m.Stdout, struct {
			File       string `json:"file"`
			Ruleset    string `json:"ruleset"`
			Difference string `json:"difference"`
		}{file, ruleset, difference})
	}
	_, err := fmt.Fprintf(m.Stdout, "%s: %s: %s\n", file, ruleset, difference)
	return err
}

// agreeLine is the outcome of a rule set, or of all of them.
type agreeLine struct {
	Ruleset   string  `json:"ruleset,omitzero"` // empty for the total
	Version   string  `json:"version,omitzero"` // of the rulebook
	Total     bool    `json:"total,omitzero"`
	Documents int     `json:"documents"`
	Equal     int     `json:"equal"`
	Share     float64 `json:"share"` // of the documents, 0 to 1
	NotLoaded string  `json:"notLoaded,omitzero"`
}

func newAgreeLine(documents, equal int) agreeLine {
	return agreeLine{Documents: documents, Equal: equal, Share: float64(equal) / float64(max(documents, 1))}
}

// report prints a line for each rule set and the total, and fails unless all agree.
func (c *rulebooksAgree) report(m *Main, a *agreement) error {
	var lines []agreeLine
	total := newAgreeLine(0, 0)
	for _, name := range slices.Sorted(maps.Keys(a.tallies)) {
		t := a.tallies[name]
		line := newAgreeLine(t.documents, t.equal)
		line.Ruleset, line.Version, line.NotLoaded = name, t.version, t.missing
		lines = append(lines, line)
		total = newAgreeLine(total.Documents+t.documents, total.Equal+t.equal)
	}
	total.Total = true
	if err := c.printLines(m, append(lines, total)); err != nil {
		return err
	}
	if total.Equal != total.Documents || total.Documents == 0 {
		return &failure{code: exitInvalid, cause: fmt.Errorf("%d of %d verdicts differ", total.Documents-total.Equal, total.Documents)}
	}
	return nil
}

func (c *rulebooksAgree) printLines(m *Main, lines []agreeLine) error {
	table := newTable(m.Stdout)
	for _, l := range lines {
		if c.JSON {
			if err := printJSON(m.Stdout, l); err != nil {
				return err
			}
			continue
		}
		table.row(append([]string{l.name(), fmt.Sprintf("documents: %d", l.Documents), fmt.Sprintf("equal: %d", l.Equal), l.percent()}, l.note()...)...)
	}
	return table.flush()
}

func (l agreeLine) name() string {
	if l.Total {
		return "total"
	}
	return l.Ruleset
}

// percent is the share in hundredths of a percent, rounded down, so that 100 % means all.
func (l agreeLine) percent() string {
	hundredths := l.Equal * 10_000 / max(l.Documents, 1)
	return fmt.Sprintf("%d.%02d %%", hundredths/100, hundredths%100)
}

// note is the version that was compared, or why there is none; the total has no note.
func (l agreeLine) note() []string {
	switch {
	case l.Total:
		return nil
	case l.NotLoaded != "":
		return []string{"not loaded: " + l.NotLoaded}
	}
	return []string{"version: " + l.Version}
}
