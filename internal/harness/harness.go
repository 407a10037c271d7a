// Package harness runs the program for tests and measurements: it builds it, starts its roles as processes with the services that they need (Redis,
// PostgreSQL, S3, a receiver of webhooks), breaks them, sends them work and audits what came of it. Tests and measurements share it;
// it knows the program from outside alone: command line, HTTP, database, files.
package harness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// T is what the harness needs of a test. testing.TB has it, and a measurement can.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
	Cleanup(func())
	TempDir() string
	Context() context.Context
}

// Until waits until the condition holds, for at most so long. It ends the test when it does not; what names the condition.
func Until(t T, atMost time.Duration, what string, holds func() bool) {
	t.Helper()
	if !held(atMost, holds) {
		t.Fatalf("not within %s: %s", atMost, what)
	}
}

// held asks the condition again and again for at most so long.
func held(atMost time.Duration, holds func() bool) bool {
	deadline := time.After(atMost)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			return false
		case <-tick.C:
		}
	}
	return true
}

// For lets time pass while others work: the length of an outage, the distance of two kills. Nothing is concluded from it.
func For(t T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		t.Fatalf("the test was ended")
	}
}

// ports counts through those below the range from which the kernel takes ports of clients, so that none is given twice and no client takes
// one while its process is dead.
var ports = sync.OnceValue(func() *atomic.Int32 {
	var next atomic.Int32
	next.Store(rand.Int32N(1 << 20))
	return &next
})

const (
	firstPort = 12_000
	manyPorts = 20_000
)

// freePort gives a port of the loopback interface that nobody listens on.
func freePort(t T) string {
	t.Helper()
	for range manyPorts {
		port := fmt.Sprint(firstPort + ports().Add(1)%manyPorts)
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close() // it was not used
			return port
		}
	}
	t.Fatalf("there is no free port")
	return ""
}

// Root is the folder of the repository: the nearest one above with a go.mod.
func Root(t T) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("this is not below the repository: %v", err)
	return ""
}
