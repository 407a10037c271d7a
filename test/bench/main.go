// Command bench measures the rule engine against Saxon-HE and xmllint: the same official rules and schemas, the same documents,
// one run, one core, warm, CPU time. docs/speed.md says how to read what it prints.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
)

// options say what to measure.
type options struct {
	rules     string         // folders of the official rule sets, as in EINVOICED_RULES
	schemas   string         // folder of the official schemas; empty: no schemas
	shared    string         // folder of the corpus and its tools
	sets      *regexp.Regexp // names of the rule sets
	documents int            // ordinary documents of each set
	lines     []int          // sizes of long invoices, ascending
	withSaxon bool
	long      *regexp.Regexp // names of those for which Saxon gets the longest invoice as well
	profile   string         // file for a CPU profile of the rule sets; empty: none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parseOptions(os.Args[1:])
	if err == nil {
		err = run(ctx, o, os.Stdout)
	}
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parseOptions reads the command line.
func parseOptions(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&o.rules, "rules", os.Getenv("EINVOICED_RULES"), "folders of the official rule sets")
	f.StringVar(&o.schemas, "schemas", os.Getenv("EINVOICED_SCHEMAS"), "folder of the official schemas, with ubl/maindoc and cii; none: schemas are left out")
	f.StringVar(&o.shared, "shared", os.Getenv("EINVOICED_SHARED"), "folder of the corpus")
	f.IntVar(&o.documents, "documents", 12, "ordinary documents of each rule set")
	f.BoolVar(&o.withSaxon, "saxon", true, "measure Saxon-HE as well")
	f.StringVar(&o.profile, "cpuprofile", "", "file for a CPU profile of our part, for go tool pprof; none: no profile")
	sets := f.String("sets", ".", "regular expression for the names of the rule sets")
	long := f.String("long", ".", "regular expression for the names of those for which Saxon gets the longest invoice as well; some take minutes")
	lines := f.String("lines", "5000,25000", "sizes of the long invoices in lines")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for _, field := range strings.Split(*lines, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return o, fmt.Errorf("lines %q: expected numbers with commas between them", *lines)
		}
		o.lines = append(o.lines, n)
	}
	var err, err2 error
	o.sets, err = regexp.Compile(*sets)
	o.long, err2 = regexp.Compile(*long)
	if err := errors.Join(err, err2); err != nil {
		return o, fmt.Errorf("sets and long: %w", err)
	}
	if o.rules == "" || o.shared == "" {
		return o, errors.New("set EINVOICED_RULES to the folder of the official rule sets and EINVOICED_SHARED to that of the corpus")
	}
	return o, nil
}

// run measures and prints.
func run(ctx context.Context, o options, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return fmt.Errorf("make a folder for documents: %w", err)
	}
	defer os.RemoveAll(folder)
	invoices, err := longInvoices(ctx, o, folder)
	if err != nil {
		return err
	}
	b := &bench{options: o, invoices: invoices, out: out}
	if o.withSaxon {
		if b.saxon, err = startSaxon(ctx, folder); err != nil {
			return err
		}
		defer b.saxon.close()
	}
	if err := b.memory(ctx); err != nil {
		return err
	}
	if err := b.schemas(ctx); err != nil {
		return err
	}
	return profiled(o.profile, func() error { return b.ruleSets(ctx) })
}

// profiled does a piece of work and writes a CPU profile of it, if there is a file for it.
func profiled(name string, work func() error) error {
	if name == "" {
		return work()
	}
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("make a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return errors.Join(fmt.Errorf("make a profile: %w", err), file.Close())
	}
	err = work()
	pprof.StopCPUProfile()
	return errors.Join(err, file.Close())
}
