package webhook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/seal"
)

func pointer[T any](v T) *T { return &v }

func TestEndpointIsKeptAsItWasMade(t *testing.T) {
	f := newFixture(t)
	made, secret, err := f.Create(t.Context(), f.acc, account.Live, Change{URL: pointer("https://hooks.example/a"),
		Events: &[]string{"job.failed", "invoice.created", "job.failed"}, Description: pointer("Buchhaltung")})
	do(t, err)
	want := Endpoint{ID: made.ID, Account: f.acc, Mode: account.Live, URL: "https://hooks.example/a", Events: []string{"invoice.created", "job.failed"},
		Description: "Buchhaltung", Enabled: true, Created: f.clock.Now(), Updated: f.clock.Now()}
	got, err := f.Get(t.Context(), f.acc, account.Live, made.ID)
	do(t, err)
	if diff := cmp.Diff([]Endpoint{want, want}, []Endpoint{made, got}); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(made.ID, "whk_") || !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
		t.Errorf("id %s, secret of %d characters", made.ID, len(secret))
	}
}

func TestEndpointIsChanged(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t, "job.failed")
	f.clock.Add(time.Minute)
	got, err := f.Update(t.Context(), f.acc, account.Test, e.ID, Change{Enabled: pointer(false), Description: pointer("x")})
	do(t, err)
	e.Enabled, e.Description, e.Updated = false, "x", f.clock.Now()
	if diff := cmp.Diff(e, got); diff != "" {
		t.Error(diff)
	}
	got, err = f.Update(t.Context(), f.acc, account.Test, e.ID, Change{Enabled: pointer(true), Events: &[]string{}, URL: pointer("https://b.example")})
	do(t, err)
	e.Enabled, e.Events, e.URL = true, []string{}, "https://b.example"
	if diff := cmp.Diff(e, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoEndpointIsRefused(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	for name, test := range map[string]struct {
		change Change
		field  string
	}{
		"plain HTTP":          {Change{URL: pointer("http://hooks.example")}, "url"},
		"empty URL":           {Change{URL: pointer("")}, "url"},
		"unknown event":       {Change{URL: pointer("https://a.example"), Events: &[]string{"job.failed", "invoice.lost"}}, "events[1]"},
		"the trial's event":   {Change{URL: pointer("https://a.example"), Events: &[]string{TestType}}, "events[0]"},
		"long description":    {Change{URL: pointer("https://a.example"), Description: pointer(strings.Repeat("ä", 501))}, "description"},
		"control characters":  {Change{URL: pointer("https://a.example"), Description: pointer("a\x00b")}, "description"},
		"description no text": {Change{URL: pointer("https://a.example"), Description: pointer("\xff")}, "description"},
	} {
		_, _, created := f.Create(t.Context(), f.acc, account.Test, test.change)
		_, changed := f.Update(t.Context(), f.acc, account.Test, e.ID, test.change)
		for doing, err := range map[string]error{"create": created, "update": changed} {
			if invalid, ok := errors.AsType[*InvalidError](err); !ok || invalid.Field != test.field {
				t.Errorf("%s: %s: error %v, want one of %s", name, doing, err, test.field)
			}
		}
	}
	if _, _, err := f.Create(t.Context(), f.acc, account.Test, Change{}); err == nil || err.Error() != "url: is required" {
		t.Errorf("without a URL: %v", err)
	}
	if _, _, err := f.Create(t.Context(), "acc_unknown", account.Test, Change{URL: pointer("https://a.example")}); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("unknown account: %v", err)
	}
}

// TestOthersSeeNothing ensures that every question about a webhook is answered to others as one about an unknown id.
func TestOthersSeeNothing(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	dlv := f.delivery(t)
	f.attempt(t, dlv, 200)
	for name, who := range map[string]struct {
		account, endpoint, delivery string
		mode                        account.Mode
	}{
		"another account": {f.others, e.ID, dlv, account.Test},
		"the other mode":  {f.acc, e.ID, dlv, account.Live},
		"unknown ids":     {f.acc, "whk_unknown", "dlv_unknown", account.Test},
	} {
		for doing, err := range map[string]error{
			"get":        second(f.Get(t.Context(), who.account, who.mode, who.endpoint)),
			"update":     second(f.Update(t.Context(), who.account, who.mode, who.endpoint, Change{Enabled: pointer(false)})),
			"delete":     f.Delete(t.Context(), who.account, who.mode, who.endpoint),
			"secret":     second(f.Secret(t.Context(), who.account, who.mode, who.endpoint)),
			"test":       second(f.Test(t.Context(), who.account, who.mode, who.endpoint)),
			"rotate":     third(f.Rotate(t.Context(), who.account, who.mode, who.endpoint)),
			"deliveries": third(f.Deliveries(t.Context(), who.account, who.mode, who.endpoint, Page{})),
			"delivery":   second(f.Delivery(t.Context(), who.account, who.mode, who.delivery)),
			"redeliver":  second(f.Redeliver(t.Context(), who.account, who.mode, who.delivery)),
		} {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%s: %s: error %v, want ErrNotFound", name, doing, err)
			}
		}
		if list, _, err := f.List(t.Context(), who.account, who.mode, Page{}); err != nil || (len(list) != 0) != (name == "unknown ids") {
			t.Errorf("%s: list %v, error %v", name, list, err)
		}
	}
	if got, err := f.Get(t.Context(), f.acc, account.Test, e.ID); err != nil || !got.Enabled {
		t.Errorf("afterwards %+v, error %v", got, err)
	}
}

func second[A any](_ A, err error) error        { return err }
func third[A, B any](_ A, _ B, err error) error { return err }

func TestNumberOfEndpointsIsBounded(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.MaxEndpoints = 3 })
	var made, refused atomic.Int32
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			switch _, _, err := f.Create(t.Context(), f.acc, account.Test, Change{URL: pointer("https://a.example")}); {
			case err == nil:
				made.Add(1)
			case errors.Is(err, ErrTooMany):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	work.Wait()
	if made.Load() != 3 || refused.Load() != 5 {
		t.Errorf("%d made, %d refused", made.Load(), refused.Load())
	}
	list, _, err := f.List(t.Context(), f.acc, account.Test, Page{})
	do(t, err, f.Delete(t.Context(), f.acc, account.Test, list[0].ID))
	f.endpoint(t)
}

func TestListsAreRead(t *testing.T) {
	f := newFixture(t)
	var ids []string // newest first
	for range 5 {
		ids = append([]string{f.endpoint(t).ID}, ids...)
		f.clock.Add(time.Second)
	}
	for name, test := range map[string]struct {
		page Page
		want []string
		more bool
	}{
		"all":                  {Page{}, ids, false},
		"the first two":        {Page{Limit: 2}, ids[:2], true},
		"after the second":     {Page{Limit: 2, StartingAfter: ids[1]}, ids[2:4], true},
		"after the fourth":     {Page{Limit: 2, StartingAfter: ids[3]}, ids[4:], false},
		"before the last":      {Page{Limit: 2, EndingBefore: ids[4]}, ids[2:4], true},
		"before the third":     {Page{Limit: 2, EndingBefore: ids[2]}, ids[:2], false},
		"after the oldest":     {Page{StartingAfter: ids[4]}, []string{}, false},
		"after what is no id":  {Page{StartingAfter: "a"}, []string{}, false},
		"before what is no id": {Page{EndingBefore: "z"}, []string{}, false},
	} {
		list, more, err := f.List(t.Context(), f.acc, account.Test, test.page)
		got := []string{}
		for _, e := range list {
			got = append(got, e.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || more != test.more || err != nil {
			t.Errorf("%s: more %t, error %v\n%s", name, more, err, diff)
		}
	}
	for _, p := range []Page{{Limit: 101}, {Limit: -1}, {StartingAfter: "a", EndingBefore: "b"}} {
		if _, _, err := f.List(t.Context(), f.acc, account.Test, p); !errors.Is(err, ErrBadPage) {
			t.Errorf("%+v: error %v", p, err)
		}
	}
}

func TestDeletedEndpointGetsNothingMore(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	dlv := f.delivery(t)
	do(t, f.Delete(t.Context(), f.acc, account.Test, e.ID))
	if ids := f.publish(t, "job.failed", "{}"); ids != nil {
		t.Errorf("published to %v", ids)
	}
	isIdle(t, f, dlv)
	var state State
	do(t, f.db.Get(t.Context(), &state, "SELECT state FROM webhook_deliveries WHERE id = ?", dlv))
	if state != Canceled || !f.owed(t, dlv).IsZero() {
		t.Errorf("the delivery that waited is %s, owed at %s", state, f.owed(t, dlv))
	}
	if _, err := f.Get(t.Context(), f.acc, account.Test, e.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestSecretIsSealedAndShown(t *testing.T) {
	f := newFixture(t)
	e, secret, err := f.Create(t.Context(), f.acc, account.Test, Change{URL: pointer("https://a.example")})
	do(t, err)
	got, err := f.Secret(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	if got != (Secrets{Current: secret}) {
		t.Errorf("shown %+v, made %s", got, secret)
	}
	var stored []byte
	do(t, f.db.Get(t.Context(), &stored, "SELECT secret FROM webhook_endpoints"))
	if strings.Contains(string(stored), secret[10:20]) {
		t.Error("the secret stands in the database")
	}
	other, _, err := f.Create(t.Context(), f.acc, account.Test, Change{URL: pointer("https://a.example")})
	do(t, err)
	r, err := f.read(t.Context(), f.acc, account.Test, other.ID)
	do(t, err)
	r.Secret = stored
	if _, err := f.open(r); err == nil {
		t.Error("the secret opens as another webhook's")
	}
}

func TestSecretBeforeARotationSignsFor24Hours(t *testing.T) {
	f := newFixture(t)
	e, first, err := f.Create(t.Context(), f.acc, account.Test, Change{URL: pointer("https://a.example")})
	do(t, err)
	rotated, secrets, err := f.Rotate(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	until := f.clock.Now().Add(24 * time.Hour)
	if secrets.Previous != first || secrets.Current == first || !secrets.Until.Equal(until) || !rotated.PreviousUntil.Equal(until) {
		t.Errorf("after the first rotation: %+v", secrets)
	}
	_, again, err := f.Rotate(t.Context(), f.acc, account.Test, e.ID)
	do(t, err)
	if again.Previous != secrets.Current {
		t.Errorf("after the second rotation: %+v", again)
	}
	f.clock.Add(24*time.Hour - time.Millisecond)
	if got, err := f.Secret(t.Context(), f.acc, account.Test, e.ID); err != nil || got != again {
		t.Errorf("just before the end: %+v, error %v", got, err)
	}
	f.clock.Add(time.Millisecond)
	if got, err := f.Secret(t.Context(), f.acc, account.Test, e.ID); err != nil || got != (Secrets{Current: again.Current}) {
		t.Errorf("at the end: %+v, error %v", got, err)
	}
	if got, err := f.Get(t.Context(), f.acc, account.Test, e.ID); err != nil || !got.PreviousUntil.IsZero() {
		t.Errorf("at the end: %+v, error %v", got, err)
	}
}

func TestRotationHealsASecretThatCannotBeOpened(t *testing.T) {
	f := newFixture(t)
	e := f.endpoint(t)
	dlv := f.delivery(t)
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	var err error
	f.sealer, err = seal.Open(seal.Config{Key: key})
	do(t, err)
	s := f.claim(t, dlv)
	if !errors.Is(s.Unsealed, seal.ErrUnknownKey) || s.Secrets != (Secrets{}) {
		t.Errorf("claimed with %+v, %v", s.Secrets, s.Unsealed)
	}
	_, err = f.Settle(t.Context(), s, Result{Started: f.clock.Now(), Reason: "secret"})
	do(t, err)
	if _, err := f.Secret(t.Context(), f.acc, account.Test, e.ID); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("error %v", err)
	}
	_, secrets, err := f.Rotate(t.Context(), f.acc, account.Test, e.ID)
	if err != nil || secrets.Previous != "" {
		t.Errorf("rotated to %+v, error %v", secrets, err)
	}
	f.clock.Add(time.Minute)
	if s := f.claim(t, dlv); s.Unsealed != nil || s.Secrets != secrets {
		t.Errorf("claimed with %+v, %v", s.Secrets, s.Unsealed)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, cfg := range []Config{{Retention: -1}, {Lease: time.Millisecond}, {EnqueueAgain: -1}, {Overlap: -1}, {MaxEndpoints: -1}} {
		if _, err := New(cfg, nil, nil, nil, nil); err == nil || strings.Contains(err.Error(), "required") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if _, err := New(Config{}, nil, nil, nil, nil); err == nil || !strings.Contains(err.Error(), "required") {
		t.Errorf("without its parts: %v", err)
	}
	if cfg, err := (Config{}).withDefaults(); err != nil || cfg.Clock != (clock.System{}) || cfg.Jitter(10) < 0 || cfg.Jitter(10) > 10 || cfg.Jitter(0) != 0 {
		t.Errorf("defaults %s, error %v", fmt.Sprint(cfg), err)
	}
}
