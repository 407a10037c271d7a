package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
)

// rulebooksAgree is einvoiced rulebooks agree.
type rulebooksAgree struct {
	Folder   string `arg:"" name:"docdir" help:"Folder of the documents."`
	Verdicts string `placeholder:"FILE" help:"Verdicts of the official processors on the documents."`
	Official string `placeholder:"ID@VERSION" help:"Rulebook whose verdicts stand in the place of a file of them, such as the publisher's that was imported."`
	Ours     string `placeholder:"ID@VERSION" help:"Rulebook that is compared with it."`
	Diff     bool   `help:"Print each difference."`
	JSON     bool   `name:"json" help:"Print lines of JSON."`
	rulebooksFlag
	clockFlag
}

// Run compares the verdicts of the loaded rulebooks with the official ones, on all cores.
func (c *rulebooksAgree) Run(m *Main, ctx context.Context) error {
	if (c.Verdicts == "") == (c.Official == "") || (c.Official == "") != (c.Ours == "") {
		return &failure{code: exitUsage, cause: errors.New("there is nothing to compare with"), hint: "name a file with --verdicts, or two rulebooks with --official and --ours"}
	}
	documents, err := os.OpenRoot(c.Folder)
	if err != nil {
		return &failure{code: exitUsage, cause: fmt.Errorf("open documents: %w", err), hint: "name the folder that holds the documents of the verdicts"}
	}
	defer documents.Close()
	registry, err := c.registry(ctx)
	if err != nil {
		return err
	}
	official, err := c.verdicts(ctx, m, registry.Current(), documents.FS())
	if err != nil {
		return err
	}
	a, err := newAgreement(official, registry.Current(), documents.FS(), c.time())
	if err != nil {
		return err
	}
	if err := a.compareAll(ctx, m, c.reporter(m)); err != nil {
		return err
	}
	if left := a.notCompared(); len(left) > 0 {
		fmt.Fprintf(m.Stderr, "einvoiced: note: schemas without a rulebook were not compared: %s\n", strings.Join(left, ", "))
	}
	return c.report(m, a)
}

// verdicts gives those of the file, or of the official rulebook.
func (c *rulebooksAgree) verdicts(ctx context.Context, m *Main, books *rulebook.Generation, documents fs.FS) (*validate.Official, error) {
	if c.Verdicts != "" {
		return c.official(ctx, m)
	}
	pair, err := c.pair(books, documents)
	if err != nil {
		return nil, err
	}
	return pair.verdicts(ctx)
}

func (c *rulebooksAgree) official(ctx context.Context, m *Main) (*validate.Official, error) {
	data, err := m.read(ctx, c.Verdicts)
	if err != nil {
		return nil, err
	}
	official, err := validate.ReadOfficial(data)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: fmt.Errorf("%s: %w", c.Verdicts, err), hint: "--verdicts names a file with the verdicts of rule sets on a folder of documents"}
	}
	return official, nil
}

// reporter gives what prints the differences of a document.
func (c *rulebooksAgree) reporter(m *Main) func(comparison) error {
	return func(of comparison) error {
		if !c.Diff {
			return nil
		}
		for _, s := range slices.SortedFunc(maps.Keys(of.differences), subject.compare) {
			for _, difference := range of.differences[s] {
				if err := c.printDifference(m, of.file, s, difference); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (c *rulebooksAgree) printDifference(m *Main, file string, of subject, difference string) error {
	if c.JSON {
		return printJSON(m.Stdout, struct {
			File string `json:"file"`
			subject
			Difference string `json:"difference"`
		}{file, of, difference})
	}
	_, err := fmt.Fprintf(m.Stdout, "%s: %s: %s\n", file, of, difference)
	return err
}

// agreeLine is the outcome of a rule set or schema, or of all of them.
type agreeLine struct {
	subject           // empty for the total
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
	for _, s := range slices.SortedFunc(maps.Keys(a.tallies), subject.compare) {
		t := a.tallies[s]
		line := newAgreeLine(t.documents, t.equal)
		line.subject, line.Version, line.NotLoaded = s, t.version(), t.missing
		lines = append(lines, line)
		total = newAgreeLine(total.Documents+t.documents, total.Equal+t.equal)
	}
	total.Total = true
	if err := agreeColumns.print(m.Stdout, c.JSON, slices.Values(append(lines, total))); err != nil {
		return err
	}
	if total.Equal != total.Documents || total.Documents == 0 {
		return &failure{code: exitInvalid, cause: fmt.Errorf("%d of %d verdicts differ", total.Documents-total.Equal, total.Documents)}
	}
	return nil
}

var agreeColumns = columns[agreeLine]{cells: func(l agreeLine) []string {
	return append([]string{l.name(), fmt.Sprintf("documents: %d", l.Documents), fmt.Sprintf("equal: %d", l.Equal), l.percent()}, l.note()...)
}}

func (l agreeLine) name() string {
	if l.Total {
		return "total"
	}
	return l.subject.String()
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
