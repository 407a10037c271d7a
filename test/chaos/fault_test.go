//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// killer ends the process at the nth time that a point is passed; EINVOICED_TEST_KILL names both: point:n. It is compiled into builds of
// these tests alone.
const killer = `package %s

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var passed atomic.Int64

func killAt(point string) {
	name, times, _ := strings.Cut(os.Getenv("EINVOICED_TEST_KILL"), ":")
	if name != point {
		return
	}
	if n, _ := strconv.ParseInt(times, 10, 64); passed.Add(1) == n {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
`

// point is a place in the way of a job at which the process dies.
type point struct {
	Name   string
	Folder string
	Func   string
	After  bool // at the end of the function instead of its beginning
	What   string
	Short  string // the set-up that has its turn in short runs; empty for none
}

// points are the places between two effects, in the order of a job's way.
var points = []point{
	{"accepting", "storage/ledger", "Ledger.Accept", false, "nothing is stored", ""},
	{"accepted", "storage/ledger", "Ledger.Accept", true, "the row is committed, nobody was told", "shared"},
	{"enqueueing", "storage/queue", "Queue.Enqueue", false, "a message is owed", ""},
	{"enqueued", "storage/queue", "Queue.Enqueue", true, "a message is in the queue and still owed", ""},
	{"claimed", "storage/ledger", "Ledger.claim", true, "the row is running, nothing is done", "shared"},
	{"done", "storage/ledger", "Ledger.Finish", false, "the work is done, nothing of it stored", ""},
	{"stored", "storage/ledger", "Ledger.store", true, "output is stored, the row does not know", "embedded"},
	{"finished", "storage/ledger", "Ledger.Finish", true, "the row is final, the queue does not know", "embedded"},
}

// killable builds the program with the points in it.
func killable(t *testing.T) string {
	t.Helper()
	return built("killable", func(into string) string {
		var faults []harness.Fault
		helpers := map[string]string{}
		for _, p := range points {
			code := fmt.Sprintf("killAt(%q)", p.Name)
			if p.After {
				code = "defer " + code
			}
			faults = append(faults, harness.Fault{Folder: p.Folder, Func: p.Func, Code: code})
			helpers[p.Folder] = fmt.Sprintf(killer, filepath.Base(p.Folder))
		}
		return harness.BuildFaulty(t, into, faults, helpers)
	})
}

// suicide is a raid in which the processes die by themselves at one point, again and again.
type suicide struct {
	point  string
	deaths int
	orders []string
}

func (s suicide) run(t *testing.T, setup harness.Setup) {
	t.Helper()
	receiver := harness.StartReceiver(t)
	h := open(t, setup, reaches(receiver), func(p *harness.Plan) { p.Program = killable(t) })
	random := rand.New(rand.NewPCG(3, uint64(len(s.point))))
	arm := func() { h.Setenv("EINVOICED_TEST_KILL", fmt.Sprintf("%s:%d", s.point, 1+random.IntN(12))) }
	deaths := 0
	// The kill of the raid starts each role anew with the point armed; from then on the dead are raised until there were enough of them.
	raise := func(t *testing.T, h *harness.System) {
		for _, r := range h.Roles {
			if r.Alive() {
				continue
			}
			if deaths++; deaths < s.deaths {
				arm()
			} else {
				h.Setenv("EINVOICED_TEST_KILL", "")
			}
			r.Start()
		}
	}
	arm()
	for _, r := range h.Roles {
		r.Kill()
		r.Restart(t)
	}
	r := raid{jobs: 30 * s.deaths, orders: s.orders, blamed: max(1, s.deaths/5), slow: true, whom: func(*harness.System) []*harness.Role { return nil }, beside: raise}
	r.run(t, h, receiver)
	if deaths < s.deaths {
		t.Errorf("the processes died %d times at %s, %d times are asked for", deaths, s.point, s.deaths)
	}
}

// A3: the process dies between any two effects of a job.
func TestA3_KilledBetweenTwoEffects(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		for _, p := range points {
			if !*whole && p.Short != s.Name {
				continue
			}
			t.Run(p.Name, func(t *testing.T) { suicide{point: p.Name, deaths: size(3, 100)}.run(t, s) })
		}
	})
}

// C7: the process dies between charge and success. Units are those of successes, which the books of each raid hold.
func TestC7_KilledBetweenChargeAndSuccess(t *testing.T) {
	t.Parallel()
	suicide{point: "stored", deaths: size(3, 200), orders: []string{"generate"}}.run(t, harness.Embedded)
}

// misbehaviour is what jobs can do to their worker; the word after MISBEHAVE- in a request asks for it.
const misbehaviour = `package job

import (
	"bytes"
	"context"
	"os"

	"github.com/einvoiced/einvoiced/storage/ledger"
)

var eaten []byte

func misbehave(ctx context.Context, content ledger.Content) {
	request, _ := ledger.ReadAll(ctx, content)
	_, rest, ok := bytes.Cut(request, []byte("MISBEHAVE-"))
	if !ok {
		return
	}
	switch {
	case bytes.HasPrefix(rest, []byte("exit")):
		os.Exit(3)
	case bytes.HasPrefix(rest, []byte("panic")):
		panic("a job panics")
	case bytes.HasPrefix(rest, []byte("hang")):
		select {}
	case bytes.HasPrefix(rest, []byte("eat")):
		eaten = make([]byte, 256<<20)
		for i := range eaten {
			eaten[i] = 1
		}
		eaten = nil
	case bytes.HasPrefix(rest, []byte("print")):
		line := bytes.Repeat([]byte("x"), 1<<20)
		for range 16 {
			_, _ = os.Stdout.Write(line)
		}
	}
}
`

// limit is the time limit of jobs in systems with misbehaving ones.
const limit = 8 * time.Second

// misbehaving opens a system whose jobs can misbehave.
func misbehaving(t *testing.T, s harness.Setup, change ...func(*harness.Plan)) (*harness.System, *harness.Client, []harness.Order) {
	t.Helper()
	path := built("misbehaving", func(into string) string {
		return harness.BuildFaulty(t, into, []harness.Fault{
			{Folder: "job", Func: "Local.Run", Code: "misbehave(ctx, request)"},
		}, map[string]string{"job": misbehaviour})
	})
	h := open(t, s, append(change, func(p *harness.Plan) { p.Program = path }, with("EINVOICED_JOB_TIME", limit.String()))...)
	customer := h.Customer()
	return h, customer, harness.Learn(t, customer, harness.Orders(t))
}

// naughty submits a job that misbehaves and gives its id. A large one is done by a process of its own. beside is done until the job is
// accepted: one that ends its process may do so before its submission is answered.
func naughty(t *testing.T, c *harness.Client, orders []harness.Order, how string, large bool, beside func()) string {
	t.Helper()
	var body map[string]any
	order := harness.Only(orders, "generate")[0]
	if err := json.Unmarshal(order.Body, &body); err != nil {
		t.Fatal(err)
	}
	body["note"] = "MISBEHAVE-" + how
	if large {
		body["padding"] = strings.Repeat("x", 512<<10)
	}
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	accepted := make(chan harness.Answer, 1)
	go func() {
		// What it was answered at last, where nothing was, has no status.
		a, _, _ := c.Stubborn(ctx, "POST", order.Path, data, "Prefer", "respond-async", "Idempotency-Key", fmt.Sprintf("naughty-%s-%t", how, large))
		accepted <- a
	}()
	harness.Until(t, 2*time.Minute, "the submission is answered or given up", func() bool { beside(); return len(accepted) > 0 })
	a := <-accepted
	if a.Status != 202 {
		t.Fatalf("status %d: %s", a.Status, a.Body)
	}
	return jobOf(t, a)
}

func jobOf(t *testing.T, a harness.Answer) string {
	t.Helper()
	var job struct{ ID string }
	a.JSON(t, &job)
	return job.ID
}

// A5: a job that ends its process fails after three with a stable code, and no other job does.
func TestA5_PoisonJobFailsAlone(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h, customer, orders := misbehaving(t, s)
		audit := h.Audit()
		poison := naughty(t, customer, orders, "exit", false, func() { raiseDead(t, h) })
		load := &harness.Load{Client: customer, Orders: orders, Jobs: size(100, 1000), Beside: 4, Seed: 5}
		r := raid{jobs: load.Jobs, whom: func(*harness.System) []*harness.Role { return nil }, beside: raiseDead}
		accepted, _ := r.send(t, h, load)
		harness.Until(t, 5*time.Minute, "all jobs have ended", func() bool { raiseDead(t, h); return audit.Unfinished() == 0 })
		rows := audit.Rows()
		if row := rows[poison]; row.FailureCode != "JOB_CRASHED" || row.Crashes < 4 { // the first beside others
			t.Errorf("the poison job: %+v", row)
		}
		for _, job := range accepted {
			if rows[job.ID].State != "succeeded" {
				t.Errorf("another job: %+v", rows[job.ID])
			}
		}
	})
}

// raiseDead starts the dead again, as a supervisor does.
func raiseDead(t *testing.T, h *harness.System) {
	for _, r := range h.Roles {
		if !r.Alive() {
			r.Start()
		}
	}
}

// offence is a job that misbehaves, and the code it is to fail with: empty for one that succeeds.
type offence struct {
	how   string
	large bool
	code  string
}

var offences = []offence{
	{"panic", false, "JOB_FAILED"}, {"hang", false, "JOB_TIMED_OUT"}, {"eat", false, ""}, {"print", false, ""},
	{"exit", true, "JOB_FAILED"}, {"hang", true, "JOB_TIMED_OUT"}, {"eat", true, ""}, {"print", true, ""},
}

// A6: jobs that panic, hang, ignore their end, eat memory or print without end harm nobody else. Large ones may also end their process.
// All are done beside each other, with the machine for themselves: it looks at times.
func TestA6_MisbehavingJobsAreContained(t *testing.T) {
	h, customer, orders := misbehaving(t, harness.Embedded, with("EINVOICED_CONCURRENCY", strconv.Itoa(len(offences))))
	worker := h.Workers()[0]
	pid := worker.Pid()
	began := time.Now()
	jobs := map[offence]string{}
	for _, o := range offences {
		jobs[o] = naughty(t, customer, orders, o.how, o.large, func() {})
	}
	harness.Until(t, 60*time.Second, "all have ended", func() bool {
		maps.DeleteFunc(jobs, func(o offence, job string) bool { return o.ended(t, customer, job, began) })
		return len(jobs) == 0
	})
	customer.Want(t, 200, "POST", orders[0].Path, orders[0].Body)
	if worker.Pid() != pid || !worker.Alive() {
		t.Error("the worker has died of it")
	}
	if *whole {
		settlesMemory(t, worker)
	}
}

// ended tells whether the job has ended, and complains when it has not ended as it should.
func (o offence) ended(t *testing.T, c *harness.Client, job string, began time.Time) bool {
	t.Helper()
	var view struct {
		Status string
		Error  struct{ Code string }
	}
	c.Want(t, 200, "GET", "/api/v1/jobs/"+job, nil).JSON(t, &view)
	if view.Status != "failed" && view.Status != "succeeded" {
		return false
	}
	if view.Error.Code != o.code {
		t.Errorf("%+v: %+v", o, view)
	}
	if took := time.Since(began); o.how == "hang" && took > limit+5*time.Second {
		t.Errorf("%+v was ended after %s, its limit is %s", o, took, limit)
	}
	return true
}

// settlesMemory waits until the process has given back what a job ate: 256 MiB.
func settlesMemory(t *testing.T, r *harness.Role) {
	t.Helper()
	harness.Until(t, 10*time.Minute, "memory is below 200 MB again", func() bool {
		_ = r.Collect() // the memory tells
		return r.Metric("process_resident_memory_bytes") < 200e6
	})
}
