package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/worker/subprocess"
)

// runnerMemory is how much memory a process for large runs may take: ten times what the largest invoices need.
const runnerMemory = 4 << 30

// runnerCommand is einvoiced runner, which a worker starts for runs on large inputs.
type runnerCommand struct {
	judgingFlags
	verifactuFlag
}

// openSubprocesses prepares the runs of the worker: large ones in processes of their own.
func (h *daemon) openSubprocesses() (*subprocess.Runner, error) {
	c := subprocess.Config{Rulebooks: func() ledger.Rulebooks { return inUse(h.rulebooks) }, Isolation: h.kinds.Isolation, Session: h.settings.Database != "", Logger: h.log}
	if h.settings.self != "" {
		c.Program = append([]string{h.settings.self}, h.settings.runnerArguments()...)
	}
	return subprocess.New(c, job.NewLocal(h.kinds, h.rulebooks, h.shared))
}

// runnerArguments give the command that does runs as the operations of these settings would.
func (s *settings) runnerArguments() []string {
	args := []string{"runner", fmt.Sprintf("--large-invoices=%t", s.LargeInvoices), fmt.Sprintf("--strict-country-specific=%t", s.StrictCountrySpecific)}
	if s.FontFolder != "" {
		args = append(args, "--font-folder="+s.FontFolder)
	}
	if s.Rulebooks != "" {
		args = append(args, "--rulebooks="+s.Rulebooks)
	}
	if s.VeriFactu != "" {
		args = append(args, "--verifactu="+s.VeriFactu)
	}
	return args
}

// Run does what the worker asks for until its standard input ends.
func (c *runnerCommand) Run(m *Main, _ context.Context) error {
	if err := subprocess.Confine(runnerMemory); err != nil {
		fmt.Fprintln(m.Stderr, "einvoiced:", err) // the worker shows it where the process dies
	}
	ctx := context.Background() // signals are for the worker
	books, err := c.registry(ctx)
	if err != nil {
		return err
	}
	if c.installed, err = c.installation(); err != nil {
		return err
	}
	c.program = m.Self
	operations, err := c.service(books)
	if err != nil {
		return err
	}
	d := subprocess.Doer{Runner: job.NewLocal(kinds.All(operations), books, nil), Follow: func(ctx context.Context, want ledger.Rulebooks) error {
		return follow(ctx, books, want)
	}}
	replies, shared := subprocess.Files()
	return subprocess.Serve(ctx, d, m.Stdin, replies, shared)
}

// follow puts the rulebooks in use that are wanted, if the folder has them.
func follow(ctx context.Context, books *rulebook.Registry, want ledger.Rulebooks) error {
	if books.Current().Digest == want.Digest {
		books.Renumber(want.Number)
		return nil
	}
	_, err := books.ReloadIf(ctx, func(g *rulebook.Generation) (int64, error) {
		if g.Digest != want.Digest {
			return 0, errors.New("the folder of rulebooks has changed and was not reloaded")
		}
		return want.Number, nil
	})
	return err
}

// inUse names the rulebooks in use.
func inUse(books *rulebook.Registry) ledger.Rulebooks {
	g := books.Current()
	return ledger.Rulebooks{Number: g.Number, Digest: g.Digest}
}

// self is the program file of this process. It is that also after another version was put in its place.
func self() string {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running
	}
	path, _ := os.Executable() // empty where it cannot be told
	return path
}
