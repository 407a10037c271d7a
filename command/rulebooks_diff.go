package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/rulebook"
)

// rulebooksDiff is einvoiced rulebooks diff.
type rulebooksDiff struct {
	From      string `arg:"" placeholder:"ID@VERSION" help:"Rulebook as it is, ID or ID@VERSION."`
	To        string `arg:"" placeholder:"ID@VERSION" help:"Rulebook as it will be."`
	Documents string `placeholder:"DIR" help:"Folder of documents: tell which of them pass today and would fail then."`
	JSON      bool   `name:"json" help:"Print one line of JSON."`
	rulebooksFlag
}

// diffLine is the outcome as JSON.
type diffLine struct {
	From string `json:"from"`
	To   string `json:"to"`
	*rulebook.Diff
	Documents *brokenDocuments `json:"documents,omitzero"`
}

// Run prints which rules are new, gone or changed, and which documents would fail.
func (c *rulebooksDiff) Run(m *Main, ctx context.Context) error {
	registry, err := c.registry(ctx)
	if err != nil {
		return err
	}
	from, err := c.find(registry.Current(), c.From)
	if err != nil {
		return err
	}
	to, err := c.find(registry.Current(), c.To)
	if err != nil {
		return err
	}
	line := diffLine{From: from.Name(), To: to.Name()}
	if line.Diff, err = rulebook.Compare(from, to); err != nil {
		return &failure{code: exitInvalid, cause: err}
	}
	if c.Documents != "" {
		if line.Documents, err = c.broken(ctx, m, registry.Current(), from, to); err != nil {
			return err
		}
	}
	if c.JSON {
		return printJSON(m.Stdout, line)
	}
	_, err = fmt.Fprint(m.Stdout, line.text())
	return err
}

// find gives a rulebook by id@version; without a version the one in force today.
func (c *rulebooksDiff) find(books *rulebook.Generation, name string) (*rulebook.Book, error) {
	id, version, _ := strings.Cut(name, "@")
	book, err := books.Find(id, version, time.Now().UTC().Format(time.DateOnly))
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err, hint: "einvoiced rulebooks list has the rulebooks that there are"}
	}
	return book, nil
}

// text is the outcome for people.
func (l *diffLine) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s: new: %d, gone: %d, changed: %d\n", l.From, l.To, len(l.Added), len(l.Removed), len(l.Changed))
	for _, rule := range l.Added {
		fmt.Fprintf(&b, "  new: %s\n", rule)
	}
	for _, rule := range l.Removed {
		fmt.Fprintf(&b, "  gone: %s\n", rule)
	}
	for _, change := range l.Changed {
		fmt.Fprintf(&b, "  changed: %s: %s\n", change.Rule, change.What)
	}
	if l.Documents != nil {
		b.WriteString(l.Documents.text())
	}
	return b.String()
}
