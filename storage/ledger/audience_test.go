package ledger

import (
	"context"
	"errors"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
)

// choosy is a Publisher whose audience wants one type.
type choosy struct {
	told
	wanted string
	err    error
}

// Wants implements Audience.
func (c choosy) Wants(_ context.Context, _ string, _ account.Mode, eventType string) (bool, error) {
	return eventType == c.wanted, c.err
}

// TestRequestThatNobodyWantsToHearOfWritesNothing ensures that an answered request opens no transaction where its events have no
// audience, and that all is published where that cannot be told.
func TestRequestThatNobodyWantsToHearOfWritesNothing(t *testing.T) {
	f := newFixture(t)
	events := []Event{{"invoice.created", []byte("{}")}, {"invoice.validated", []byte("{}")}}
	for name, c := range map[string]struct {
		publisher Publisher
		want      int
	}{
		"no publisher":             {nil, 0},
		"nobody":                   {choosy{}, 0},
		"somebody":                 {choosy{wanted: "invoice.created"}, 1},
		"nobody knows":             {choosy{err: errors.New("away")}, 2},
		"a publisher that must be": {told{}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f.Ledger.cfg.Publisher = c.publisher
			if got := f.wanted(t.Context(), f.account, account.Test, events); len(got) != c.want || len(events) != 2 {
				t.Errorf("%d of %d events", len(got), len(events))
			}
		})
	}
	f.Ledger.cfg.Publisher = choosy{}
	ticket, err := f.Begin(t.Context(), Request{Account: f.account, Mode: account.Test})
	do(t, err, f.db.Close(), f.Settle(t.Context(), ticket, Settlement{Success: true, Events: events}))
}
