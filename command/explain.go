package command

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// explainCommand is einvoiced explain.
type explainCommand struct {
	What []string `arg:"" help:"Codes such as FIELD_TOO_LONG, rules such as BR-DE-15, business terms such as BT-10."`
	judgingFlags
}

// Run prints what is known of each.
func (c *explainCommand) Run(m *Main, ctx context.Context) error {
	service, err := c.open(ctx)
	if err != nil {
		return err
	}
	for i, what := range c.What {
		e, err := service.Explain(ctx, what)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(m.Stdout)
		}
		if _, err := io.WriteString(m.Stdout, explained(e)); err != nil {
			return err
		}
	}
	return nil
}

// explained is an explanation for people.
func explained(e *operation.Explanation) string {
	var b strings.Builder
	for _, code := range e.Codes {
		fmt.Fprintf(&b, "%s (%s): %s\n", code.Code, map[finding.Severity]string{finding.Fatal: "error", finding.Warning: "warning"}[code.Severity], code.Meaning)
	}
	for _, r := range e.Rules {
		fmt.Fprintf(&b, "%s (%s) of %s %s: %s\n  house code: %s\n", r.ID, severityNames[r.Severity], r.Rulebook.ID, r.Rulebook.Version, r.Text, r.HouseCode)
		if r.From != "" {
			fmt.Fprintf(&b, "  a warning until it is enforced from %s\n", r.From)
		}
	}
	for _, t := range e.Terms {
		fmt.Fprintf(&b, "%s: %s\n  %s", t.Term, t.Field, t.Path)
		if t.Cardinality != "" {
			fmt.Fprintf(&b, " (%s)", t.Cardinality)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
