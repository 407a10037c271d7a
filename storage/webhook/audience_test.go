package webhook

import (
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
)

// heard asks whether somebody wants the event.
func (f *fixture) heard(t *testing.T, s *Store, mode account.Mode, eventType string) bool {
	t.Helper()
	wanted, err := s.Wants(t.Context(), f.acc, mode, eventType)
	do(t, err)
	return wanted
}

// TestAudienceIsThatOfPublish ensures that an event is wanted where Publish would write it: of enabled webhooks, by type, account and
// mode; and that a change in this process counts at once.
func TestAudienceIsThatOfPublish(t *testing.T) {
	f := newFixture(t)
	check := func(moment string, failed, succeeded bool) {
		t.Helper()
		for eventType, want := range map[string]bool{"job.failed": failed, "job.succeeded": succeeded} {
			if got := f.heard(t, f.Store, account.Test, eventType); got != want {
				t.Errorf("%s: %s is wanted: %v", moment, eventType, got)
			}
			if got := f.publish(t, eventType, "{}") != nil; got != want {
				t.Errorf("%s: %s is published: %v", moment, eventType, got)
			}
		}
	}
	check("without a webhook", false, false)
	some := f.endpoint(t, "job.failed")
	check("with one for a type", true, false)
	if f.heard(t, f.Store, account.Live, "job.failed") {
		t.Error("the other mode hears of it")
	}
	all := f.endpoint(t)
	check("with one for all", true, true)
	_, err := f.Update(t.Context(), f.acc, account.Test, all.ID, Change{Enabled: pointer(false)})
	do(t, err)
	check("with that disabled", true, false)
	do(t, f.Delete(t.Context(), f.acc, account.Test, some.ID))
	check("with the other deleted", false, false)
}

// TestAudienceElsewhereIsASecondOld ensures that another process hears of a new webhook within a second, and that it asks no more often.
func TestAudienceElsewhereIsASecondOld(t *testing.T) {
	f := newFixture(t)
	elsewhere, err := New(f.cfg, f.db, f.sealer, f.queue, f.urls)
	do(t, err)
	if f.heard(t, elsewhere, account.Test, "job.failed") {
		t.Error("wanted without a webhook")
	}
	f.endpoint(t)
	f.clock.Add(heardFor - time.Millisecond)
	if f.heard(t, elsewhere, account.Test, "job.failed") {
		t.Error("the database was asked again within the second")
	}
	f.clock.Add(time.Millisecond)
	if !f.heard(t, elsewhere, account.Test, "job.failed") {
		t.Error("a webhook of another process is not heard of")
	}
}

// TestAudienceThatWasReadBeforeAChangeIsNotKept ensures that a look under way does not outlive a change.
func TestAudienceThatWasReadBeforeAChangeIsNotKept(t *testing.T) {
	var a audiences
	now := time.Now()
	_, generation, _ := a.get("a", now)
	a.forget()
	a.put("a", audience{until: now.Add(time.Second)}, generation)
	if _, _, ok := a.get("a", now); ok {
		t.Error("it is kept")
	}
	_, generation, _ = a.get("a", now)
	a.put("a", audience{until: now.Add(time.Second)}, generation)
	if _, _, ok := a.get("a", now); !ok {
		t.Error("it is not kept")
	}
}
