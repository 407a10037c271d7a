//go:build chaos

package chaos

import (
	"flag"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// The sizes of a run. Without -whole they are those of a check of a change.
var (
	whole = flag.Bool("whole", false, "the scenarios in their whole size: an hour and more")
	soak  = flag.Duration("soak", 0, "length of the soak test; default 60 minutes with -whole, else 10 seconds")
)

// size gives a number of a run: the short or the whole one.
func size[N any](short, long N) N {
	if *whole {
		return long
	}
	return short
}

// builds keeps what was built, for all tests of the run.
var builds struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		panic(err)
	}
	builds.dir, builds.paths = dir, map[string]string{}
	_ = os.Chmod(dir, 0o755) // processes of other users start the program
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// built gives the path of what build makes, which is made once.
func built(name string, build func(into string) string) string {
	builds.Lock()
	defer builds.Unlock()
	if builds.paths[name] == "" {
		builds.paths[name] = build(filepath.Join(builds.dir, name))
	}
	return builds.paths[name]
}

// program builds the program of this checkout.
func program(t *testing.T) string {
	t.Helper()
	return built("einvoiced", func(into string) string { return harness.Build(t, harness.Root(t), into) })
}

// open opens a system of the program of this checkout.
func open(t *testing.T, s harness.Setup, change ...func(*harness.Plan)) *harness.System {
	t.Helper()
	p := harness.Plan{Setup: s, Program: program(t)}
	for _, c := range change {
		c(&p)
	}
	return harness.Open(t, p)
}

// everywhere runs a test on both set-ups, beside other tests.
func everywhere(t *testing.T, test func(t *testing.T, s harness.Setup)) {
	t.Parallel()
	for _, s := range harness.Setups {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// inTurn runs a test on both set-ups with the machine for itself: it looks at times.
func inTurn(t *testing.T, test func(t *testing.T, s harness.Setup)) {
	for _, s := range harness.Setups {
		t.Run(s.Name, func(t *testing.T) { test(t, s) })
	}
}

// writeFile writes a file for a test and gives its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// resumed is how soon after its interruption a job has to have ended at most, where no other kill comes within that time.
const resumed = 20 * time.Second
