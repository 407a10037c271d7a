// Package command is the command line: a struct for each command, which wires the rooms together, runs and closes.
//
// Commands that work without a server call package operation in this process. serve runs API, worker and scheduler in one
// process; api, worker and scheduler run one of them each, on stores that they share. A command gives one of the exit codes
// below, by who is to blame.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Execute runs the program with the arguments after its name, until it is done or a signal ends it, and gives the exit code.
func Execute(arguments []string) int {
	m := &Main{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Name: invocation(os.Args[0]), Container: containerName(), Self: self()}
	ctx, stop := interruptible(m.Stderr)
	defer stop()
	err := m.Parse(arguments)
	if err == nil {
		err = m.Run(ctx)
	}
	return m.Close(err)
}

// The exit codes.
const (
	exitOK       = 0
	exitInvalid  = 1 // the input is to blame
	exitUsage    = 2 // the command line is
	exitInternal = 3 // the program is, or the machine
	exitPartly   = 4 // nothing speaks against the input, and not all of it could be checked

	exitSignal = 128 // and the number of the signal that ended the command: 130 for Ctrl-C
)

// invocation is how people start the program again: with go run, where it was started so, from the folder that they are in.
func invocation(typed string) string {
	if path, err := os.Executable(); err == nil && builtToRun.MatchString(path) {
		return "go run ."
	}
	return typed
}

// builtToRun is where go run puts a program: in a folder of one build, or of the cache.
var builtToRun = regexp.MustCompile(`/go-build\d+/|/[0-9a-f]{64}-d/`)

// name is how the program was started.
func (m *Main) name() string { return cmp.Or(m.Name, "einvoiced") }

// Main is the program. Tests start the same struct inside their process: Parse, Run, Close.
type Main struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Environ is the environment as os.Environ gives it, in which Parse looks for misspelt settings. Default: it does not look.
	Environ []string

	// Name is how the program was started, for commands that people are told to paste. Default: einvoiced.
	Name string

	// Container is what docker exec calls the container that the program is in. Default: it is in none.
	Container string

	// Self is the file of the program, which it starts for runs on large inputs. Default: none; they are done in this process.
	Self string

	// Started is told the addresses that serve listens on as soon as it answers there; admin is empty when it is off.
	Started func(api, admin string)

	command *kong.Context
	args    []string
	done    bool // the command line was answered while it was parsed: --help
}

// commands is the command line.
type commands struct {
	Serve     serveCommand     `cmd:"" help:"Run the service: API, worker and scheduler in one process."`
	API       apiCommand       `cmd:"" name:"api" help:"Run the API alone, beside workers and schedulers on shared stores."`
	Worker    workerCommand    `cmd:"" help:"Run a worker alone."`
	Scheduler schedulerCommand `cmd:"" help:"Run a scheduler alone; one of several is active."`
	Generate  generateCommand  `cmd:"" help:"Write the document of an invoice, without a server."`
	Parse     parseCommand     `cmd:"" help:"Read documents into invoices, without a server."`
	Convert   convertCommand   `cmd:"" help:"Write documents in another format, without a server."`
	Render    renderCommand    `cmd:"" help:"Make a PDF to look at of a document, without a server."`
	Extract   extractCommand   `cmd:"" help:"Take the XML out of a PDF that carries an invoice, without a server."`
	Embed     embedCommand     `cmd:"" help:"Embed an invoice into a PDF, without a server."`
	Validate  validateCommand  `cmd:"" help:"Judge documents by the rules of their format, without a server."`
	SBDH      sbdhCommand      `cmd:"" name:"sbdh" help:"Look after envelopes of the Peppol network, without a server."`
	Lab       labCommand       `cmd:"" help:"Run a Peppol network on the loopback, to try sending without one."`
	Explain   explainCommand   `cmd:"" help:"Tell what codes, rules and business terms mean."`
	Keys      keysCommand      `cmd:"" help:"Create, list and revoke API keys."`
	Accounts  accountsCommand  `cmd:"" help:"Create, list and change accounts."`
	Jobs      jobsCommand      `cmd:"" help:"Look after jobs."`
	Backup    backupCommand    `cmd:"" help:"Write database and documents of the folder into one archive, beside a running service."`
	Restore   restoreCommand   `cmd:"" help:"Make a folder of what backup has written."`
	Doctor    doctorCommand    `cmd:"" help:"Check what the service stands on: disk, database, queue, documents, clock, rulebooks."`
	Health    healthCommand    `cmd:"" help:"Ask a running process how it is."`
	Rulebooks rulebooksCommand `cmd:"" help:"Judge documents by official rules, and look after the rules."`
	Webhooks  webhooksCommand  `cmd:"" help:"Try webhooks out: print deliveries, check signatures."`
	VeriFactu verifactuCommand `cmd:"" name:"verifactu" help:"Look after chains of Spanish invoices."`
	Formats   formatsCommand   `cmd:"" help:"List what works in which country."`
	Samples   samplesCommand   `cmd:"" help:"Print example requests, to try or to begin with."`

	Completion completionCommand `cmd:"" help:"Print the script that completes command lines in a shell."`
	Man        manCommand        `cmd:"" help:"Print manual pages, for man -l - or a folder."`
	Help       helpCommand       `cmd:"" help:"Tell what a command does."`
	Version    versionCommand    `cmd:"" help:"Tell the version."`
	Complete   completeCommand   `cmd:"" hidden:"" help:"Tell what may stand in place of the last of some words; the scripts of completion ask this."`
	Repair     repairCommand     `cmd:"" hidden:"" help:"Write a damaged PDF anew; embed starts this."`
	Runner     runnerCommand     `cmd:"" hidden:"" help:"Do runs on large inputs for a worker, which starts it."`
}

const description = `einvoiced writes e-invoices from JSON, reads them back, converts and judges them.

Exit codes: 0 success, 1 the input is invalid, 2 wrong usage, 3 internal error, 4 not checked in full, 130 interrupted.`

// grammar is the command line as help, completion and manual pages know it.
func (m *Main) grammar() (*kong.Kong, error) {
	parser, err := kong.New(&commands{},
		kong.Name("einvoiced"), kong.Description(description),
		kong.Writers(m.Stdout, m.Stderr),
		kong.Exit(func(int) { m.done = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return nil, fmt.Errorf("read the grammar of the command line: %w", err)
	}
	return parser, nil
}

// Parse reads the command line, without the program's name.
func (m *Main) Parse(args []string) error {
	m.args = args
	parser, err := m.grammar()
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] == "--version" { // a flag for all commands would be taken for those that have one of that name
		args = []string{"version"}
	}
	m.command, err = parser.Parse(args)
	if m.done {
		return nil
	}
	m.warnOfEnvironment(parser.Model)
	if err != nil {
		return usageError(withTwin(err, parser), args)
	}
	return nil
}

// withTwin adds the environment variable of the flag that an error is about: the value may have come from there.
func withTwin(err error, parser *kong.Kong) error {
	name := flagName.FindString(err.Error())
	for _, command := range parser.Model.Leaves(false) {
		for _, flag := range slices.Concat(command.AllFlags(false)...) {
			if "--"+flag.Name == name && len(flag.Envs) > 0 {
				return fmt.Errorf("%w (environment: %s)", err, flag.Envs[0])
			}
		}
	}
	return err
}

var flagName = regexp.MustCompile(`--[a-z0-9-]+`)

// usageError adds where help is to be found.
func usageError(err error, args []string) error {
	help := "einvoiced --help"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		help = "einvoiced " + args[0] + " --help"
		if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context.Command() == "" {
			help = "einvoiced --help"
		}
	}
	return &failure{code: exitUsage, cause: err, hint: help + " tells more"}
}

// Run does what the command line says until it is done or ctx ends.
func (m *Main) Run(ctx context.Context) error {
	if m.done {
		return nil
	}
	m.command.BindTo(ctx, (*context.Context)(nil))
	return interrupted(ctx, m.command.Run(m))
}

// Close reports the error of Parse or Run and gives the exit code.
func (m *Main) Close(err error) int {
	if err == nil {
		return exitOK
	}
	f := failureOf(err)
	if !f.told && !f.listed && slices.Contains(m.args, "--json") {
		if err := printJSON(m.Stdout, errorBody(err, finding.Extra{Name: "success", Value: false})); err != nil {
			fmt.Fprintln(m.Stderr, "einvoiced:", err)
		}
	}
	if !f.told {
		fmt.Fprintln(m.Stderr, "einvoiced:", m.styleOf(m.Stderr).in(red, f.cause.Error()))
	}
	if f.hint != "" {
		fmt.Fprintln(m.Stderr, "hint:", f.hint)
	}
	return f.code
}

// failure is an error with what the command line makes of it.
type failure struct {
	code  int
	cause error
	hint  string // what to do about it; may be empty
	told  bool   // the cause was reported already

	listed bool // the causes were, file by file
}

// Error implements error.
func (f *failure) Error() string { return f.cause.Error() }

// Unwrap gives the cause.
func (f *failure) Unwrap() error { return f.cause }

// failureOf gives exit code and hint of an error.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if r, ok := errors.AsType[*finding.Refusal](err); ok && r.Kind != finding.Internal {
		return &failure{code: exitInvalid, cause: err}
	}
	return &failure{code: exitInternal, cause: err}
}

// workers is how many files are worked on at a time.
func workers() int { return runtime.GOMAXPROCS(0) }
