package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// theatre is the stage.T of a measurement: a failure ends it with an error.
type theatre struct {
	ctx      context.Context
	errs     []error
	cleanups []func()
}

// curtain is what a fatal failure panics with.
type curtain struct{}

// onStage runs a measurement and cleans up after it.
func onStage(ctx context.Context, play func(*theatre)) error {
	t := &theatre{ctx: ctx}
	func() {
		defer t.fall()
		play(t)
	}()
	for _, clean := range slices.Backward(t.cleanups) {
		clean()
	}
	return errors.Join(t.errs...)
}

func (t *theatre) fall() {
	if p := recover(); p != nil && p != any(curtain{}) {
		panic(p)
	}
}

// Helper implements stage.T.
func (t *theatre) Helper() {}

// Logf implements stage.T.
func (t *theatre) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Errorf implements stage.T.
func (t *theatre) Errorf(format string, args ...any) {
	t.errs = append(t.errs, fmt.Errorf(format, args...))
}

// Fatalf implements stage.T.
func (t *theatre) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(curtain{})
}

// Failed implements stage.T.
func (t *theatre) Failed() bool { return len(t.errs) > 0 }

// Cleanup implements stage.T.
func (t *theatre) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

// Context implements stage.T.
func (t *theatre) Context() context.Context { return t.ctx }

// TempDir implements stage.T.
func (t *theatre) TempDir() string {
	dir, err := os.MkdirTemp("", "throughput")
	if err != nil {
		t.Fatalf("make a folder: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
