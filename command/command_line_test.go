package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/internal/await"
)

// asProgram makes the test binary act as the program, for tests that kill it.
const asProgram = "EINVOICED_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && os.Args[1] == "runner" { // which gets no environment
		os.Exit(Execute(os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// startProgram starts the program as a process of its own, which does not outlive the test.
func startProgram(t testing.TB, program *exec.Cmd) {
	t.Helper()
	program.Env = append(program.Environ(), asProgram+"=1")
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if program.ProcessState == nil {
			_ = program.Process.Kill()
			_ = program.Wait() // it was killed
		}
	})
}

// lockedBuffer is output that tests can read while the program writes.
type lockedBuffer = await.Buffer

// run runs a command to its end and gives what it printed.
func run(t testing.TB, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	m := &Main{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs}
	err := m.Parse(args)
	if err == nil {
		err = m.Run(t.Context())
	}
	code = m.Close(err)
	return out.String(), errs.String(), code
}

// service is a service inside the test.
type service struct {
	url, admin     string
	stdout, stderr *lockedBuffer
	stop           func() int
}

// start runs serve until the test ends or stop is called, which gives the exit code.
func start(t testing.TB, dir string, args ...string) *service {
	t.Helper()
	return begin(t, append([]string{"serve", "--data", dir, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, args...)...)
}

// begin runs a command that listens until the test ends or stop is called.
func begin(t testing.TB, args ...string) *service {
	t.Helper()
	s := &service{stdout: &lockedBuffer{}, stderr: &lockedBuffer{}}
	started, ended := make(chan struct{}), make(chan int, 1)
	m := &Main{Stdin: strings.NewReader(""), Stdout: s.stdout, Stderr: s.stderr, Self: os.Args[0], Started: func(api, admin string) {
		s.url, s.admin = "http://"+api, "http://"+admin
		close(started)
	}}
	if err := m.Parse(args); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- m.Close(m.Run(ctx)) }()
	select {
	case <-started:
	case code := <-ended:
		cancel()
		t.Fatalf("%s ended with %d: %s", args[0], code, s.stderr)
	}
	s.stop = sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() { s.stop() })
	return s
}

// get asks an address and gives status and body.
func get(t testing.TB, method, url, key, body string, header ...string) (int, http.Header, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, data
}

// eventually waits until the condition holds.
var eventually = await.True

func unmarshal(t testing.TB, data []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
}

// firstKey gives the key that a first start printed.
func (s *service) firstKey(t testing.TB) string {
	t.Helper()
	_, key := printed(s.stdout.String())
	if !strings.HasPrefix(key, "sk_test_") {
		t.Fatalf("no key was printed: %s", s.stdout)
	}
	return key
}

// printed gives what the line to export of a start sets; empty where it is not printed yet.
func printed(text string) (url, key string) {
	_, rest, _ := strings.Cut(text, "\nexport URL=")
	line, _, _ := strings.Cut(rest, "\n")
	url, key, _ = strings.Cut(line, " KEY=")
	return url, key
}

// TestServe_Job ensures that a job of the running service gives the synchronous answer and the document.
func TestServe_Job(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	key, url := s.firstKey(t), s.url+"/api/v1/invoice/de/xrechnung/generate"
	_, _, now := get(t, "POST", url, key, string(docs.Example()))
	status, _, queued := get(t, "POST", url, key, string(docs.Example()), "Prefer", "respond-async, wait=60")
	if status != 200 || !bytes.Equal(queued, now) {
		t.Errorf("status %d\nqueued      %s\nsynchronous %s", status, queued, now)
	}
	status, header, _ := get(t, "POST", url, key, string(docs.Example()), "Prefer", "respond-async")
	if status != http.StatusAccepted {
		t.Fatalf("status %d", status)
	}
	job := s.waitForJob(t, header.Get("Location"), key)
	if job.Status != "succeeded" || !bytes.Equal(job.Result, now) {
		t.Errorf("the job: %+v", job)
	}
	var answer struct{ Data []byte }
	unmarshal(t, now, &answer)
	if _, header, document := get(t, "GET", s.url+job.Artifact, key, ""); !bytes.Equal(document, answer.Data) || header.Get("Content-Type") != "application/xml" {
		t.Errorf("artifact of type %s:\n%s", header.Get("Content-Type"), document)
	}
	_, _, metrics := get(t, "GET", s.admin+"/metrics", "", "")
	for _, want := range []string{"einvoiced_documents_total{country=\"de\",format=\"xrechnung\",operation=\"generate\",outcome=\"ok\"} 3", "einvoiced_build_info{", "go_goroutines", "http_server_request_duration_seconds_bucket"} {
		if !strings.Contains(string(metrics), want) {
			t.Errorf("no metric %s", want)
		}
	}
}

type jobAnswer struct {
	Status   string
	Result   json.RawMessage
	Artifact string
}

func (s *service) waitForJob(t testing.TB, path, key string) (job jobAnswer) {
	t.Helper()
	eventually(t, "the job "+path+" has ended", func() bool {
		_, _, body := get(t, "GET", s.url+path, key, "")
		unmarshal(t, body, &job)
		return job.Status != "queued" && job.Status != "running"
	})
	return job
}

// TestServe_Killed ensures that jobs which were accepted are done although the process is killed at once.
func TestServe_Killed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := exec.Command(os.Args[0], "serve", "--data", dir, "--listen", "127.0.0.1:0", "--admin-listen", "off")
	stdout := &lockedBuffer{}
	program.Stdout = stdout
	startProgram(t, program)
	killed := service{stdout: stdout}
	eventually(t, "the service has started", func() bool { return strings.Contains(stdout.String(), "/generate\"") })
	killed.url, _ = printed(stdout.String())
	key := killed.firstKey(t)
	var jobs []string
	for range 20 {
		status, header, body := get(t, "POST", killed.url+"/api/v1/invoice/de/xrechnung/generate", key, string(docs.Example()), "Prefer", "respond-async")
		if status != http.StatusAccepted {
			t.Fatalf("status %d: %s", status, body)
		}
		jobs = append(jobs, header.Get("Location"))
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // it was killed
	s := start(t, dir)
	for _, path := range jobs {
		if job := s.waitForJob(t, path, key); job.Status != "succeeded" {
			t.Errorf("%s: %+v", path, job)
		}
	}
}

// TestServe_Stops ensures that a request which is being answered is answered before the service ends.
func TestServe_Stops(t *testing.T) {
	s := start(t, t.TempDir())
	body, write := io.Pipe()
	answered := make(chan int, 1)
	url, key := s.url+"/api/v1/invoice/de/xrechnung/generate", s.firstKey(t)
	go func() {
		req, _ := http.NewRequest("POST", url, body)
		req.Header.Set("Authorization", "Bearer "+key)
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		res, err := transport.RoundTrip(req)
		if err != nil {
			answered <- 0
			return
		}
		_ = res.Body.Close()
		answered <- res.StatusCode
	}()
	half := len(docs.Example()) / 2
	if _, err := write.Write(docs.Example()[:half]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the request has arrived", func() bool {
		_, _, metrics := get(t, "GET", s.admin+"/metrics", "", "")
		return strings.Contains(string(metrics), "http_server_active_requests 1")
	})
	stopped := make(chan int, 1)
	go func() { stopped <- s.stop() }()
	eventually(t, "the service stops", func() bool { return strings.Contains(s.stderr.String(), `"msg":"stopping"`) })
	if _, err := write.Write(docs.Example()[half:]); err != nil {
		t.Fatal(err)
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	if status, code := <-answered, <-stopped; status != 200 || code != exitOK {
		t.Errorf("status %d, exit code %d\n%s", status, code, s.stderr)
	}
}

// TestServe_CannotStart ensures that what prevents a start is told with a hint, and that nothing stays locked.
func TestServe_CannotStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	taken := strings.TrimPrefix(s.url, "http://")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"the folder is served": {[]string{"--data", dir}, "another einvoiced serves the folder"},
		"the address is taken": {[]string{"--data", t.TempDir(), "--listen", taken}, "hint: choose another address with --listen (EINVOICED_LISTEN)"},
		"the admin address is": {[]string{"--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-listen", taken}, "hint: choose another address with --admin-listen"},
		"no folder":            {[]string{"--data", file}, "hint: --data (EINVOICED_DATA) names the folder"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, stderr, code := run(t, "", append([]string{"serve"}, c.args...)...); code != exitInternal || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
}

// TestServe_AdminHasAListenerOfItsOwn ensures that profiles and metrics are on the admin listener only.
func TestServe_AdminHasAListenerOfItsOwn(t *testing.T) {
	s := start(t, t.TempDir())
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap"} {
		if status, _, _ := get(t, "GET", s.url+path, "", ""); status != 404 {
			t.Errorf("%s on the public listener: status %d", path, status)
		}
		if status, _, _ := get(t, "GET", s.admin+path, "", ""); status != 200 {
			t.Errorf("%s on the admin listener: status %d", path, status)
		}
	}
	if status, _, _ := get(t, "GET", s.url+"/readyz", "", ""); status != 200 {
		t.Errorf("readiness: status %d", status)
	}
}

// TestFlags_HaveEnvironmentTwins ensures that every setting of the service can come from the environment.
func TestFlags_HaveEnvironmentTwins(t *testing.T) {
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		for _, flag := range command.Flags {
			twin := "EINVOICED_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			if command.Name == "serve" && flag.Name != "help" && (len(flag.Envs) != 1 || flag.Envs[0] != twin) {
				t.Errorf("--%s has the twins %v, want %s", flag.Name, flag.Envs, twin)
			}
			if flag.Help == "" || strings.HasSuffix(flag.Help, "..") {
				t.Errorf("--%s: help %q", flag.Name, flag.Help)
			}
		}
	}
	t.Setenv("EINVOICED_DATA", made(t))
	if _, stderr, code := run(t, "", "keys", "create"); code != exitOK || !strings.Contains(stderr, "created test key") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestServe_Signals ensures that the first signal ends the service in its order, and the second at once.
func TestServe_Signals(t *testing.T) {
	t.Parallel()
	stdout := &lockedBuffer{}
	program := exec.Command(os.Args[0], "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-listen", "off")
	stderr := &lockedBuffer{}
	program.Stdout, program.Stderr = stdout, stderr
	startProgram(t, program)
	eventually(t, "the service serves", func() bool {
		return strings.Contains(stderr.String(), `"msg":"serving"`) && strings.Contains(stdout.String(), "/generate\"")
	})
	base, key := printed(stdout.String())
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// A body that does not come keeps the service from ending by itself.
	fmt.Fprintf(conn, "POST /api/v1/invoice/parse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n", key)
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the service does not ask for the body: %v", err)
	}
	for _, until := range []string{`"msg":"stopping"`, "einvoiced: forced to stop"} {
		if err := program.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		eventually(t, until, func() bool { return strings.Contains(stderr.String(), until) })
	}
	_ = program.Wait() // it tells the exit code below
	if code := program.ProcessState.ExitCode(); code != exitInternal {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
