package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/validate"
	"github.com/einvoiced/einvoiced/internal/official"
)

// clock is the time that rules about the current date see.
var clock = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

// spentCPU is the CPU time of this process, garbage collection included.
func spentCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// compileRules reads and compiles the stylesheet of a rule set and says how long the compilation takes, the best of three.
func compileRules(set official.Set, stylesheet string) (*schematron.Program, time.Duration, error) {
	fsys, name, err := official.Open(stylesheet)
	if err != nil {
		return nil, 0, err
	}
	rules, err := schematron.Read(fsys, name, schematron.Options{LastParameter: set.Last})
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", set.Name, err)
	}
	var program *schematron.Program
	best := time.Duration(0)
	for range 3 {
		start := spentCPU()
		if program, err = schematron.Compile(rules, fsys, schematron.CompileOptions{}); err != nil {
			return nil, 0, fmt.Errorf("compile %s: %w", set.Name, err)
		}
		if spent := spentCPU() - start; best == 0 || spent < best {
			best = spent
		}
	}
	return program, best, nil
}

// batch is how long one measurement lasts at least: CPU time is counted in steps.
const batch = 20 * time.Millisecond

// timeOurs gives the median time of five measurements of a document: parse, rules, messages and locations.
func timeOurs(ctx context.Context, set *validate.Set, document string) (time.Duration, error) {
	source, err := os.ReadFile(document)
	if err != nil {
		return 0, fmt.Errorf("read a document: %w", err)
	}
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return 0, fmt.Errorf("make a parser: %w", err)
	}
	return timeRepeatedly(func() error {
		_, err := set.Judge(ctx, parser, source, clock)
		return err
	})
}

// countSteps gives the steps that the rules make on a document, beside the parser's.
func countSteps(ctx context.Context, program *schematron.Program, document string) (int, error) {
	source, err := os.ReadFile(document)
	if err != nil {
		return 0, fmt.Errorf("read a document: %w", err)
	}
	doc, err := xmltree.Parse(source, xmltree.Options{})
	if err != nil {
		return 0, fmt.Errorf("parse a document: %w", err)
	}
	verdict, err := program.Evaluate(ctx, doc, schematron.EvaluateOptions{Now: clock})
	if err != nil {
		return 0, fmt.Errorf("count steps: %w", err)
	}
	return verdict.Steps, nil
}

// timeRepeatedly gives the median time of five batches of a piece of work, after others that warm up and find out how many runs make
// a batch. The clock is read before and after a batch only: to ask the kernel for it takes a microsecond, and a document fifteen.
func timeRepeatedly(work func() error) (time.Duration, error) {
	var all []time.Duration
	for runs := 1; len(all) < 6; {
		spent, err := timeRuns(runs, work)
		if err != nil {
			return 0, fmt.Errorf("judge a document: %w", err)
		}
		if spent < batch && len(all) == 0 {
			runs *= 2
			continue
		}
		all = append(all, spent/time.Duration(runs))
	}
	return median(all[1:]), nil
}

// timeRuns gives the time of n runs.
func timeRuns(n int, work func() error) (time.Duration, error) {
	start := spentCPU()
	for range n {
		if err := work(); err != nil {
			return 0, err
		}
	}
	return spentCPU() - start, nil
}
