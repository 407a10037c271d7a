package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/validate"
	"github.com/einvoiced/einvoiced/internal/official"
)

// bench is one run of the command.
type bench struct {
	options
	invoices map[string]map[int]string // long ones by syntax and number of lines
	saxon    *saxon
	out      io.Writer
	base     map[string]time.Duration // of EN 16931 on the longest invoice, by syntax
}

// row is what was measured of one rule set. Zero is what was not.
type row struct {
	set            official.Set
	compile        time.Duration
	ours, theirs   []time.Duration // by ordinary document
	long           []time.Duration // by size
	theirsLong     time.Duration   // of the longest
	timesBase, per float64         // the longest in times EN 16931, and in times the one before
	steps          []int           // by size; they do not depend on the hardware
	perSteps       float64         // the longest in times the one before
}

// ruleSets measures all rule sets and prints a line for each.
func (b *bench) ruleSets(ctx context.Context) error {
	documents, err := ordinary(b.shared, b.documents)
	if err != nil {
		return err
	}
	longest := b.lines[len(b.lines)-1]
	fmt.Fprintf(b.out, "\n| rule set | compile, ms | ordinary: ours, µs | Saxon, µs | times | %d lines: ours, ms | Saxon, ms | times | times EN 16931 | times the size before | its steps |\n|---|---|---|---|---|---|---|---|---|---|---|\n", longest)
	b.base = map[string]time.Duration{}
	for _, set := range official.Sets {
		stylesheet := official.Find(b.rules, set.Compiled)
		if stylesheet == "" || !b.sets.MatchString(set.Name) {
			continue
		}
		r, err := b.measure(ctx, set, stylesheet, documents[set.Name])
		if err != nil {
			return err
		}
		b.print(r)
	}
	return nil
}

func (b *bench) measure(ctx context.Context, set official.Set, stylesheet string, documents []string) (*row, error) {
	program, compile, err := compileRules(set, stylesheet)
	if err != nil {
		return nil, err
	}
	r := &row{set: set, compile: compile}
	rules := &validate.Set{Rules: []*schematron.Program{program}}
	for _, d := range documents {
		spent, err := timeOurs(ctx, rules, d)
		if err != nil {
			return nil, err
		}
		r.ours = append(r.ours, spent)
	}
	syntax := syntaxOf(set.Name)
	for _, n := range b.lines {
		spent, err := timeOurs(ctx, rules, b.invoices[syntax][n])
		if err != nil {
			return nil, err
		}
		steps, err := countSteps(ctx, program, b.invoices[syntax][n])
		if err != nil {
			return nil, err
		}
		r.long, r.steps = append(r.long, spent), append(r.steps, steps)
	}
	b.compare(r, syntax)
	return r, b.measureSaxon(r, stylesheet, documents)
}

// compare relates the longest invoice to EN 16931 and to the size before.
func (b *bench) compare(r *row, syntax string) {
	last := len(r.long) - 1
	if r.set.Name == "en16931-"+syntax {
		b.base[syntax] = r.long[last]
	}
	r.timesBase, r.per, r.perSteps = ratio(r.long[last], b.base[syntax]), math.NaN(), math.NaN()
	if last > 0 {
		r.per, r.perSteps = ratio(r.long[last], r.long[last-1]), float64(r.steps[last])/float64(r.steps[last-1])
	}
}

func (b *bench) measureSaxon(r *row, stylesheet string, documents []string) error {
	if b.saxon == nil {
		return nil
	}
	if err := b.saxon.load(stylesheet); err != nil {
		return fmt.Errorf("%s: %w", r.set.Name, err)
	}
	r.theirs = b.saxon.ordinary(documents)
	if b.long.MatchString(r.set.Name) {
		r.theirsLong = b.saxon.time(b.invoices[syntaxOf(r.set.Name)][b.lines[len(b.lines)-1]], 1)
	}
	return nil
}

func (b *bench) print(r *row) {
	longest := r.long[len(r.long)-1]
	fmt.Fprintf(b.out, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.set.Name, in(time.Millisecond, r.compile),
		in(time.Microsecond, median(r.ours)), in(time.Microsecond, median(r.theirs)), times(median(ratios(r.theirs, r.ours))),
		in(time.Millisecond, longest), in(time.Millisecond, r.theirsLong), times(ratio(r.theirsLong, longest)), times(r.timesBase), times(r.per), times(r.perSteps))
}
