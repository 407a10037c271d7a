// Package outboxtest asks an outbox, in tests, for what a reconciler asks it for.
package outboxtest

import (
	"testing"

	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// most is more than there is in a test.
const most = 100_000

// Due gives all messages that are due, of all queues: those that are due for the first time first.
func Due(t testing.TB, s *outbox.Store) (owed []outbox.Message) {
	t.Helper()
	for _, due := range []func(queue string) ([]outbox.Message, error){
		func(queue string) ([]outbox.Message, error) { return s.Due(t.Context(), queue, most) },
		func(queue string) ([]outbox.Message, error) { return s.DueAgain(t.Context(), queue, most) },
	} {
		for _, queue := range names.All() {
			messages, err := due(queue)
			if err != nil {
				t.Fatal(err)
			}
			owed = append(owed, messages...)
		}
	}
	return owed
}

// MakeDue makes due what stood in the queues, and gives how many messages that are.
func MakeDue(t testing.TB, s *outbox.Store) (n int) {
	t.Helper()
	for _, queue := range names.All() {
		made, err := s.MakeDue(t.Context(), queue, most)
		if err != nil {
			t.Fatal(err)
		}
		n += made
	}
	return n
}
