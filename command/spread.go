package command

import (
	"context"
	"sync"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// inOrder works on the items with n goroutines and hands the results over in the order of the items. It runs ahead of the
// slowest item by a few results only, so that memory does not grow with the number of items. An error of emit ends it; so
// does ctx, with its error.
func inOrder[T, R any](ctx context.Context, n int, items []T, work func(context.Context, T) R, emit func(R) error) error {
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	tasks, pending := make(chan task[T, R]), make(chan chan R, 4*n)
	for range n {
		running.Go(func() {
			for t := range tasks {
				t.result <- work(ctx, t.item)
			}
		})
	}
	running.Go(func() { deal(ctx, items, tasks, pending) })
	for result := range pending {
		r := <-result
		if ctx.Err() != nil { // what has not been done is no result
			break
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// withProgress is inOrder on all cores for files, with a bar.
func withProgress[R any](ctx context.Context, m *Main, files []string, work func(context.Context, string) R, emit func(R) error) error {
	bar := newProgress(m, len(files))
	defer bar.finish()
	return inOrder(ctx, workers(), files, work, func(r R) error {
		bar.step()
		return emit(r)
	})
}

// task is one item and where its result goes.
type task[T, R any] struct {
	item   T
	result chan R
}

// deal hands out the items, and to pending, in the same order, the places of their results. It waits while pending is full.
func deal[T, R any](ctx context.Context, items []T, tasks chan<- task[T, R], pending chan<- chan R) {
	defer close(tasks)
	defer close(pending)
	for _, item := range items {
		t := task[T, R]{item, make(chan R, 1)}
		select {
		case pending <- t.result:
			tasks <- t
		case <-ctx.Done():
			return
		}
	}
}

// progress is a bar on a terminal, or nothing.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
}

// newProgress shows a bar when there is more than one step, standard error is a terminal and the results go elsewhere.
func newProgress(m *Main, steps int) *progress {
	if steps < 2 || !isTerminal(m.Stderr) || isTerminal(m.Stdout) {
		return &progress{}
	}
	bars := mpb.New(mpb.WithOutput(m.Stderr), mpb.WithWidth(40))
	bar := bars.AddBar(int64(steps),
		mpb.PrependDecorators(decor.CountersNoUnit("%d of %d files ")),
		mpb.AppendDecorators(decor.Percentage()))
	return &progress{bars, bar}
}

func (p *progress) step() {
	if p.bar != nil {
		p.bar.Increment()
	}
}

// finish removes nothing: the bar stays as it was when the work ended.
func (p *progress) finish() {
	if p.bar == nil {
		return
	}
	p.bar.Abort(false)
	p.bars.Wait()
}
