//go:build growth

package growth

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The sizes of an input that are compared, and how often as many steps the larger one may take: ten times, and a little for what
// is sorted.
const (
	small, large = 1_000, 10_000
	mostGrowth   = 11.0
)

// counted are the packages whose statements are counted: ours, and those of the standard library that search and sort.
const counted = "./perform,github.com/einvoiced/einvoiced/core/...,slices,sort,strings,bytes,maps"

// TestLists_AreReadAndWrittenInProportion ensures for every list of the invoice object, in every format that is written, that ten
// times as many entries take about ten times as many steps to write and judge. With -short each list is asked of one format in
// every third syntax; EINVOICED_SEED as below decides which.
func TestLists_AreReadAndWrittenInProportion(t *testing.T) {
	p := start(t)
	all := everyList(t)
	if testing.Short() {
		all = someOfEachList(t)
	}
	t.Logf("%d lists in formats", len(all))
	for _, l := range all {
		t.Run(l.to.String()+"/"+l.list, func(t *testing.T) {
			t.Parallel()
			for _, op := range l.to.operations() {
				p.inProportion(t, order{Operation: op, Country: l.to.country, Format: l.to.format}, func(o *order, n int) {
					o.Body = save(t, request(t, l.to, l.list, n))
				})
			}
		})
	}
}

// TestElements_AreReadInProportion ensures the same for every element of the documents that are written, and of some that are read:
// repeated in the document, which is parsed and judged. With -short it takes a sample of them; its seed is new each time and printed,
// and EINVOICED_SEED repeats one.
func TestElements_AreReadInProportion(t *testing.T) {
	p := start(t)
	elements := elementsOf(t, documents(t))
	if testing.Short() {
		elements = sample(t, elements, sampled)
	}
	for _, e := range elements {
		t.Run(e.source.name+e.path, func(t *testing.T) {
			t.Parallel()
			for _, op := range []string{"parse", "validate"} {
				p.inProportion(t, order{Operation: op, Country: e.source.country}, func(o *order, n int) {
					o.Document = save(t, e.source.repeated(e.path, n))
				})
			}
		})
	}
}

// sampled is how many elements are a sample.
const sampled = 40

// sample gives n elements, or all where there are fewer.
func sample(t *testing.T, all []element, n int) []element {
	t.Helper()
	drawn(t).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// drawn gives random numbers by a new seed, which is printed, or by EINVOICED_SEED.
func drawn(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("EINVOICED_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("EINVOICED_SEED: %v", err)
		}
	}
	t.Logf("EINVOICED_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// save writes an input into a file.
func save(t *testing.T, input []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, input, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// order and done are those of command perform.
type (
	order struct{ Operation, Country, Format, Body, Document, Counters string }
	done  struct{ Refused string }
)

// process is a process that does operations and counts its statements.
type process struct {
	orders  *json.Encoder
	answers *json.Decoder
}

// pool has the processes that have nothing to do, one for each processor in all: each counts one operation at a time.
type pool struct {
	idle    chan *process
	covdata string // the tool of Go that reads counters
}

// start builds command perform with its statements counted and starts it for each processor.
func start(t *testing.T) *pool {
	t.Helper()
	program := filepath.Join(t.TempDir(), "perform")
	output(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+counted, "-o", program, "./perform")
	// With its path the tool is not looked up anew for each count.
	p := &pool{make(chan *process, runtime.NumCPU()), strings.TrimSpace(output(t, "go", "tool", "-n", "covdata"))}
	for range cap(p.idle) {
		p.idle <- startProcess(t, program)
	}
	return p
}

func startProcess(t *testing.T, program string) *process {
	t.Helper()
	c := exec.Command(program)
	c.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), c.Wait()); err != nil {
			t.Error(err)
		}
	})
	return &process{json.NewEncoder(in), json.NewDecoder(out)}
}

// output runs a command and gives what it says.
func output(t *testing.T, command string, args ...string) string {
	t.Helper()
	said, err := exec.Command(command, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, said)
	}
	return string(said)
}

// do does an operation. One that is refused before the work is a mistake of the test: then nothing is counted.
func (p *process) do(t *testing.T, o order) {
	t.Helper()
	var d done
	if err := errors.Join(p.orders.Encode(o), p.answers.Decode(&d)); err != nil {
		t.Fatal(err)
	}
	if d.Refused != "" {
		t.Fatal(d.Refused)
	}
}

// inProportion does an operation with a small and a large input and compares the steps.
func (p *pool) inProportion(t *testing.T, o order, input func(o *order, n int)) {
	t.Helper()
	one := <-p.idle
	defer func() { p.idle <- one }()
	input(&o, small)
	one.do(t, o) // what is made once, such as compiled rules, is no part of the work
	few := one.steps(t, p.covdata, o)
	input(&o, large)
	many := one.steps(t, p.covdata, o)
	growth := float64(many.total) / float64(few.total)
	t.Logf("%s: %d steps for %d, %d for %d: %.2f times", o.Operation, few.total, small, many.total, large, growth)
	if growth > mostGrowth {
		t.Errorf("%s takes %.1f times as many steps for ten times as many entries; most of them at %s", o.Operation, growth, many.most)
	}
}

// work is what was counted.
type work struct {
	total int64
	most  string // the statements that ran most often
}

// steps counts the statements that an operation runs.
func (p *process) steps(t *testing.T, covdata string, o order) work {
	t.Helper()
	o.Counters = t.TempDir()
	p.do(t, o)
	file := filepath.Join(t.TempDir(), "counts")
	output(t, covdata, "textfmt", "-i="+o.Counters, "-o="+file)
	return sum(t, file)
}

// sum adds the counts of a coverage profile: lines of place, statements, count.
func sum(t *testing.T, file string) (w work) {
	t.Helper()
	profile, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var most int64
	for line := range bytes.Lines(profile) {
		fields := strings.Fields(string(line))
		if len(fields) != 3 {
			continue
		}
		count, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			t.Fatalf("a line of the profile: %s", line)
		}
		if w.total += count; count > most {
			most, w.most = count, fields[0]
		}
	}
	return w
}
