package subprocess

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/internal/await"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// asProcess makes the test binary act as a subprocess. Processes get no environment that could say so.
const asProcess = "act-as-subprocess"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asProcess {
		os.Exit(act())
	}
	goleak.VerifyTestMain(m)
}

// memory bounds the processes of these tests.
const memory = 2 << 30

// act is main of a subprocess.
func act() int {
	if err := Confine(memory); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	d := Doer{Runner: deeds{}, Follow: func(_ context.Context, r ledger.Rulebooks) error {
		if r.Digest != "known" {
			return errors.New("rulebooks are not known here")
		}
		return nil
	}}
	replies, shared := Files()
	if err := Serve(context.Background(), d, os.Stdin, replies, shared); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// deeds are runs that do what their kind says.
type deeds struct{}

// Run implements job.Runner.
func (deeds) Run(ctx context.Context, run job.Run, request ledger.Content) (ledger.Output, error) {
	said := func(format string, args ...any) (ledger.Output, error) {
		return ledger.Output{Status: 200, Answer: ledger.Bytes(fmt.Sprintf(format, args...))}, nil
	}
	switch run.Kind {
	case "pid":
		return said("%d", os.Getpid())
	case "environment":
		return said("%s", strings.Join(os.Environ(), "\n"))
	case "place":
		return said("%s", place())
	case "session":
		return said("%s", session())
	case "print":
		fmt.Println(strings.Repeat("x", 1<<20))
		return said("printed")
	case "slow":
		for _, percent := range []int{10, 5, 50, 50, 90} {
			progress.Note(ctx, percent)
		}
	case "error":
		return ledger.Output{}, errors.New("the store is away")
	case "panic":
		panic("a run panics")
	case "exit":
		fmt.Fprintln(os.Stderr, "fatal error: of the test")
		os.Exit(3)
	case "eat":
		eaten := bytes.Repeat([]byte{1}, 2*memory)
		return said("%d", len(eaten))
	case "vanish":
		return ledger.Output{Status: 200, Answer: vanished{}}, nil
	case "hang":
		fmt.Fprint(os.Stderr, "hangs")
		select {}
	}
	data, err := ledger.ReadAll(ctx, request)
	return whole(data), err
}

// vanished is a content that is not kept any more.
type vanished struct{}

func (vanished) Size() int64                                 { return 5 }
func (vanished) Open(context.Context) (io.ReadCloser, error) { return nil, ledger.ErrGone }

// short is a content that ends too soon.
type short struct{ ledger.Bytes }

func (s short) Size() int64 { return s.Bytes.Size() + 1 }

// whole is an output in which everything is set.
func whole(request ledger.Bytes) ledger.Output {
	return ledger.Output{
		Status: 200, Answer: slices.Concat(ledger.Bytes("answer to "), request),
		Document:  &ledger.Document{Filename: "a.xml", MimeType: "application/xml", Content: request},
		Rulebooks: ledger.Rulebooks{Number: 7, Digest: "d"}, Events: []ledger.Event{{Type: "invoice.created", Object: request}, {Type: "other", Object: []byte("{}")}},
	}
}

// place tells how the process stands among the others: niceness of all its threads, memory limit, and who goes first.
func place() string {
	var limit syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) // zero shows
	score, _ := os.ReadFile("/proc/self/oom_score_adj")
	worst := 40
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			worst = min(worst, niceness(id))
		}
	}
	return fmt.Sprintf("nice %d, memory %d, oom %s", worst, limit.Cur, bytes.TrimSpace(score))
}

// session tells whether the process leads a session, and how far that stands behind others where the kernel groups by sessions.
func session() string {
	id, _ := unix.Getsid(0)                         // zero shows
	group, _ := os.ReadFile("/proc/self/autogroup") // nothing where the kernel does not
	_, nice, _ := strings.Cut(strings.TrimSpace(string(group)), " ")
	return fmt.Sprint(id == os.Getpid(), " ", nice)
}

// niceness is that of a thread, 0 for the calling one.
func niceness(thread int) int {
	inverse, _ := syscall.Getpriority(syscall.PRIO_PROCESS, thread) // zero shows
	return 20 - inverse
}

// fixture is a Runner on processes of the test binary.
type fixture struct {
	*Runner
	log await.Buffer
}

const from = 64

func newFixture(t testing.TB, change ...func(*Config)) *fixture {
	t.Helper()
	f := &fixture{}
	cfg := Config{
		Program: []string{os.Args[0], asProcess}, From: from, Logger: slog.New(slog.NewTextHandler(&f.log, nil)),
		Rulebooks: func() ledger.Rulebooks { return ledger.Rulebooks{Number: 1, Digest: "known"} },
	}
	for _, c := range change {
		c(&cfg)
	}
	runner, err := New(cfg, deeds{})
	if err != nil {
		t.Fatal(err)
	}
	f.Runner = runner
	t.Cleanup(f.Close)
	return f
}

// large is a request that is done in a subprocess.
var large = ledger.Bytes(strings.Repeat("l", from))

// taken gives an output with its contents in memory, and releases it.
func taken(t testing.TB, output ledger.Output) ledger.Output {
	t.Helper()
	all := func(c ledger.Content) ledger.Content {
		data, err := ledger.ReadAll(t.Context(), c)
		if err != nil {
			t.Error(err)
		}
		return ledger.Bytes(data)
	}
	output.Answer = all(output.Answer)
	if d := output.Document; d != nil {
		output.Document = &ledger.Document{Filename: d.Filename, MimeType: d.MimeType, Content: all(d.Content)}
	}
	if output.Release != nil {
		output.Release()
		output.Release = nil
	}
	return output
}

// answer does a run that must succeed.
func (f *fixture) answer(t testing.TB, kind string, request ledger.Bytes) string {
	t.Helper()
	output, err := f.Run(t.Context(), job.Run{Kind: kind}, request)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return string(taken(t, output).Answer.(ledger.Bytes))
}

// pid does a run in a subprocess and gives the process that did it.
func (f *fixture) pid(t testing.TB) int {
	t.Helper()
	pid, err := strconv.Atoi(f.answer(t, "pid", large))
	if err != nil || pid == os.Getpid() {
		t.Fatalf("the run was done in process %d, this one is %d: %v", pid, os.Getpid(), err)
	}
	return pid
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestLargeRunsAreDoneInSubprocessesAndOthersHere(t *testing.T) {
	f := newFixture(t)
	if local := f.answer(t, "pid", large[1:]); local != strconv.Itoa(os.Getpid()) {
		t.Errorf("a small run was done in process %s", local)
	}
	if a, b := f.pid(t), f.pid(t); a != b {
		t.Errorf("processes %d and %d: the first was not kept", a, b)
	}
}

// TestIsolationOfAKindDecides ensures that a kind which is always isolated is done in a subprocess also when it is small, and one that never
// is in this process also when it is large.
func TestIsolationOfAKindDecides(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Isolation = func(string) job.Isolation { return job.Always } })
	if pid := f.answer(t, "pid", large[1:]); pid == strconv.Itoa(os.Getpid()) {
		t.Error("a small run of a kind that is always isolated was done here")
	}
	f = newFixture(t, func(c *Config) { c.Isolation = func(string) job.Isolation { return job.Never } })
	if pid := f.answer(t, "pid", large); pid != strconv.Itoa(os.Getpid()) {
		t.Errorf("a run of a kind that is never isolated was done in process %s", pid)
	}
}

func TestWithoutAProgramAllIsDoneHere(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Program = nil })
	if local := f.answer(t, "pid", large); local != strconv.Itoa(os.Getpid()) {
		t.Errorf("done in process %s", local)
	}
}

func TestOutputsAreTheSameInASubprocessAndHere(t *testing.T) {
	f := newFixture(t)
	for _, size := range []int{from, 70_000, 5 << 20} {
		request := ledger.Bytes(strings.Repeat("0123456789\n", size/11+6))
		output, err := f.Run(t.Context(), job.Run{Kind: "whole"}, request)
		if err != nil {
			t.Fatal(err)
		}
		if output = taken(t, output); !reflect.DeepEqual(output, whole(request)) {
			t.Errorf("%d bytes: %.500v", size, output)
		}
	}
}

func TestRunsTellHowFarTheyAre(t *testing.T) {
	f := newFixture(t)
	for range 2 {
		var told []int
		ctx := progress.With(t.Context(), func(percent int) { told = append(told, percent) })
		output, err := f.Run(ctx, job.Run{Kind: "slow"}, large)
		if err != nil {
			t.Fatal(err)
		}
		output.Release()
		if want := []int{10, 50, 90}; !slices.Equal(told, want) {
			t.Errorf("told %d, want %d", told, want)
		}
	}
}

func TestRunsBesideEachOtherHaveProcessesOfTheirOwn(t *testing.T) {
	f := newFixture(t)
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			for n := range 8 {
				request := ledger.Bytes(strings.Repeat(fmt.Sprintf("%d.%d ", i, n), from+i))
				output, err := f.Run(t.Context(), job.Run{Kind: "whole"}, request)
				if err != nil {
					t.Errorf("run %d.%d: %v", i, n, err)
				} else if !reflect.DeepEqual(taken(t, output).Document.Content, ledger.Content(request)) {
					t.Errorf("run %d.%d has the output of another", i, n)
				}
			}
		})
	}
	work.Wait()
}

func TestFailuresOfARunLeaveTheProcess(t *testing.T) {
	f := newFixture(t)
	before := f.pid(t)
	for kind, want := range map[string]string{"error": "the store is away", "panic": "a run panics", "vanish": "write shared file"} {
		if _, err := f.Run(t.Context(), job.Run{Kind: kind}, large); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrDied) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if after := f.pid(t); after != before {
		t.Errorf("process %d was replaced by %d", before, after)
	}
}

func TestDeathOfARunIsToldAndSurvived(t *testing.T) {
	f := newFixture(t)
	for kind, want := range map[string]string{"exit": "exit status 3: fatal error: of the test", "eat": "memory|allocate"} {
		if _, err := f.Run(t.Context(), job.Run{Kind: kind}, large); !errors.Is(err, ErrDied) || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%s: %v", kind, err)
		}
		f.pid(t)
	}
	if diff := cmp.Diff(map[Course]int64{Subprocess: 2, Died: 2, Local: 0}, f.Counts()); diff != "" {
		t.Errorf("what was counted (-want +got):\n%s", diff)
	}
}

// TestOutputStaysUntilItIsReleased ensures that the next run has another process as long as an output is read, and that the death of its
// process takes nothing of it.
func TestOutputStaysUntilItIsReleased(t *testing.T) {
	f := newFixture(t)
	pid := f.pid(t)
	request := ledger.Bytes(strings.Repeat("x", 1<<20))
	output, err := f.Run(t.Context(), job.Run{Kind: "whole"}, request)
	if err != nil {
		t.Fatal(err)
	}
	if other := f.pid(t); other == pid || len(f.idle) != 1 {
		t.Errorf("another run was done by process %d, the output is of %d; %d processes wait", other, pid, len(f.idle))
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the process has died", func() bool { return gone(pid) })
	if got := taken(t, output); !reflect.DeepEqual(got, whole(request)) {
		t.Errorf("got %.500v", got)
	}
	if len(f.idle) != 2 {
		t.Errorf("%d processes wait after the release, want 2", len(f.idle))
	}
	for _, p := range f.idle {
		if info, err := p.shared.file.Stat(); err != nil || info.Size() != 0 {
			t.Errorf("a process waits with %d bytes on its shared file: %v", info.Size(), err)
		}
	}
}

// TestRequestThatCannotBeReadIsTheRunsFailure ensures that it is nobody's death, and that the process does the next run.
func TestRequestThatCannotBeReadIsTheRunsFailure(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.From = 1 })
	before := f.pid(t)
	for want, request := range map[error]ledger.Content{ledger.ErrGone: vanished{}, io.ErrUnexpectedEOF: short{large}} {
		if _, err := f.Run(t.Context(), job.Run{Kind: "whole"}, request); !errors.Is(err, want) || errors.Is(err, ErrDied) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	if after := f.pid(t); after != before {
		t.Errorf("process %d was replaced by %d", before, after)
	}
}

// TestRequestIsUnpackedByTheProcess ensures that what is kept is handed over as it is, and that damage is told as where the worker reads it.
func TestRequestIsUnpackedByTheProcess(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.From = 1 })
	before := f.pid(t)
	sound := string(large)
	sum := sha256.Sum256(large)
	form := ledger.Form{Info: blob.Info{Size: large.Size(), SHA256: hex.EncodeToString(sum[:])}}
	for name, c := range map[string]struct {
		kept string
		open error
		want error
	}{
		"sound":   {kept: sound},
		"damaged": {kept: sound[1:] + "x", want: ledger.ErrCorrupt},
		"longer":  {kept: sound + "x", want: ledger.ErrCorrupt},
		"cut off": {kept: sound[1:], want: ledger.ErrCorrupt},
		"gone":    {open: ledger.ErrGone, want: ledger.ErrGone},
	} {
		output, err := f.Run(t.Context(), job.Run{Kind: "whole"}, keptAs{ledger.Bytes("is not opened"), c.kept, c.open, form})
		if !errors.Is(err, c.want) || errors.Is(err, ErrDied) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		if err == nil {
			if got, err := ledger.ReadAll(t.Context(), output.Answer); err != nil || !bytes.Equal(got, whole(large).Answer.(ledger.Bytes)) {
				t.Errorf("%s: %.80q, error %v", name, got, err)
			}
			output.Release()
		}
	}
	if after := f.pid(t); after != before {
		t.Errorf("process %d was replaced by %d", before, after)
	}
}

// keptAs is a Kept of these bytes.
type keptAs struct {
	ledger.Bytes
	kept string
	open error
	form ledger.Form
}

// Size implements ledger.Content.
func (k keptAs) Size() int64 { return k.form.Info.Size }

// OpenKept implements ledger.Kept.
func (k keptAs) OpenKept(context.Context) (io.ReadCloser, ledger.Form, error) {
	return io.NopCloser(strings.NewReader(k.kept)), k.form, k.open
}

func TestProcessKilledWhileItWaitsCostsNoRun(t *testing.T) {
	f := newFixture(t)
	pid := f.pid(t)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if after := f.pid(t); after == pid {
		t.Errorf("process %d has come back", pid)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	f := newFixture(t)
	pid := f.pid(t)
	why := errors.New("time is over")
	ctx, end := context.WithCancelCause(t.Context())
	f.mu.Lock()
	said := &f.idle[0].said
	f.mu.Unlock()
	ended := make(chan error, 1)
	go func() {
		_, err := f.Run(ctx, job.Run{Kind: "hang"}, large)
		ended <- err
	}()
	await.True(t, "the run hangs", func() bool { return said.String() != "" })
	end(why)
	if err := <-ended; !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if !gone(pid) {
		t.Errorf("process %d goes on", pid)
	}
	if _, err := f.Run(ctx, job.Run{Kind: "pid"}, large); !errors.Is(err, why) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestWhatNoProcessCanDoIsDoneNear(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"other rulebooks":     func(c *Config) { c.Rulebooks = func() ledger.Rulebooks { return ledger.Rulebooks{Digest: "other"} } },
		"no such program":     func(c *Config) { c.Program = []string{"/no/such/program"} },
		"a program that ends": func(c *Config) { c.Program = []string{"/bin/false"} },
		"a program that says junk": func(c *Config) {
			c.Program = []string{"/bin/sh", "-c", "echo junk >&3; exec cat"}
			c.Start = 100 * time.Millisecond
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, change)
			if local := f.answer(t, "pid", large); local != strconv.Itoa(os.Getpid()) {
				t.Errorf("done in process %s", local)
			}
			if !strings.Contains(f.log.String(), "level=WARN") {
				t.Errorf("nobody was warned: %s", &f.log)
			}
			if n := f.Counts()[Local]; n != 1 {
				t.Errorf("%d runs were counted", n)
			}
		})
	}
}

func TestProcessStandsBehindTheOthers(t *testing.T) {
	f := newFixture(t)
	behind := max(background, niceness(0)) // whoever runs the tests may be further behind
	if got, want := f.answer(t, "place", large), fmt.Sprintf("nice %d, memory %d, oom %s", behind, memory, firstToDie); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSessionStandsBehindTheOthers ensures that a process gives way to those of other sessions, as connections of PostgreSQL are. Without privileges
// the kernel may have it done a little later.
func TestSessionStandsBehindTheOthers(t *testing.T) {
	f, want := newFixture(t, func(c *Config) { c.Session = true }), "true "
	if _, err := os.Stat("/proc/self/autogroup"); err == nil {
		want += fmt.Sprint("nice ", background)
	}
	await.True(t, "its session is "+want, func() bool { return f.answer(t, "session", large) == want })
}

// TestSessionIsTheWorkers ensures that a process without a session of its own leaves that of its worker as it is.
func TestSessionIsTheWorkers(t *testing.T) {
	_, nice, _ := strings.Cut(session(), " ")
	f := newFixture(t)
	if got, want := f.answer(t, "session", large), "false "+nice; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, now, _ := strings.Cut(session(), " "); now != nice {
		t.Errorf("the session of the tests was %s and is %s", nice, now)
	}
}

func TestProcessKnowsNoSecret(t *testing.T) {
	t.Setenv("EINVOICED_SECRET_KEY", "secret")
	t.Setenv("GOGC", "90")
	got := strings.Split(newFixture(t).answer(t, "environment", large), "\n")
	if !slices.Contains(got, "GOGC=90") || slices.ContainsFunc(got, func(v string) bool { return !strings.HasPrefix(v, "GO") }) {
		t.Errorf("its environment: %q", got)
	}
}

func TestPrintingHarmsNobody(t *testing.T) {
	f := newFixture(t)
	if got := f.answer(t, "print", large); got != "printed" {
		t.Errorf("got %s", got)
	}
}

func TestSignalsToEndAreNotForTheProcess(t *testing.T) {
	f := newFixture(t)
	pid := f.pid(t)
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
	}
	if after := f.pid(t); after != pid {
		t.Errorf("process %d has ended", pid)
	}
}

func TestProcessThatWaitsTooLongLeaves(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Idle = time.Millisecond })
	pid := f.pid(t)
	await.True(t, "the process has left", func() bool { return gone(pid) })
	f.pid(t)
}

func TestCloseEndsWhatWaits(t *testing.T) {
	f := newFixture(t)
	pid := f.pid(t)
	f.Close()
	if !gone(pid) {
		t.Errorf("process %d waits", pid)
	}
	if after := f.pid(t); !gone(after) {
		t.Errorf("process %d was kept after Close", after)
	}
}

// TestServeEndsWithItsWorker ensures that a run is left at once when the orders end, as they do when the worker is killed.
func TestServeEndsWithItsWorker(t *testing.T) {
	orders, theirs := io.Pipe()
	began, letGo := make(chan struct{}), make(chan struct{})
	defer close(letGo)
	d := Doer{Runner: waits{began, letGo}, Follow: func(context.Context, ledger.Rulebooks) error { return nil }}
	served := make(chan error, 1)
	go func() { served <- Serve(t.Context(), d, orders, io.Discard, emptyFile(t).file) }()
	if err := gob.NewEncoder(theirs).Encode(&order{Run: job.Run{Kind: "wait"}}); err != nil {
		t.Fatal(err)
	}
	<-began
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Errorf("served: %v", err)
	}
}

// waits is a run that does not heed its context.
type waits struct{ began, letGo chan struct{} }

// Run implements job.Runner.
func (w waits) Run(context.Context, job.Run, ledger.Content) (ledger.Output, error) {
	close(w.began)
	<-w.letGo
	return ledger.Output{}, nil
}

// emptyFile gives a shared file that the test closes.
func emptyFile(t *testing.T) sharedFile {
	t.Helper()
	s, err := newSharedFile()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.file.Close() })
	return s
}

func TestServeRefusesOrdersThatAreNone(t *testing.T) {
	d := Doer{Runner: deeds{}, Follow: func(context.Context, ledger.Rulebooks) error { return nil }}
	for _, junk := range []string{"junk", "\x03\x01\x02\x03", strings.Repeat("\xff", 64)} {
		if err := Serve(t.Context(), d, strings.NewReader(junk), io.Discard, emptyFile(t).file); err == nil {
			t.Errorf("%q was taken", junk)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for name, cfg := range map[string]Config{
		"a program without rulebooks": {Program: []string{"x"}}, "a negative size": {From: -1}, "a negative time": {Idle: -1},
	} {
		if _, err := New(cfg, deeds{}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func BenchmarkRun_Subprocess(b *testing.B) {
	f := newFixture(b)
	request := ledger.Bytes(strings.Repeat("x", 11<<20))
	b.SetBytes(request.Size())
	b.ReportAllocs()
	for b.Loop() {
		output, err := f.Run(b.Context(), job.Run{Kind: "whole"}, request)
		if err != nil {
			b.Fatal(err)
		}
		output.Release()
	}
}
