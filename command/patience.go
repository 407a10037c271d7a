package command

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
)

// patience is how a start waits for services that are not there yet, all of them together no longer than one time.
type patience struct {
	log *slog.Logger
	end time.Time
}

const (
	betweenTries = 500 * time.Millisecond
	tryService   = 5 * time.Second // for one answer
)

// await asks until the service answers or the time is up, and gives the last error. An error for which again is false is given at once.
func (p patience) await(ctx context.Context, service string, again func(error) bool, ask func(context.Context) error) error {
	for told := false; ; {
		err := ask(ctx)
		if err == nil && told {
			p.log.Info("the service answers", "service", service)
		}
		if err == nil || !again(err) || ctx.Err() != nil || !time.Now().Before(p.end) {
			return err
		}
		if !told {
			p.log.Warn("the start waits for a service", "service", service, "at_most", time.Until(p.end).Round(time.Second).String(), "error", err)
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(betweenTries):
		}
	}
}

// isAway tells errors of a database that may come from others, such as a wrong password.
func isAway(err error) bool { return errors.Is(err, db.ErrAway) }

// mayPass tells errors of an object store or a queue that may pass from what is refused, such as a bucket that is not there.
func mayPass(err error) bool {
	_, refused := errors.AsType[*blob.Refusal](err)
	return !refused
}

// awaitOthers waits for the object store and the queue. The service starts without them when the time is up: requests are accepted, and
// what needs them is done when they are there.
func (s *stores) awaitOthers(ctx context.Context, p patience) {
	for _, service := range []struct {
		name string
		ask  func(context.Context) error
	}{{"s3", s.documents}, {"redis", s.queue.Ping}} {
		err := p.await(ctx, service.name, mayPass, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, tryService)
			defer cancel()
			return service.ask(ctx)
		})
		if err != nil {
			p.log.Error("the start goes on without a service", "service", service.name, "error", err)
		}
	}
}

// documents tells whether the object store answers; a folder needs no question.
func (s *stores) documents(ctx context.Context) error {
	if store, ok := s.blobs.(interface{ Health(context.Context) error }); ok {
		return store.Health(ctx)
	}
	return nil
}
