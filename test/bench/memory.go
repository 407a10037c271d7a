package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/validate"
	"github.com/einvoiced/einvoiced/internal/official"
)

// memory measures how much memory the EN 16931 rule sets take for the longest invoice, its source included, what is left of it
// afterwards, and how many times the documents two cores judge.
func (b *bench) memory(ctx context.Context) error {
	fmt.Fprintf(b.out, "| %d lines | resident before, MB | at most | afterwards | documents by two cores, times one |\n|---|---|---|---|---|\n", b.lines[len(b.lines)-1])
	for _, set := range official.Sets {
		syntax := syntaxOf(set.Name)
		stylesheet := official.Find(b.rules, set.Compiled)
		if set.Name != "en16931-"+syntax || stylesheet == "" {
			continue
		}
		program, _, err := compileRules(set, stylesheet)
		if err != nil {
			return err
		}
		rules := &validate.Set{Rules: []*schematron.Program{program}}
		debug.FreeOSMemory()
		before := resident("VmRSS")
		if err := judgeOnce(ctx, rules, b.invoices[syntax][b.lines[len(b.lines)-1]]); err != nil {
			return err
		}
		peak := resident("VmHWM")
		debug.FreeOSMemory()
		after := resident("VmRSS")
		cores, err := twoCores(ctx, rules, b.invoices[syntax][1])
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "| %s | %d | %d | %d | %s |\n", set.Name, before, peak, after, times(cores))
	}
	return nil
}

func judgeOnce(ctx context.Context, rules *validate.Set, document string) error {
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("begin a new peak of memory: %w", err)
	}
	source, err := os.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read a document: %w", err)
	}
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return fmt.Errorf("make a parser: %w", err)
	}
	if _, err := rules.Judge(ctx, parser, source, clock); err != nil {
		return fmt.Errorf("judge a document: %w", err)
	}
	return nil
}

// resident reads a figure of the memory of this process, in MB; 0 where the system does not give it.
func resident(figure string) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return statusFigure(status, figure)
}

// statusFigure finds a figure in the text of /proc/self/status and gives it in MB.
func statusFigure(status []byte, figure string) int {
	match := regexp.MustCompile(`(?m)^` + figure + `:\s*(\d+) kB$`).FindSubmatch(bytes.TrimSpace(status))
	if match == nil {
		return 0
	}
	kilobytes, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0
	}
	return kilobytes >> 10
}

// twoCores gives how many times the documents of one goroutine two judge in the same time, by the clock on the wall.
func twoCores(ctx context.Context, rules *validate.Set, document string) (float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	source, err := os.ReadFile(document)
	if err != nil {
		return 0, fmt.Errorf("read a document: %w", err)
	}
	var done [3]int
	for workers := 1; workers <= 2; workers++ {
		until, counts := time.Now().Add(2*time.Second), make([]int, workers)
		var group sync.WaitGroup
		for w := range workers {
			group.Go(func() { counts[w] = judgeUntil(ctx, rules, source, until) })
		}
		group.Wait()
		for _, n := range counts {
			done[workers] += n
		}
	}
	return float64(done[2]) / float64(max(done[1], 1)), nil
}

// judgeUntil judges a document again and again and gives how often.
func judgeUntil(ctx context.Context, rules *validate.Set, source []byte, until time.Time) (judged int) {
	parser, err := xmltree.NewParser(xmltree.Options{})
	for ; err == nil && time.Now().Before(until); judged++ {
		_, err = rules.Judge(ctx, parser, source, clock)
	}
	return judged
}
