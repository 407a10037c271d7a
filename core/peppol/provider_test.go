package peppol

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestMappingReads ensures that answers are read as the settings say, and that what is not understood is no success.
func TestMappingReads(t *testing.T) {
	m := Mapping{State: "data.status", Sent: []string{"queued"}, Delivered: []string{"done", "true"}, Failed: []string{"error"}, Message: "data.error", Receipt: "data.receipt", MessageID: "id"}
	for body, want := range map[string]Told{
		`{"id":"m","data":{"status":"queued"}}`:                                  {State: "sent", MessageID: "m"},
		`{"data":{"status":true,"receipt":{"a":1}}}`:                             {State: "delivered", Receipt: `{"a":1}`},
		`{"data":{"status":"error","error":"` + strings.Repeat("é", 900) + `"}}`: {State: "failed", Message: strings.Repeat("é", 500)},
	} {
		if got, err := m.Read([]byte(body)); err != nil || got != want {
			t.Errorf("%.60s: %+v %v", body, got, err)
		}
	}
	for _, bad := range []string{"", "[]", "{", `{"data":{"status":"odd"}}`, `{"data":"x"}`} {
		if got, err := m.Read([]byte(bad)); !errors.Is(err, ErrAnswer) {
			t.Errorf("%q: %+v %v", bad, got, err)
		}
	}
	for places, want := range map[string]string{"none a.none a.list.1.b": "2", "a.list.2.b a.text": "t", "a.nothing a.text": "t", "a.list.x": "", "a.list.-1": "", "": "", "a.list.0": `{"b":"1"}`} {
		if got := newAnswer([]byte(`{"a":{"list":[{"b":"1"},{"b":"2"}],"text":"t","nothing":null}}`)).valueAt(places); got != want {
			t.Errorf("%q: %q, want %q", places, got, want)
		}
	}
	if got, err := (Mapping{}).Read(nil); err != nil || got.State != "sent" {
		t.Errorf("%+v %v", got, err)
	}
}

// TestPolling ensures that the pauses between questions grow to their bound, and which settings of polling are refused.
func TestPolling(t *testing.T) {
	want := []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, time.Hour, time.Hour}
	for asked, pause := range want {
		if got := (Polling{}).Pause(asked); got != pause {
			t.Errorf("asked %d times: %s, want %s", asked, got, pause)
		}
	}
	most := Polling{FirstSeconds: mostSeconds, LongestSeconds: 1, Hours: 1}
	if got := most.Pause(1000); got != 24*time.Hour || most.Limit() != time.Hour || (Polling{}).Limit() != 72*time.Hour {
		t.Errorf("%s %s", got, most.Limit())
	}
	good := Provider{URL: "https://ap.example/", StatusURL: "https://ap.example/{messageId}", Answer: Mapping{State: "s", Delivered: []string{"d"}}, Polling: &Polling{}}
	if err := (Settings{Provider: good}).Check(); err != nil || good.FirstQuestion() != time.Minute {
		t.Error(err, good.FirstQuestion())
	}
	for name, change := range map[string]func(*Provider){
		"no URL":           func(p *Provider) { p.StatusURL = "" },
		"no state":         func(p *Provider) { p.Answer = Mapping{} },
		"nothing delivers": func(p *Provider) { p.StatusAnswer = &Mapping{State: "s"} },
		"too long":         func(p *Provider) { p.Polling = &Polling{Hours: 721} },
		"negative":         func(p *Provider) { p.Polling = &Polling{FirstSeconds: -1} },
	} {
		p := good
		change(&p)
		var wrong *SettingsError
		if err := (Settings{Provider: p}).Check(); !errors.As(err, &wrong) || wrong.Field != "provider.polling" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCallbackVerify ensures that a call-back proves secret, body and time.
func TestCallbackVerify(t *testing.T) {
	c, now := Callback{Secret: "0123456789abcdef"}, time.Unix(1e9, 0)
	header := c.Sign([]byte("a"), now)
	digest, err := c.Verify(header, []byte("a"), now.Add(time.Minute))
	if err != nil || digest == "" {
		t.Fatal(err)
	}
	other, err := c.Verify(c.Sign([]byte("a"), now.Add(time.Second)), []byte("a"), now)
	if err != nil || other == digest {
		t.Errorf("another call-back has the same digest: %v", err)
	}
	plain := Callback{Secret: c.Secret, Scheme: "secret"}
	if _, err := plain.Verify("Bearer "+c.Secret, nil, now); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string]func() (string, error){
		"another body":   func() (string, error) { return c.Verify(header, []byte("b"), now) },
		"too old":        func() (string, error) { return c.Verify(header, []byte("a"), now.Add(6*time.Minute)) },
		"from to-morrow": func() (string, error) { return c.Verify(header, []byte("a"), now.Add(-6*time.Minute)) },
		"no header":      func() (string, error) { return c.Verify("", []byte("a"), now) },
		"another secret": func() (string, error) { return Callback{Secret: "another-secret-16"}.Verify(header, []byte("a"), now) },
		"no secret":      func() (string, error) { return Callback{}.Verify(Callback{}.Sign([]byte("a"), now), []byte("a"), now) },
		"a wrong word":   func() (string, error) { return plain.Verify("0123456789abcdeg", nil, now) },
	} {
		if _, err := bad(); !errors.Is(err, ErrCallback) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSettingsCheck ensures which settings are refused, by member.
func TestSettingsCheck(t *testing.T) {
	good := Provider{URL: "https://ap.example/{sender}/{recipient}", Headers: map[string]string{"X-Token": "a"}}
	if err := (Settings{Provider: good, SenderID: "0088:1"}).Check(); err != nil {
		t.Error(err)
	}
	for field, change := range map[string]func(*Settings){
		"provider.url":             func(s *Settings) { s.Provider.URL = "" },
		"provider.statusUrl":       func(s *Settings) { s.Provider.StatusURL = "https://{messageId}/" },
		"provider.body":            func(s *Settings) { s.Provider.Body = "pdf" },
		"provider.headers.Host":    func(s *Settings) { s.Provider.Headers = map[string]string{"Host": "a"} },
		"provider.headers.A":       func(s *Settings) { s.Provider.Headers = map[string]string{"A": "b\r\nC: d"} },
		"provider.certificate":     func(s *Settings) { s.Provider.Certificate = "x" },
		"provider.callback.secret": func(s *Settings) { s.Provider.Callback.Secret = "short" },
		"provider.callback.scheme": func(s *Settings) { s.Provider.Callback.Scheme = "none" },
		"senderId":                 func(s *Settings) { s.SenderID = "1" },
		"provider.taken":           func(s *Settings) { s.Provider.Taken = []int{422} },
		"provider.callback.answer": func(s *Settings) { s.Provider.Callback.Answer = &Mapping{State: strings.Repeat("a.", 101)} },
	} {
		s := Settings{Provider: good}
		change(&s)
		var wrong *SettingsError
		if err := s.Check(); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	words := Words{"sender": "0088:1 /?", "messageId": "m"}
	if got := words.InURL("https://a/{sender}?{messageId}{process}"); got != "https://a/0088%3A1%20%2F%3F?mx" {
		t.Error(got)
	}
}
