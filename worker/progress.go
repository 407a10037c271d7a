package worker

import (
	"context"
	"sync/atomic"
)

type progressKey struct{}

func withProgress(ctx context.Context, progress *atomic.Int32) context.Context {
	return context.WithValue(ctx, progressKey{}, progress)
}

// Progress notes how far the run of ctx is, 0 to 100; the next beat writes it to the job. A Runner may call it with the
// context that it got; with another context it does nothing.
func Progress(ctx context.Context, percent int) {
	if progress, ok := ctx.Value(progressKey{}).(*atomic.Int32); ok {
		progress.Store(int32(min(max(percent, 0), 100)))
	}
}
