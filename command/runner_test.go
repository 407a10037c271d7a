package command

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// largeRequest is a request that workers do in a process of their own.
func largeRequest(t *testing.T) string {
	t.Helper()
	return edited(t, "items", lines(4000), "subtotal", "4000", "total", "4760",
		"taxSummary", `[{"taxRate": 19, "taxCategoryCode": "S", "netAmount": 4000, "taxAmount": 760}]`)
}

// generateLarge has the large request done and gives the answer and the course that its run took.
func (c *contract) generateLarge(t *testing.T) (answer []byte, course string) {
	t.Helper()
	courses := []string{"subprocess", "here", "died"}
	count := func(course string) string { return c.metric(t, `einvoiced_large_runs_total{course="`+course+`"}`) }
	before := map[string]string{}
	for _, c := range courses {
		before[c] = count(c)
	}
	r := c.ask(t, "POST", generatePath, largeRequest(t))
	if r.Status != 200 {
		t.Fatalf("status %d: %.300s", r.Status, r.Body)
	}
	for _, c := range courses {
		if count(c) != before[c] {
			course += c
		}
	}
	return r.Body, course
}

// TestServe_DoesLargeRunsInSubprocesses ensures that a large job is done in a process of its own, with the answer that the service gives where
// it cannot start one, byte for byte, and that the flags of the service reach that process.
func TestServe_DoesLargeRunsInSubprocesses(t *testing.T) {
	t.Parallel()
	outside, course := newContract(t).generateLarge(t)
	if course != "subprocess" {
		t.Errorf("the run took the course %q", course)
	}
	here, course := newContract(t, "--inline-max-lines", "25000", "--inline-max-time", "1h").generateLarge(t)
	if course != "" || !bytes.Equal(outside, here) {
		t.Errorf("the inline run took the course %q; the answers are %d and %d bytes long", course, len(outside), len(here))
	}
	small := newContract(t, "--no-large-invoices", "--rulebooks", orderBooks(t))
	if _, course := small.generateLarge(t); course != "subprocess" {
		t.Errorf("with flags the run took the course %q", course)
	}
}

// TestServe_DoesLargeRunsByItsOwnRulebooks ensures that a subprocess judges by the rulebooks in use: where the folder has changed
// without a reload a new process cannot, one that has them goes on, and both follow to those that are reloaded.
func TestServe_DoesLargeRunsByItsOwnRulebooks(t *testing.T) {
	books := orderBooks(t)
	c := newContract(t, "--rulebooks", books)
	reload := func() {
		if _, stderr, code := c.reload(t); code != exitOK {
			t.Fatal(stderr)
		}
	}
	var answers [][]byte
	for _, step := range []struct {
		version string // that comes into the folder before
		reload  bool
		course  string
	}{{"1.3", false, "here"}, {"", true, "subprocess"}, {"1.4", false, "subprocess"}, {"", true, "subprocess"}} {
		if step.version != "" {
			importOrders(t, books, step.version)
		}
		if step.reload {
			reload()
		}
		answer, course := c.generateLarge(t)
		if course != step.course {
			t.Errorf("%+v: the run took the course %q", step, course)
		}
		answers = append(answers, answer)
	}
	if slices.ContainsFunc(answers, func(a []byte) bool { return !bytes.Equal(a, answers[0]) }) {
		t.Error("the answers differ")
	}
}

// TestFollow ensures that the number of rulebooks follows also where they stay the same, and that others are told from those wanted.
func TestFollow(t *testing.T) {
	books := orderBooks(t)
	registry := func() *rulebook.Registry {
		r, err := (&rulebooksFlag{Rulebooks: books}).registry(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := registry()
	old := inUse(r)
	importOrders(t, books, "1.3")
	latest := inUse(registry())
	for _, step := range []struct {
		want ledger.Rulebooks
		ok   bool
	}{
		{ledger.Rulebooks{Number: 5, Digest: old.Digest}, true},
		{ledger.Rulebooks{Number: 6, Digest: "others"}, false},
		{ledger.Rulebooks{Number: 6, Digest: latest.Digest}, true},
		{ledger.Rulebooks{Number: 7, Digest: latest.Digest}, true},
		{ledger.Rulebooks{Number: 8, Digest: old.Digest}, false},
	} {
		before := inUse(r)
		err := follow(t.Context(), r, step.want)
		if (err == nil) != step.ok {
			t.Errorf("%+v: %v", step, err)
		}
		if now := inUse(r); step.ok && now != step.want || !step.ok && now != before {
			t.Errorf("%+v: %+v are in use", step, now)
		}
	}
}

// TestRunnerArguments ensures that the settings of operations reach the subprocess as they are.
func TestRunnerArguments(t *testing.T) {
	for _, flags := range [][]string{
		{},
		{"--no-large-invoices", "--strict-country-specific", "--rulebooks", "../testdata/rulebooks"},
	} {
		given := parsed(t, append([]string{"serve"}, flags...)...)
		s := settings{processFlags: given.Serve.processFlags}
		got := parsed(t, s.runnerArguments()...)
		if got.Runner.operationFlags != given.Serve.operationFlags || got.Runner.rulebooksFlag != given.Serve.rulebooksFlag {
			t.Errorf("%q: %+v became %+v", flags, given.Serve.operationFlags, got.Runner.judgingFlags)
		}
	}
}

// parsed reads a command line.
func parsed(t *testing.T, args ...string) (c commands) {
	t.Helper()
	parser, err := kong.New(&c)
	if err == nil {
		_, err = parser.Parse(args)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSelf_IsTheRunningProgram ensures that the program finds its own file.
func TestSelf_IsTheRunningProgram(t *testing.T) {
	own, err := os.Stat(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	found, err := os.Stat(self())
	if err != nil || !os.SameFile(own, found) {
		t.Errorf("%s is not %s: %v", self(), os.Args[0], err)
	}
}

// TestRunner_TellsWhyItCannotStart ensures that a folder of rulebooks that is broken ends the process with the reason, and that the
// process has given way alone: not the one that started it without a group of its own.
func TestRunner_TellsWhyItCannotStart(t *testing.T) {
	before, _ := syscall.Getpriority(syscall.PRIO_PROCESS, os.Getpid())
	said, err := exec.CommandContext(t.Context(), os.Args[0], "runner", "--rulebooks", "no/such/folder").CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitUsage || !strings.Contains(string(said), "no/such/folder") {
		t.Errorf("%v: %s", err, said)
	}
	if after, err := syscall.Getpriority(syscall.PRIO_PROCESS, os.Getpid()); after != before || err != nil {
		t.Errorf("the niceness of the process that started it was %d and is %d: %v", 20-before, 20-after, err)
	}
}
