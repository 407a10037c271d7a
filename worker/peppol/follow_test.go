package peppol

import (
	"context"
	"errors"
	"testing"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// asked are Questions about these transmissions at a moment; it notes when each is asked again, and what came of it.
type asked struct {
	now     time.Time
	due     []peppol.Question
	again   []time.Time
	settled []peppol.Outcome
}

func (a *asked) Now() time.Time { return a.now }

func (a *asked) Questions(context.Context) ([]peppol.Question, error) { return a.due, nil }

func (a *asked) Ask(_ context.Context, q peppol.Question, again time.Time) (peppol.Attempt, error) {
	a.again = append(a.again, again)
	return peppol.Attempt{Transmission: q.Transmission, Run: q.Run, Document: []byte("<a/>")}, nil
}

func (a *asked) Settle(_ context.Context, _ peppol.Attempt, o peppol.Outcome) error {
	a.settled = append(a.settled, o)
	return nil
}

// TestFollow ensures what comes of asking: a receipt and a refusal end a transmission, so does the end of the time that the settings grant; nothing else does.
func TestFollow(t *testing.T) {
	since := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	polled := interfaceOfTests
	polled.Polling = &core.Polling{Hours: 2}
	for name, test := range map[string]struct {
		status  int
		body    string
		after   time.Duration
		settled peppol.State
		code    string
		again   time.Duration // after since
	}{
		"a receipt":              {200, `{"state":"delivered"}`, time.Minute, peppol.Delivered, "", 3 * time.Minute},
		"a refusal":              {200, `{"state":"failed"}`, time.Minute, peppol.Failed, "PEPPOL_SEND_FAILED", 3 * time.Minute},
		"nothing yet":            {200, `{"state":"sent"}`, time.Minute, "", "", 3 * time.Minute},
		"not known":              {404, `{"state":"failed"}`, time.Minute, "", "", 3 * time.Minute},
		"broken":                 {500, ``, time.Minute, "", "", 3 * time.Minute},
		"credentials are wrong":  {401, ``, time.Minute, "", "", 3 * time.Minute},
		"not understood":         {200, `x`, time.Minute, "", "", 3 * time.Minute},
		"just before the end":    {200, `{"state":"sent"}`, 119 * time.Minute, "", "", 2 * time.Hour},
		"at the end":             {200, `{"state":"sent"}`, 2 * time.Hour, peppol.Failed, "PEPPOL_RECEIPT_MISSING", 122 * time.Minute},
		"a receipt at the end":   {200, `{"state":"delivered"}`, 2 * time.Hour, peppol.Delivered, "", 122 * time.Minute},
		"not known until an end": {404, ``, 3 * time.Hour, peppol.Failed, "PEPPOL_RECEIPT_MISSING", 182 * time.Minute},
	} {
		q := &asked{now: since.Add(test.after), due: []peppol.Question{{Transmission: peppol.Transmission{ID: "t", MessageID: "m", Account: "a", Mode: account.Live}, Run: 1, Since: since}}}
		client := &answers{get: outbound.Response{Status: test.status, Body: []byte(test.body)}}
		if err := NewProvider(client, configured{Provider: polled}, nil).Follow(t.Context(), q); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got peppol.Outcome
		if len(q.settled) > 0 {
			got = q.settled[0]
		}
		if got.State != test.settled || got.Code != test.code || len(q.again) != 1 || !q.again[0].Equal(since.Add(test.again)) {
			t.Errorf("%s: %+v, again %v", name, q.settled, q.again)
		}
		if len(client.asked) != 1 || client.asked[0] != "GET https://ap.example/known/m" {
			t.Errorf("%s: %v", name, client.asked)
		}
	}
}

// TestFollowWhereNobodyAnswers ensures that a provider which is away is asked once at a time whatever is due, and that one which is polled no more is not asked.
func TestFollowWhereNobodyAnswers(t *testing.T) {
	due := []peppol.Question{{Transmission: peppol.Transmission{ID: "t", Account: "a"}}, {Transmission: peppol.Transmission{ID: "u", Account: "a"}}}
	polled := interfaceOfTests
	polled.Polling = &core.Polling{}
	q, client := &asked{due: due}, &answers{err: errors.New("away")}
	if err := NewProvider(client, configured{Provider: polled}, nil).Follow(t.Context(), q); err != nil || len(client.asked) != 1 || len(q.again) != 1 {
		t.Errorf("%v %v %v", err, client.asked, q.again)
	}
	q, client = &asked{due: due}, &answers{}
	if err := NewProvider(client, configured{Provider: interfaceOfTests}, nil).Follow(t.Context(), q); err != nil || len(client.asked) > 0 || len(q.again) != 2 || !q.again[0].IsZero() {
		t.Errorf("%v %v %v", err, client.asked, q.again)
	}
}

// TestFollowReadsStatusAsItIsMapped ensures that statusAnswer is used for what statusUrl answers, and that what the provider has taken is asked about after the first pause.
func TestFollowReadsStatusAsItIsMapped(t *testing.T) {
	polled := interfaceOfTests
	polled.Polling, polled.StatusAnswer = &core.Polling{FirstSeconds: 5}, &core.Mapping{State: "items.0.is", Delivered: []string{"done"}}
	client := &answers{post: outbound.Response{Status: 200, Body: []byte(`{"state":"sent"}`)}, get: outbound.Response{Status: 200, Body: []byte(`{"items":[{"is":"done"}]}`)}}
	p := NewProvider(client, configured{Provider: polled}, nil)
	if o, err := p.Send(t.Context(), peppol.Attempt{Transmission: peppol.Transmission{Attempts: 1}}); err != nil || o.State != peppol.Sent || o.AskAfter != 5*time.Second {
		t.Errorf("%+v %v", o, err)
	}
	client.post.Status, polled.Taken = 422, []int{422}
	if o, err := NewProvider(client, configured{Provider: polled}, nil).Send(t.Context(), peppol.Attempt{Transmission: peppol.Transmission{Attempts: 1}}); err != nil || o.State != peppol.Sent || o.AskAfter != 5*time.Second {
		t.Errorf("a status that says it was taken: %+v %v", o, err)
	}
	q := &asked{due: []peppol.Question{{Transmission: peppol.Transmission{ID: "t"}}}}
	if err := p.Follow(t.Context(), q); err != nil || len(q.settled) != 1 || q.settled[0].State != peppol.Delivered {
		t.Errorf("%v %+v", err, q.settled)
	}
}
