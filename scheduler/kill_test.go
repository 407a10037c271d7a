package scheduler_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/worker"
)

// The variables by which this test binary, started again, knows that it is to be a service that gets killed.
const (
	childDir     = "EINVOICED_TEST_CHILD_DIR"
	childAccount = "EINVOICED_TEST_CHILD_ACCOUNT"
	childAccepts = "EINVOICED_TEST_CHILD_ACCEPTS" // how many jobs it accepts
)

// quick is a system whose dead are found within seconds.
var quick = plan{
	ledger: ledger.Config{DeadAfter: time.Second, CrashDelay: 100 * time.Millisecond},
	queue:  queue.Config{Poll: 5 * time.Millisecond},
	places: 4,
	worker: worker.Config{Beat: 200 * time.Millisecond, Young: 100 * time.Millisecond},
	every:  100 * time.Millisecond,
}

// patient is a quick system that blames no job for being killed with its service.
var patient = func() plan {
	p := quick
	p.ledger.MaxCrashes = 1000
	return p
}()

// child is the service: it tells on standard output what it has accepted and what it has finished, and ends with its input.
func child() bool {
	dir := os.Getenv(childDir)
	if dir == "" {
		return false
	}
	if err := serveChild(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

func serveChild(dir string) error {
	p := quick
	if os.Getenv(childAccepts) != "0" {
		p = patient
	}
	p.log = slog.New(slog.NewTextHandler(os.Stdout, nil))
	h, err := build(dir, p, runChild)
	if err != nil {
		return err
	}
	chores, err := scheduler.New(scheduler.Config{Logger: p.log}, h.chores...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { chores.Run(ctx) })
	work.Go(func() { err = h.queue.Serve(ctx, h.consumer) })
	work.Go(func() { h.acceptChild() })
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	cancel()
	work.Wait()
	return errors.Join(err, h.close())
}

// runChild echoes after a moment; a poison request ends the process. The first job that a process has accepted is not done by it, so that
// there is always one that its end cuts off.
func runChild(ctx context.Context, kind string, request []byte) (ledger.Output, error) {
	switch string(request) {
	case "poison":
		os.Exit(3)
	case fmt.Sprint(os.Getpid(), "-", 0):
		<-ctx.Done()
		return ledger.Output{}, ctx.Err()
	}
	<-time.After(5 * time.Millisecond) // work that can be cut off
	return echo(ctx, kind, request)
}

// acceptChild accepts jobs and tells each when it is accepted.
func (h *system) acceptChild() {
	var n int
	_, _ = fmt.Sscan(os.Getenv(childAccepts), &n)
	for i := range n {
		job, err := h.ledger.Accept(context.Background(), ledger.NewJob{
			Account: os.Getenv(childAccount), Mode: account.Test, Kind: "echo", Request: strings.NewReader(fmt.Sprint(os.Getpid(), "-", i)),
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("accepted", job.ID)
	}
}

// service is a running child.
type service struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startService(t *testing.T, dir, accountID string, accepts int) *service {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childAccount+"="+accountID, fmt.Sprint(childAccepts, "=", accepts))
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // stays open until the process has ended
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return &service{cmd, bufio.NewScanner(out)}
}

// account makes an account in the folder's database.
func newAccount(t *testing.T, dir string) string {
	t.Helper()
	h, err := build(dir, quick, echo)
	if err != nil {
		t.Fatal(err)
	}
	accountID := h.account(t)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	return accountID
}

// tally counts what services have told.
type tally struct {
	accepted []ledger.Job
	finished map[string]int
}

// listen reads what the service tells until it has told n finished jobs more, or has ended.
func (a *tally) listen(s *service, accountID string, n int) {
	for n > 0 && s.lines.Scan() {
		line := s.lines.Text()
		if jobID, ok := strings.CutPrefix(line, "accepted "); ok {
			a.accepted = append(a.accepted, ledger.Job{ID: jobID, Account: accountID, Mode: account.Test})
		}
		if _, rest, ok := strings.Cut(line, `msg="job finished" job_id=`); ok {
			jobID, _, _ := strings.Cut(rest, " ")
			a.finished[jobID]++
			n--
		}
	}
}

func TestKilledServiceFinishesEveryAcceptedJobOnce(t *testing.T) {
	dir := t.TempDir()
	accountID := newAccount(t, dir)
	told := tally{finished: map[string]int{}}
	for kill := range 4 {
		s := startService(t, dir, accountID, 60)
		told.listen(s, accountID, 7+5*kill)
		if err := s.cmd.Process.Kill(); err != nil { // SIGKILL
			t.Fatal(err)
		}
		told.listen(s, accountID, 1000) // what it told before it died
		_ = s.cmd.Wait()                // tells the signal
	}
	h, err := build(dir, patient, echo)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	stop := h.serve(t)
	if got := h.await(t, told.accepted); got[ledger.Succeeded] != len(told.accepted) || len(told.accepted) == 0 {
		t.Errorf("of %d accepted jobs: %v", len(told.accepted), got)
	}
	stop()
	for jobID, n := range told.finished {
		if n != 1 {
			t.Errorf("job %s was finished %d times", jobID, n)
		}
	}
	h.checkOneOutput(t, told.accepted)
}

// checkOneOutput checks that every job has the output of one run, its last, and that it is whole.
func (h *system) checkOneOutput(t *testing.T, jobs []ledger.Job) {
	t.Helper()
	var interrupted int
	for _, job := range jobs {
		got, err := h.ledger.Get(t.Context(), job.Account, job.Mode, job.ID)
		if err != nil {
			t.Fatal(err)
		}
		input, inputErr := ledger.ReadAll(t.Context(), h.ledger.Input(got))
		answer, answerErr := h.ledger.Answer(t.Context(), got)
		if err := errors.Join(inputErr, answerErr); err != nil || string(input) != string(answer) {
			t.Errorf("job %s: input %q, answer %q, error %v", job.ID, input, answer, err)
		}
		if artifact, err := h.ledger.Artifact(t.Context(), got); err != nil {
			t.Errorf("job %s: %v", job.ID, err)
		} else if data, err := io.ReadAll(artifact); err != nil || string(data) != string(input) {
			t.Errorf("job %s: artifact %q, error %v", job.ID, data, err)
		}
		interrupted += min(got.Crashes, 1)
	}
	if interrupted == 0 {
		t.Error("no kill has hit a running job: the test shows nothing")
	}
}

func TestJobThatKillsItsProcessFailsWhenItWasAloneThreeTimesAndOthersAreDone(t *testing.T) {
	dir := t.TempDir()
	accountID := newAccount(t, dir)
	h, err := build(dir, quick, echo)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	poison, err := h.ledger.Accept(t.Context(), ledger.NewJob{Account: accountID, Mode: account.Test, Kind: "echo", Request: strings.NewReader("poison")})
	if err != nil {
		t.Fatal(err)
	}
	others := h.accept(t, accountID, 10)
	for range 4 { // the first time it was not known to be alone
		s := startService(t, dir, accountID, 0)
		if err := s.cmd.Wait(); err == nil || s.cmd.ProcessState.ExitCode() != 3 {
			t.Fatalf("the service ended with %v", err)
		}
	}
	stop := h.serve(t)
	if got := h.await(t, append(others, poison)); got[ledger.Succeeded] != 10 || got[ledger.Failed] != 1 {
		t.Errorf("states %v", got)
	}
	stop()
	if got, err := h.ledger.Get(t.Context(), accountID, account.Test, poison.ID); err != nil || got.Failure == nil || got.Failure.Code != "JOB_CRASHED" {
		t.Errorf("poison job %+v, error %v", got, err)
	}
}
