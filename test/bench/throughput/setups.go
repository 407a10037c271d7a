package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// measurement is the harness.T of a measurement: a failure ends it with an error.
type measurement struct {
	ctx      context.Context
	errs     []error
	cleanups []func()
}

// failed is what a fatal failure panics with.
type failed struct{}

// measured runs a measurement and cleans up after it.
func measured(ctx context.Context, measure func(*measurement)) error {
	t := &measurement{ctx: ctx}
	func() {
		defer t.fall()
		measure(t)
	}()
	for _, clean := range slices.Backward(t.cleanups) {
		clean()
	}
	return errors.Join(t.errs...)
}

func (t *measurement) fall() {
	if p := recover(); p != nil && p != any(failed{}) {
		panic(p)
	}
}

// Helper implements harness.T.
func (t *measurement) Helper() {}

// Logf implements harness.T.
func (t *measurement) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Errorf implements harness.T.
func (t *measurement) Errorf(format string, args ...any) {
	t.errs = append(t.errs, fmt.Errorf(format, args...))
}

// Fatalf implements harness.T.
func (t *measurement) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(failed{})
}

// Failed implements harness.T.
func (t *measurement) Failed() bool { return len(t.errs) > 0 }

// Cleanup implements harness.T.
func (t *measurement) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

// Context implements harness.T.
func (t *measurement) Context() context.Context { return t.ctx }

// TempDir implements harness.T.
func (t *measurement) TempDir() string {
	dir, err := os.MkdirTemp("", "throughput")
	if err != nil {
		t.Fatalf("make a folder: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
