package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"einvoiced/core/judge"
	"einvoiced/core/schematron"
	"einvoiced/core/xmltree"
	"einvoiced/internal/official"
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
func timeOurs(ctx context.Context, set *judge.Set, document string) (time.Duration, error) {
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

// timeRepeatedly gives the median time of five batches of a piece of work, after a first one to warm up.
func timeRepeatedly(work func() error) (time.Duration, error) {
	var all []time.Duration
	for range 6 {
		runs, start := 0, spentCPU()
		for spentCPU()-start < batch {
			if err := work(); err != nil {
				return 0, fmt.Errorf("judge a document: %w", err)
			}
			runs++
		}
		all = append(all, (spentCPU()-start)/time.Duration(runs))
	}
	return median(all[1:]), nil
}
