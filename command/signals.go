package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// signalled is the cause of a context that a signal has ended.
type signalled struct{ signal syscall.Signal }

// Error implements error.
func (s signalled) Error() string { return s.signal.String() }

// interruptible gives a context that ends with the first interrupt or termination; the second one ends the process.
func interruptible(stderr io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		first, _ := (<-signals).(syscall.Signal)
		cancel(signalled{first})
		<-signals
		fmt.Fprintln(stderr, "einvoiced: forced to stop")
		os.Exit(exitInternal)
	}()
	return ctx, func() { cancel(nil) }
}

// interrupted says of a command that ended with its context that a signal ended it, and blames nothing else. A command that ended by
// itself, as a service does that was told to stop, keeps what it says.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	cause := signalled{syscall.SIGINT}
	errors.As(context.Cause(ctx), &cause)
	return &failure{code: exitSignal + int(cause.signal), cause: cause}
}
