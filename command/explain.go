package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/operation"
)

// explainCommand is einvoiced explain.
type explainCommand struct {
	What []string `arg:"" help:"Codes such as FIELD_TOO_LONG, rules such as BR-DE-15, business terms such as BT-10."`
	judgingFlags
}

// Run prints what is known of each, and goes on after one that nothing is known of.
func (c *explainCommand) Run(m *Main, ctx context.Context) error {
	service, err := c.open(ctx)
	if err != nil {
		return err
	}
	var unknown *failure
	for i, what := range c.What {
		e, err := service.Explain(ctx, what)
		if _, refused := errors.AsType[*finding.Refusal](err); refused {
			fmt.Fprintln(m.Stderr, "einvoiced:", m.styleOf(m.Stderr).in(red, err.Error()))
			unknown = &failure{code: exitInvalid, cause: err, told: true}
			continue
		}
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(m.Stdout)
		}
		if _, err := io.WriteString(m.Stdout, explained(e, m.styleOf(m.Stdout))); err != nil {
			return err
		}
	}
	if unknown != nil {
		return unknown
	}
	return nil
}

// explained is an explanation for people. What several rulebooks or document elements have alike is told once.
func explained(e *operation.Explanation, s style) string {
	var b strings.Builder
	for _, code := range e.Codes {
		fmt.Fprintf(&b, "%s (%s): %s\n", s.in(bold, code.Code), map[finding.Severity]string{finding.Fatal: "error", finding.Warning: "warning", finding.Information: "information"}[code.Severity], code.Meaning)
	}
	if k := e.Known; k != nil {
		explainKnown(&b, k, s)
	}
	explainRules(&b, e.Rules, s)
	explainTerms(&b, e.Terms, s)
	return b.String()
}

func explainKnown(b *strings.Builder, k *finding.Known, s style) {
	b.WriteString(s.in(bold, k.Code))
	if k.Meaning != "" {
		b.WriteString(": " + k.Meaning)
	}
	b.WriteByte('\n')
	if k.Unused() {
		fmt.Fprintf(b, "  %s\n", k.Shown)
	}
}

// explainRules tells a rule once for all rulebooks that have it alike.
func explainRules(b *strings.Builder, rules []operation.ExplainedRule, s style) {
	books := map[operation.ExplainedRule][]string{}
	var order []operation.ExplainedRule
	for _, r := range rules {
		alike := r
		alike.Rulebook = operation.Rulebook{}
		if books[alike] == nil {
			order = append(order, alike)
		}
		books[alike] = append(books[alike], r.Rulebook.ID+" "+r.Rulebook.Version)
	}
	for _, r := range order {
		fmt.Fprintf(b, "%s (%s): %s\n  in: %s\n  house code: %s\n", s.in(bold, r.ID), severityNames[r.Severity], r.Text, strings.Join(books[r], ", "), r.HouseCode)
		if r.From != "" {
			fmt.Fprintf(b, "  a warning until it is enforced from %s\n", r.From)
		}
	}
}

// explainTerms tells a term with its name once, and then where documents have it.
func explainTerms(b *strings.Builder, terms []mapping.Use, s style) {
	title := func(u mapping.Use) string { return u.Term + " " + u.Field }
	first := map[string]int{}
	for i, t := range terms {
		if _, seen := first[title(t)]; !seen {
			first[title(t)] = i
		}
	}
	together := slices.Clone(terms)
	slices.SortStableFunc(together, func(x, y mapping.Use) int { return first[title(x)] - first[title(y)] })
	for i, t := range together {
		if i == 0 || title(together[i-1]) != title(t) {
			b.WriteString(s.in(bold, t.Term))
			if name := en16931.TermName(t.Term); name != "" {
				fmt.Fprintf(b, " (%s)", name)
			}
			fmt.Fprintf(b, ": %s\n", t.Field)
		}
		fmt.Fprintf(b, "  %s", t.Path)
		if t.Cardinality != "" {
			fmt.Fprintf(b, " (%s)", t.Cardinality)
		}
		b.WriteByte('\n')
	}
}
