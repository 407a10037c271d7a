// Command throughput measures how many jobs a second the program does from end to end (submit, validate a small invoice, keep the answer,
// deliver the webhook), on both set-ups, and what bare asynq does on the same machine in the same run with tasks that do nothing; and how
// long small inline requests take while invoices of 25,000 lines are worked on.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// options say what to measure.
type options struct {
	setups  []harness.Setup
	jobs    int           // of one measurement
	callers int           // beside each other
	rounds  int           // of which the best counts, for both sides
	inline  time.Duration // length of each measurement of inline requests; 0 leaves them out
	lines   int           // of the long invoices
	backlog int           // long jobs that are there before a measurement begins
	batch   int           // jobs of a batch
	asked   bool          // count the statements of PostgreSQL, which costs some time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parseOptions(os.Args[1:])
	if err == nil {
		err = run(ctx, o, os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

// parseOptions reads the command line.
func parseOptions(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("throughput", flag.ContinueOnError)
	setups := f.String("setups", "embedded,shared", "set-ups to measure")
	f.IntVar(&o.jobs, "jobs", 3000, "jobs of one measurement")
	f.IntVar(&o.callers, "callers", 16, "callers beside each other")
	f.IntVar(&o.rounds, "rounds", 3, "rounds, of which the best counts")
	f.IntVar(&o.batch, "batch", 500, "jobs of a batch")
	f.DurationVar(&o.inline, "inline", 15*time.Second, "length of a measurement of inline requests; 0 leaves them out")
	f.IntVar(&o.backlog, "backlog", 100, "long jobs that wait when inline requests are measured beside them")
	f.BoolVar(&o.asked, "statements", false, "count the statements of PostgreSQL, which costs some time")
	f.IntVar(&o.lines, "lines", 25_000, "lines of the long invoices")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	for name := range strings.SplitSeq(*setups, ",") {
		found := false
		for _, s := range harness.Setups {
			if s.Name == name {
				o.setups, found = append(o.setups, s), true
			}
		}
		if !found {
			return o, fmt.Errorf("there is no set-up %q", name)
		}
	}
	if o.jobs < 1 || o.callers < 1 || o.rounds < 1 || o.batch < 1 || o.backlog < 1 || o.batch > 1000 {
		return o, errors.New("jobs, callers, rounds and backlog must be at least 1, batch 1 to 1000")
	}
	return o, nil
}

// run measures the set-ups and prints the tables.
func run(ctx context.Context, o options, out io.Writer) error {
	return measured(ctx, func(t *measurement) {
		program := harness.Build(t, harness.Root(t), filepath.Join(t.TempDir(), "einvoiced"))
		var speeds []speed
		var waits []wait
		for _, s := range o.setups {
			more, waited := measure(t, o, s, program)
			speeds, waits = append(speeds, more...), append(waits, waited...)
		}
		fmt.Fprint(out, speedTable(speeds), "\n", effortTable(speeds))
		if len(waits) > 0 {
			fmt.Fprint(out, "\n", waitTable(waits))
		}
	})
}

// measure opens one set-up and measures in it.
func measure(t *measurement, o options, s harness.Setup, program string) ([]speed, []wait) {
	receiver := harness.StartReceiver(t)
	h := harness.Open(t, harness.Plan{Setup: s, Program: program, Postgres: counting(o), Env: map[string]string{
		"EINVOICED_ALLOW_NETWORK": "127.0.0.1:" + receiver.Port, "SSL_CERT_FILE": receiver.CA, "EINVOICED_LOG_LEVEL": "warn",
	}})
	customer := h.Customer()
	speeds := append([]speed{bare(t, o, h)}, endToEnd(t, o, h, customer, receiver)...)
	var waits []wait
	if o.inline > 0 {
		waits = inline(t, o, h, customer)
	}
	h.StopAll()
	return speeds, waits
}
