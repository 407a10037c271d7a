package harness

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/internal/await"
)

// sleeper is a process that says hello and then waits for signals.
func sleeper(t *testing.T, script string) *Process {
	t.Helper()
	p := NewProcess(t, "sleeper", func() *exec.Cmd { return exec.Command("sh", "-c", script) })
	p.Start()
	await.True(t, "it says hello", func() bool { return strings.Contains(p.Log(), "hello") })
	return p
}

func TestProcess_TellsTheTimeOfItsChildren(t *testing.T) {
	p := sleeper(t, `(while :; do :; done) & echo hello; wait`)
	await.True(t, "its child has worked", func() bool { return p.CPU() >= 2*clockTick })
	p.Kill()
}

func TestUsedBy_ReadsWhatLinuxTells(t *testing.T) {
	parent, used := usedBy("12 (a) b) (c) S 7 12 12 0 -1 4194560 1 2 3 4 10 5 2 1 20 0 1 0 99 1000 10")
	if parent != 7 || used != 18*clockTick {
		t.Errorf("parent %d, used %s", parent, used)
	}
	if parent, used := usedBy("12 (a) S 7"); parent != 0 || used != 0 {
		t.Errorf("of half a line: parent %d, used %s", parent, used)
	}
}

func TestProcess_IsKilledStoppedAndStartedAgain(t *testing.T) {
	p := sleeper(t, `trap 'exit 7' TERM; echo hello; while :; do sleep 0.01; done`)
	if code := p.Stop(10 * time.Second); code != 7 || p.Alive() {
		t.Errorf("stopped with %d, alive %t", code, p.Alive())
	}
	p.Start()
	p.Kill()
	if code := p.Ended(time.Second); code != -1 || p.Alive() {
		t.Errorf("killed with %d, alive %t", code, p.Alive())
	}
	p.Signal(9) // to nobody
}

func TestProcess_PausedDoesNothing(t *testing.T) {
	// A shell that has just forked waits for its child, which is paused before it runs, and is itself never seen stopped: exec.
	p := sleeper(t, `echo hello; exec sleep 600`)
	stopped := func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
		return err == nil && strings.Contains(string(status), ") T ")
	}
	p.Pause()
	await.True(t, "it is stopped", stopped)
	p.Resume()
	await.True(t, "it goes on", func() bool { return p.Alive() && !stopped() })
}

func TestFaulty_PutsStatementsIntoFunctionsByName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	source := "package a\n\ntype T int\n\nfunc F() { f() }\n\nfunc (t *T) M() {\n\tf()\n}\n\nfunc (T) F() {}\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	o := overlay{t: t}
	got, names := o.faulty(file, []Fault{{Func: "F", Code: "one()"}, {Func: "T.M", Code: "defer two()"}})
	want := "package a\n\ntype T int\n\nfunc F() { one();  f() }\n\nfunc (t *T) M() { defer two(); \n\tf()\n}\n\nfunc (T) F() {}\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"T.M", "F"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestOverlay_LeavesTheCheckoutAlone(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module played\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { say() }\n\nfunc say() { println(\"plain\") }\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	path := BuildFaulty(t, filepath.Join(t.TempDir(), "played"), []Fault{{".", "say", "fault()"}},
		map[string]string{".": "package main\n\nfunc fault() { println(\"faulty\") }\n"})
	out, err := exec.Command(path).CombinedOutput()
	if err != nil || string(out) != "faulty\nplain\n" {
		t.Errorf("%q, %v", out, err)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// echoed gives a proxy before a server that sends back what it gets, and a connection through it.
func echoed(t *testing.T) (*Proxy, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	p := StartProxy(t, l.Addr().String())
	conn, err := net.Dial("tcp", "127.0.0.1:"+p.Port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return p, conn
}

func TestProxy_PassesWhatTheWeatherLets(t *testing.T) {
	p, conn := echoed(t)
	lines := bufio.NewReader(conn)
	for _, w := range []Weather{{}, {Slice: 1}, {Latency: time.Millisecond}} {
		p.Set(w)
		if _, err := conn.Write([]byte("hello there\n")); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || line != "hello there\n" {
			t.Errorf("%+v: %q, %v", w, line, err)
		}
	}
	p.Set(Weather{BlackHole: true})
	if _, err := conn.Write([]byte("kept\n")); err != nil {
		t.Fatal(err)
	}
	p.Set(Weather{})
	if line, err := lines.ReadString('\n'); err != nil || line != "kept\n" {
		t.Errorf("after the black hole: %q, %v", line, err)
	}
	p.Set(Weather{Reset: 1})
	_, _ = conn.Write([]byte("cut\n")) // it may be cut before
	if line, err := lines.ReadString('\n'); err == nil {
		t.Errorf("after the reset: %q", line)
	}
}

func TestReceiver_NotesDeliveries(t *testing.T) {
	r := StartReceiver(t)
	r.Answer(func(e Event) int {
		if e.Job == "job_2" {
			return 500
		}
		return 200
	})
	client := &http.Client{Transport: trusting(t, r.CA)}
	defer client.CloseIdleConnections()
	for i, want := range []int{200, 500, 200} {
		job := []string{"job_1", "job_2", "job_1"}[i]
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.URL+"/x", strings.NewReader(`{"id": "evt_`+job+`", "type": "job.succeeded", "data": {"object": {"id": "`+job+`"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Service-Delivery", "dlv_"+job)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if res.StatusCode != want || res.Body.Close() != nil {
			t.Errorf("status %d, want %d", res.StatusCode, want)
		}
	}
	if twice, all := r.Resent(); twice != 1 || all != 2 {
		t.Errorf("%d of %d came twice", twice, all)
	}
	if events := r.ByEvent("job.succeeded"); len(events["evt_job_1"]) != 2 || len(events["evt_job_2"]) != 1 {
		t.Errorf("%v", events)
	}
	if object := string(r.Events()[0].Object()); object != `{"id": "job_1"}` {
		t.Error(object)
	}
}

func TestFaultOf_FindsWhatIsWrongWithARow(t *testing.T) {
	order := &Order{Operation: "generate", Want: Answer{Body: []byte("{}")}}
	good := Row{State: "succeeded", AnswerSHA256: sha([]byte("{}")), ArtifactSHA256: "abc"}
	if fault := faultOf(good, order); fault != "" {
		t.Error(fault)
	}
	order.Before = Answer{Status: 200, Body: []byte("[]")}
	before := good
	if before.AnswerSHA256 = sha([]byte("[]")); faultOf(before, order) != "" {
		t.Error("the answer of the release before is a fault")
	}
	blamed := Row{State: "failed", FailureCode: "JOB_CRASHED", Crashes: 3}
	if fault := faultOf(blamed, order); fault != "" {
		t.Error(fault)
	}
	for name, change := range map[string]func(*Row){
		"state":    func(r *Row) { r.State = "failed" },
		"answer":   func(r *Row) { r.AnswerSHA256 = "x" },
		"artifact": func(r *Row) { r.ArtifactSHA256 = "" },
		"blame":    func(r *Row) { r.State, r.FailureCode, r.Crashes = "failed", "JOB_CRASHED", 2 },
	} {
		row := good
		if change(&row); faultOf(row, order) == "" {
			t.Errorf("%s: no fault", name)
		}
	}
}

// TestDelays_CountFromTheKillThatHit ensures that the time of an interrupted job begins with the kill that has hit it, and anew with each that came within
// the promised time.
func TestDelays_CountFromTheKillThatHit(t *testing.T) {
	at := func(seconds int64) sql.NullInt64 { return sql.NullInt64{Int64: seconds * 1000, Valid: true} }
	rows := map[string]Row{
		"once":  {Run: 2, Crashes: 1, Started: at(10), Finished: at(25)},
		"never": {Run: 1, Started: at(10), Finished: at(11)},
		"twice": {Run: 3, Crashes: 2, Started: at(10), Finished: at(90)},
		"late":  {Run: 2, Crashes: 1, Started: at(31), Finished: at(50)},
		"again": {Run: 2, Crashes: 1, Started: at(99), Finished: at(134)},
		"lost":  {Run: 2, Crashes: 1, Started: at(199), Finished: at(250)},
	}
	var kills []time.Time
	for _, second := range []int64{5, 12, 32, 100, 110, 125, 140, 200, 230} {
		kills = append(kills, time.Unix(second, 0))
	}
	delays := Delays(rows, kills, 20*time.Second)
	if diff := cmp.Diff([]time.Duration{9 * time.Second, 13 * time.Second, 18 * time.Second, 50 * time.Second}, delays); diff != "" {
		t.Error(diff)
	}
	if p := Percentile(delays, 50); p != 13*time.Second {
		t.Error(p)
	}
	if Percentile(delays, 99) != 50*time.Second || Percentile(nil, 99) != 0 {
		t.Error("the last percentile is the longest, of none 0")
	}
}

func TestOrders_AreOfAllKinds(t *testing.T) {
	orders := Orders(t)
	for _, operation := range []string{"generate", "parse", "validate"} {
		if some := Only(orders, operation); len(some) < 5 || len(some[0].Body) == 0 {
			t.Errorf("%s: %d orders", operation, len(some))
		}
	}
	if len(Only(orders, "nothing")) != 0 || len(Only(orders, "parse", "validate")) == 0 {
		t.Error("Only gives others")
	}
}

func TestClient_GoesOnUntilItIsAnswered(t *testing.T) {
	var asked []string
	answers := []int{503, 429, 409, 202}
	server := httptestServer(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Idempotency-Key"))
		w.WriteHeader(answers[len(asked)-1])
		fmt.Fprint(w, `{"id": "job_1"}`)
	})
	load := &Load{Client: NewClient(t, "k", server), Orders: []Order{{Path: "/x", Body: []byte("{}")}}, Jobs: 1}
	accepted, err := load.Run(t.Context())
	if err != nil || len(accepted) != 1 || accepted[0].Tries != 4 || accepted[0].ID != "job_1" || load.Accepted() != 1 {
		t.Fatalf("%+v, %v", accepted, err)
	}
	if diff := cmp.Diff([]string{"load-0-0", "load-0-0", "load-0-0", "load-0-0"}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_EndsWithARefusal(t *testing.T) {
	server := httptestServer(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(400) })
	load := &Load{Client: NewClient(t, "k", server), Orders: []Order{{Path: "/x", Body: []byte("{}")}}, Jobs: 5, Beside: 2}
	if accepted, err := load.Run(t.Context()); err == nil || len(accepted) != 0 {
		t.Errorf("%+v, %v", accepted, err)
	}
}
