package webhook

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// removeAll removes a delivery's event with everything that belongs to it.
func removeAll(deliveryID string) func(*db.Tx) error {
	return func(tx *db.Tx) error {
		var event string
		if err := tx.Get(&event, "SELECT event_id FROM webhook_deliveries WHERE id = ?", deliveryID); err != nil {
			return err
		}
		return removeEvents(tx, []string{event})
	}
}

func TestLogTellsEachAttempt(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	dlv := f.delivery(t)
	first := f.clock.Now()
	f.attempt(t, dlv, 500)
	f.clock.Add(time.Minute)
	_, err := f.Settle(t.Context(), f.claim(t, dlv), Result{Started: f.clock.Now(), Latency: 5 * time.Second, Reason: "timeout"})
	do(t, err)
	list, more, err := f.Deliveries(t.Context(), f.acc, account.Test, e.ID, Page{})
	do(t, err)
	if len(list) != 1 || more {
		t.Fatalf("%d deliveries, more %t", len(list), more)
	}
	want := Delivery{
		ID: dlv, Endpoint: e.ID, EventID: list[0].EventID, Event: "invoice.created", Payload: list[0].Payload, State: Pending, Created: first,
		Next: first.Add(6 * time.Minute),
		Attempts: []Attempt{
			{Number: 2, Started: first.Add(time.Minute), Latency: 5 * time.Second, URL: e.URL, Reason: "timeout", Next: first.Add(6 * time.Minute), Header: map[string]string{}},
			{Number: 1, Started: first, Latency: 12 * time.Millisecond, URL: e.URL, Header: map[string]string{"X-A": "b"}, Status: 500, Response: "thanks",
				Next: first.Add(time.Minute)},
		},
	}
	if diff := cmp.Diff(want, list[0]); diff != "" {
		t.Error(diff)
	}
}

// TestLogOfADeliveryHasAnEnd ensures that of a delivery which was sent again and again the newest attempts are kept and read, of all but the last only
// the beginning of what was answered.
func TestLogOfADeliveryHasAnEnd(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	dlv := f.delivery(t)
	f.attempt(t, dlv, 200)
	const more = 3 * keptAttempts
	answer := strings.Repeat("é", 20*ShortResponse)
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
		for i := range more {
			_, err := tx.Exec(`INSERT INTO webhook_attempts (delivery_id, attempt, started, latency, url, headers, status, response, reason)
				SELECT delivery_id, ?, started, latency, url, headers, status, ?, reason FROM webhook_attempts WHERE delivery_id = ? AND attempt = 1`, i+2, answer, dlv)
			if err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := f.Redeliver(t.Context(), f.acc, account.Test, dlv)
	do(t, err)
	if n := f.count(t, "webhook_attempts"); n != keptAttempts {
		t.Errorf("%d attempts are kept, want %d", n, keptAttempts)
	}
	all := f.state(t, dlv).Attempts
	if len(all) != keptAttempts || all[0].Number != more+1 || all[len(all)-1].Number != more+2-keptAttempts {
		t.Fatalf("%d attempts, from %d to %d", len(all), all[0].Number, all[len(all)-1].Number)
	}
	if all[0].Response != answer || all[1].Response != strings.Repeat("é", ShortResponse) {
		t.Errorf("%d and %d bytes of the last two", len(all[0].Response), len(all[1].Response))
	}
}

func TestLogIsReadInPages(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	var ids []string
	for range 5 {
		ids = append([]string{f.delivery(t)}, ids...)
		f.clock.Add(time.Second)
	}
	var got []string
	page := Page{Limit: 2}
	for more := true; more; {
		var list []Delivery
		var err error
		list, more, err = f.Deliveries(t.Context(), f.acc, account.Test, e.ID, page)
		do(t, err)
		for _, d := range list {
			got = append(got, d.ID)
		}
		page.StartingAfter = got[len(got)-1]
	}
	if !slices.Equal(got, ids) {
		t.Errorf("read %v, want %v", got, ids)
	}
	if _, _, err := f.Deliveries(t.Context(), f.acc, account.Test, e.ID, Page{Limit: 1000}); !errors.Is(err, ErrBadPage) {
		t.Errorf("error %v", err)
	}
}

func TestTrialIsSentOnceWhateverTheEndpointWants(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t, "job.failed")
	_, err := f.Update(t.Context(), f.acc, account.Test, e.ID, Change{Enabled: pointer(false)})
	do(t, err)
	d, err := f.Test(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	if d.Event != TestType || d.State != Pending || !slices.Equal(f.queue.messages, []string{d.ID}) {
		t.Errorf("trial %+v, enqueued %v", d, f.queue.messages)
	}
	if done := f.attempt(t, d.ID, 500); done.State != Failed || f.count(t, "webhook_mails") != 0 {
		t.Errorf("after a failure %+v, %d mails", done, f.count(t, "webhook_mails"))
	}
}

func TestRedeliveryKeepsIdAndBytesAndBeginsTheScheduleAnew(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	dlv := f.delivery(t)
	payload := string(f.state(t, dlv).Payload)
	if _, err := f.Redeliver(t.Context(), f.acc, account.Test, dlv); !errors.Is(err, ErrUnended) {
		t.Errorf("while it waits: %v", err)
	}
	f.attempt(t, dlv, 200)
	d, err := f.Redeliver(t.Context(), f.acc, account.Test, dlv)
	do(t, err)
	if d.State != Pending || !slices.Equal(f.queue.messages, []string{dlv}) {
		t.Errorf("delivery %+v, enqueued %v", d, f.queue.messages)
	}
	s := f.claim(t, dlv)
	if s.ID != dlv || string(s.Payload) != payload || s.Attempt != 2 {
		t.Errorf("claimed %+v", s)
	}
	done, err := f.Settle(t.Context(), s, f.result(500))
	do(t, err)
	if !done.Next.Equal(f.clock.Now().Add(time.Minute)) {
		t.Errorf("after the first failure of the second round: %+v", done)
	}
}

func TestRetentionRemovesEverything(t *testing.T) {
	f := newFixture(t)
	gone, stays := f.endpoint(t), f.endpoint(t, "peppol.sent")
	for range pageOfExpired + 5 {
		f.attempt(t, f.publish(t, "job.failed", "{}")[0], 200)
	}
	dlv := f.delivery(t)
	f.attempt(t, dlv, 410)
	f.clock.Add(7*24*time.Hour - afterDeletion)
	do(t, f.Delete(t.Context(), f.acc, account.Test, gone.ID))
	f.clock.Add(afterDeletion)
	if n, err := f.Expire(t.Context()); n != 0 || err != nil {
		t.Errorf("at the end of the retention: %d, %v", n, err)
	}
	young := f.publish(t, "peppol.sent", "{}")
	f.clock.Add(time.Millisecond)
	total := 0
	for n := -1; n != 0; {
		var err error
		n, err = f.Expire(t.Context())
		do(t, err)
		total += n
	}
	if total != pageOfExpired+6 {
		t.Errorf("%d events expired", total)
	}
	for table, want := range map[string]int{"webhook_events": 1, "webhook_deliveries": 1, "webhook_attempts": 0, "webhook_endpoints": 1} {
		if n := f.count(t, table); n != want {
			t.Errorf("%d rows in %s, want %d", n, table, want)
		}
	}
	f.attempt(t, young[0], 200)
	if _, err := f.Get(t.Context(), f.acc, account.Test, stays.ID); err != nil {
		t.Error(err)
	}
}

func TestWhatIsStillToBeSentOutlivesAShortRetention(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Retention = time.Hour })
	f.endpoint(t)
	waits, sending, unserved := f.delivery(t), f.delivery(t), f.delivery(t)
	f.attempt(t, waits, 500)
	f.clock.Add(time.Hour + time.Second)
	f.claim(t, sending)
	if n, err := f.Expire(t.Context()); n != 0 || err != nil {
		t.Fatalf("%d expired, error %v", n, err)
	}
	f.attempt(t, waits, 200)
	if n, err := f.Expire(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d expired, error %v", n, err)
	}
	f.clock.Add(24 * time.Hour)
	if n, err := f.Expire(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d expired, error %v", n, err)
	}
	isIdle(t, f, unserved)
}

func TestResultAfterTheRetentionIsLost(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	s := f.claim(t, f.delivery(t))
	do(t, f.db.Write(t.Context(), removeAll(s.ID)))
	if _, err := f.Settle(t.Context(), s, f.result(200)); !errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
}
