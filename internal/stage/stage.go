// Package stage sets the program on a stage: it builds it, starts its roles as processes with the services that they need (Redis,
// PostgreSQL, S3, a receiver of webhooks), breaks them, sends them work and audits what came of it. Tests and measurements share it;
// it knows the program from outside alone: command line, HTTP, database, files.
package stage

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"time"
)

// T is what a stage needs of a test. testing.TB has it, and a measurement can.
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

// freePort gives a port of the loopback interface that nobody listens on.
func freePort(t T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String()) // it is one
	return port
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
