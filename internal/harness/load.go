package harness

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Order is one request of an operation.
type Order struct {
	Operation string // generate, parse, validate
	Path      string
	Body      []byte
	Want      Answer // of the synchronous call; Learn fills it
	Before    Answer // of the release before, where that does orders too; LearnBefore fills it
}

// Orders makes a mix of our own test data: invoices that can be generated, documents to parse and to validate.
func Orders(t T) []Order {
	t.Helper()
	data := filepath.Join(Root(t), "testdata")
	var answers map[string]struct {
		Status int
		Query  string
	}
	read(t, filepath.Join(data, "xrechnung-ubl-answers.json"), &answers)
	var orders []Order
	for _, file := range list(t, filepath.Join(data, "xrechnung-ubl", "*.json")) {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if a := answers[name]; a.Status == 200 && a.Query == "" {
			orders = append(orders, Order{Operation: "generate", Path: "/api/v1/invoice/de/xrechnung/generate", Body: bytesOf(t, file)})
		}
	}
	for _, file := range list(t, filepath.Join(data, "documents", "*.xml")) {
		orders = append(orders, Order{Operation: "parse", Path: "/api/v1/invoice/parse", Body: documentOf(t, file)})
	}
	for _, file := range list(t, filepath.Join(data, "xrechnung-ubl", "*.xml")) {
		orders = append(orders, Order{Operation: "validate", Path: "/api/v1/invoice/de/xrechnung/validate", Body: documentOf(t, file)})
	}
	return orders
}

func list(t T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return files
}

func bytesOf(t T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read test data: %v", err)
	}
	return data
}

func read(t T, file string, into any) {
	t.Helper()
	if err := json.Unmarshal(bytesOf(t, file), into); err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
}

func documentOf(t T, file string) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]string{"data": base64.StdEncoding.EncodeToString(bytesOf(t, file)), "filename": filepath.Base(file)})
	if err != nil {
		t.Fatalf("wrap document: %v", err)
	}
	return data
}

// Learn asks each order once synchronously, notes the answer, and leaves out those that are refused.
func Learn(t T, c *Client, orders []Order) []Order {
	t.Helper()
	var good []Order
	for _, o := range orders {
		if o.Want = c.Must(t, "POST", o.Path, o.Body); o.Want.Status == 200 {
			good = append(good, o)
		}
	}
	if len(good) < len(orders)/2 {
		t.Fatalf("only %d of %d orders are answered with 200", len(good), len(orders))
	}
	return good
}

// LearnBefore asks a service of the release before each order, and notes its answer besides.
func LearnBefore(t T, c *Client, orders []Order) {
	t.Helper()
	for i := range orders {
		orders[i].Before = c.Must(t, "POST", orders[i].Path, orders[i].Body)
	}
}

// Only gives the orders of some operations.
func Only(orders []Order, operations ...string) []Order {
	var some []Order
	for _, o := range orders {
		for _, name := range operations {
			if o.Operation == name {
				some = append(some, o)
			}
		}
	}
	return some
}

// Accepted is a job that was acknowledged.
type Accepted struct {
	ID    string
	Key   string // the Idempotency-Key it was sent with
	Order *Order
	At    time.Time
	Tries int // how often it was sent
}

// Load sends orders as jobs.
type Load struct {
	Client *Client
	Orders []Order
	Jobs   int
	Beside int // callers beside each other; at least 1
	Pace   time.Duration
	Seed   uint64

	mu       sync.Mutex
	accepted []Accepted
	count    atomic.Int64
}

// Run sends all jobs, each until it is acknowledged, and gives them. A refusal ends it with an error.
func (l *Load) Run(ctx context.Context) ([]Accepted, error) {
	var next atomic.Int64
	var callers sync.WaitGroup
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	for range max(1, l.Beside) {
		callers.Go(func() {
			for i := next.Add(1) - 1; i < int64(l.Jobs) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := l.submit(ctx, i); err != nil {
					fail(err)
				}
			}
		})
	}
	callers.Wait()
	return l.accepted, context.Cause(ctx)
}

// Accepted is how many jobs are acknowledged so far.
func (l *Load) Accepted() int { return int(l.count.Load()) }

// Sent gives the jobs that are acknowledged so far.
func (l *Load) Sent() []Accepted {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Accepted(nil), l.accepted...)
}

// submit sends job i until it is acknowledged. Which order it is depends on seed and number alone.
func (l *Load) submit(ctx context.Context, i int64) error {
	order := &l.Orders[rand.New(rand.NewPCG(l.Seed, uint64(i))).IntN(len(l.Orders))]
	key := fmt.Sprintf("load-%d-%d", l.Seed, i)
	a, tries, err := l.Client.Stubborn(ctx, "POST", order.Path, order.Body, "Prefer", "respond-async", "Idempotency-Key", key)
	if err != nil {
		return err
	}
	var job struct{ ID string }
	if err := json.Unmarshal(a.Body, &job); err != nil || a.Status != 202 || job.ID == "" {
		return fmt.Errorf("job %d: status %d: %.400s", i, a.Status, a.Body)
	}
	l.mu.Lock()
	l.accepted = append(l.accepted, Accepted{ID: job.ID, Key: key, Order: order, At: time.Now(), Tries: tries})
	l.mu.Unlock()
	l.count.Add(1)
	if l.Pace > 0 {
		timer := time.NewTimer(l.Pace)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	return nil
}
