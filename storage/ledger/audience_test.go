package ledger

import (
	"context"
	"errors"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/volume"
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

// Listens implements Audience.
func (c choosy) Listens(context.Context, string, account.Mode) (bool, error) {
	return c.wanted != "", c.err
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

// TestFullAccountTellsNothingMore ensures that a request is refused whose end would be told somebody where its account has stored what it may, and is
// not where nobody listens, or where that cannot be told; and that what is told counts.
func TestFullAccountTellsNothingMore(t *testing.T) {
	f := newFixture(t)
	request := Request{Account: f.account, Mode: account.Test}
	f.Ledger.cfg.Publisher = heavy{told{}, 500}
	ticket, err := f.Begin(t.Context(), request)
	do(t, err, f.Settle(t.Context(), ticket, Settlement{Success: true, Events: []Event{{"invoice.created", []byte("{}")}}}))
	if got := f.counted(t, f.account); got != 500 {
		t.Fatalf("%d bytes are counted", got)
	}
	f.Ledger.cfg.Stored = volume.NewLimit(f.db, f.clock, 500)
	for name, c := range map[string]struct {
		publisher Publisher
		full      bool
	}{
		"nobody":       {choosy{}, false},
		"somebody":     {choosy{wanted: "invoice.created"}, true},
		"nobody knows": {choosy{wanted: "invoice.created", err: errors.New("away")}, false},
	} {
		f.Ledger.cfg.Publisher = c.publisher
		_, err := f.Begin(t.Context(), request)
		if _, full := errors.AsType[*volume.ExceededError](err); full != c.full || !full && err != nil {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
