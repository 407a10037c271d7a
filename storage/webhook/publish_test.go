package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

func TestEventGoesToThoseThatWantIt(t *testing.T) {
	f := newFixture(t)
	all, failed, disabled := f.endpoint(t), f.endpoint(t, "job.failed", "conversion.failed"), f.endpoint(t)
	_, err := f.Update(t.Context(), f.acc, account.Test, disabled.ID, Change{Enabled: pointer(false)})
	do(t, err)
	_, _, err = f.Create(t.Context(), f.acc, account.Live, Change{URL: pointer("https://live.example")})
	do(t, err)
	_, _, err = f.Create(t.Context(), f.others, account.Test, Change{URL: pointer("https://others.example")})
	do(t, err)
	for eventType, want := range map[string][]string{"job.failed": {all.ID, failed.ID}, "job.succeeded": {all.ID}} {
		var got []string
		for _, id := range f.publish(t, eventType, "{}") {
			d := f.state(t, id)
			got = append(got, d.Endpoint)
			if d.State != Pending || d.Event != eventType || !f.owed(t, id).Equal(f.clock.Now().Add(30*time.Second)) {
				t.Errorf("%s: %+v, owed at %s", eventType, d, f.owed(t, id))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", eventType, diff)
		}
	}
}

func TestEventThatNobodyWantsIsNotWritten(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t, "job.failed")
	if ids := f.publish(t, "job.succeeded", "{}"); ids != nil || f.count(t, "webhook_events") != 0 {
		t.Errorf("deliveries %v, %d events", ids, f.count(t, "webhook_events"))
	}
}

func TestEventGoesWithItsCause(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	undone := errors.New("the cause is undone")
	err := f.db.Write(t.Context(), func(tx *db.Tx) error {
		messages, err := f.Publish(tx, f.acc, account.Test, ledger.Event{Type: "job.failed", Object: []byte("{}")})
		if err != nil || len(messages) != 1 || messages[0].Due.After(f.clock.Now()) {
			t.Errorf("messages %v, error %v", messages, err)
		}
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	for _, table := range []string{"webhook_events", "webhook_deliveries", "outbox"} {
		if n := f.count(t, table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
}

func TestPayloadIsThatOfTheContract(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	d := f.state(t, f.publish(t, "invoice.created", "{\n \"invoiceNumber\": \"R <1> ä\",\n \"total\": 19.00 }")[0])
	want := `{"id":"` + d.EventID + `","type":"invoice.created","created":"2026-03-01T12:00:00.000Z","data":{"object":{"invoiceNumber":"R <1> ä","total":19.00}}}`
	if string(d.Payload) != want {
		t.Errorf("payload %s\nwant    %s", d.Payload, want)
	}
}

func TestObjectThatIsNoneIsLeftOut(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	for _, object := range []string{"", "[]", "null", `{"a":`, "{}x"} {
		d := f.state(t, f.publish(t, "job.failed", object)[0])
		if !bytes.HasSuffix(d.Payload, []byte(`"data":{"object":{}}}`)) {
			t.Errorf("%q: payload %s", object, d.Payload)
		}
	}
}

func TestLargeObjectIsMadeThinAndSaysSo(t *testing.T) {
	f := newFixture(t)
	f.endpoint(t)
	entry := map[string]string{"code": "BR-CO-10", "message": strings.Repeat("m", 200), "field": "items"}
	errs, warnings := slices.Repeat([]any{entry}, 1000), slices.Repeat([]any{entry}, 10)
	object, err := json.Marshal(map[string]any{"invoiceNumber": "R-1", "errors": errs, "warnings": warnings, "valid": false})
	do(t, err)
	d := f.state(t, f.publish(t, "invoice.validation_failed", string(object))[0])
	var got struct {
		Data struct {
			Object struct {
				InvoiceNumber    string
				Valid            *bool
				Errors, Warnings []any
				Truncated        []string
			}
		}
	}
	do(t, json.Unmarshal(d.Payload, &got))
	o := got.Data.Object
	if len(d.Payload) > MaxPayload || o.InvoiceNumber != "R-1" || o.Valid == nil || len(o.Errors) < 20 || len(o.Warnings) != 10 || !slices.Equal(o.Truncated, []string{"errors"}) {
		t.Errorf("%d bytes: number %s, %d errors, %d warnings, truncated %v", len(d.Payload), o.InvoiceNumber, len(o.Errors), len(o.Warnings), o.Truncated)
	}
}

// TestThin_KeepsTheLimit ensures for objects of any shape that what is left fits, is JSON, and names what was taken.
func TestThin_KeepsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "") }),
			rapid.Map(rapid.SliceOf(rapid.StringN(0, 50, -1)), func(l []string) any {
				for i := range l {
					l[i] = strings.ToValidUTF8(l[i], "")
				}
				return l
			}),
			rapid.Map(rapid.Int(), func(n int) any { return n }),
		)
		members := rapid.MapOf(rapid.StringMatching("[a-z]{1,20}"), value).Draw(t, "object")
		object, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		most := rapid.IntRange(2, 400).Draw(t, "most")
		out, err := thin(object, most)
		if err != nil {
			t.Fatal(err)
		}
		var kept map[string]any
		if err := json.Unmarshal(out, &kept); err != nil || len(out) > most {
			t.Fatalf("%d bytes, at most %d: %s: %v", len(out), most, out, err)
		}
		if len(object) <= most && len(kept) != len(members) {
			t.Fatalf("%s fits but became %s", object, out)
		}
		for name := range kept {
			if _, ok := members[name]; !ok && name != "truncated" {
				t.Fatalf("%s has appeared in %s", name, out)
			}
		}
	})
}
