package signature

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestVectors holds the signatures against published and independently computed ones. The first message is the one that the libraries of
// Standard Webhooks test themselves with; the other values were computed by OpenSSL.
func TestVectors(t *testing.T) {
	for _, v := range []struct{ secret, id, timestamp, body, message, contract string }{
		{
			"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", `{"test": 2432232314}`,
			"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "sha256=80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c",
		},
		{
			"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "dlv_06eajh8a02g4531h0twbne187w", "1772366400", "",
			"v1,e5HaAluSr8KDjoSVKvRm5koLu7shoKU87XtL+yzIRSc=", "sha256=3869a63cbe73c747431cf9ff4d38cbaa6ad6adb0541c4753e1c90f7b6920620f",
		},
		{
			"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "dlv_06eajh8a02g4531h0twbne187w", "1772366400", "{\"a\":\"ä€𝄞\"}\n",
			"v1,uHDr0Z6fMtS5P3vaq7MRiMNdSuS2fOrqf4mtja0m9fY=", "sha256=3a4dc17e5a80b60bdd50f5e85370562ae423f9451589153797537a36fd5ab865",
		},
	} {
		if got, err := OfMessage(v.secret, v.id, v.timestamp, []byte(v.body)); err != nil || got != v.message {
			t.Errorf("%s: message %s, want %s; error %v", v.body, got, v.message, err)
		}
		if got := OfBody(v.secret, []byte(v.body)); got != v.contract {
			t.Errorf("%s: contract %s, want %s", v.body, got, v.contract)
		}
	}
}

const (
	secret   = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	previous = "whsec_HxwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgEAAAA="
)

var message = Message{Delivery: "dlv_1", Event: "invoice.created", Time: time.Unix(1772366400, 5e8), Body: []byte(`{"id":"evt_1"}`)}

func TestHeaderIsThatOfContractAndStandard(t *testing.T) {
	h, err := Header(message, secret, "")
	if err != nil {
		t.Fatal(err)
	}
	standard, err := OfMessage(secret, "dlv_1", "1772366400", message.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := http.Header{}
	for name, value := range map[string]string{
		"X-Service-Signature": OfBody(secret, message.Body), "X-Service-Event": "invoice.created", "X-Service-Delivery": "dlv_1",
		"X-Service-Timestamp": "1772366400", "webhook-id": "dlv_1", "webhook-timestamp": "1772366400", "webhook-signature": standard,
	} {
		want.Set(name, value)
	}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Error(diff)
	}
}

func TestBothSecretsSignDuringARotation(t *testing.T) {
	h, err := Header(message, secret, previous)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(strings.Split(h.Get("webhook-signature"), " ")); n != 2 {
		t.Errorf("%d signatures: %s", n, h.Get("webhook-signature"))
	}
	for s, contract := range map[string]bool{secret: true, previous: false} {
		v, err := Verify(s, h, message.Body, message.Time, time.Minute)
		if err != nil || v[0].Valid != contract || !v[1].Valid {
			t.Errorf("verdicts %+v, error %v", v, err)
		}
	}
}

func TestOtherSecretsAreRefused(t *testing.T) {
	for _, s := range []string{"whsec_", "whsec_!", "AAECAwQ=", "whsec_AAECAwQ", "sk_test_AAECAwQ="} {
		_, header := Header(message, s, "")
		_, verify := Verify(s, http.Header{}, nil, message.Time, 0)
		_, rotated := Header(message, secret, s)
		if !errors.Is(header, ErrSecret) || !errors.Is(verify, ErrSecret) || !errors.Is(rotated, ErrSecret) {
			t.Errorf("%q: errors %v, %v, %v", s, header, verify, rotated)
		}
	}
}

// TestOneBitMakesItInvalid ensures that no bit of body, id, time, secret or signature can change.
func TestOneBitMakesItInvalid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := message
		m.Body = rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "body")
		h, err := Header(m, secret, "")
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, s string, h http.Header, body []byte, contract, standard bool) {
			v, err := Verify(s, h, body, m.Time, 0)
			if err != nil || v[0].Valid != contract || v[1].Valid != standard {
				t.Fatalf("%s: verdicts %+v, error %v", what, v, err)
			}
		}
		check("as it was sent", secret, h, m.Body, true, true)
		flip := func(b []byte, name string) []byte {
			b = append([]byte(nil), b...)
			at := rapid.IntRange(0, len(b)*8-1).Draw(t, name)
			b[at/8] ^= 1 << (at % 8)
			return b
		}
		check("body", secret, h, flip(m.Body, "bit of the body"), false, false)
		for name, valid := range map[string][2]bool{Contract: {false, true}, StandardID: {true, false}, StandardTimestamp: {true, false}, StandardSignature: {true, false}} {
			changed := h.Clone()
			changed[name] = []string{string(flip([]byte(h.Get(name)), "bit of "+name))}
			check(name, secret, changed, m.Body, valid[0], valid[1])
		}
		key := flip(must(base64.StdEncoding.DecodeString(secret[len(prefix):])), "bit of the secret")
		check("secret", prefix+base64.StdEncoding.EncodeToString(key), h, m.Body, false, false)
	})
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestVerdictsSayWhatIsWrong(t *testing.T) {
	good, err := Header(message, secret, "")
	if err != nil {
		t.Fatal(err)
	}
	with := func(name, value string) http.Header {
		h := good.Clone()
		if value == "" {
			h.Del(name)
		} else {
			h.Set(name, value)
		}
		return h
	}
	sent := message.Time.Truncate(time.Second)
	for name, test := range map[string]struct {
		header http.Header
		now    time.Time
		want   [2]string
	}{
		"good":              {good, message.Time, [2]string{"", ""}},
		"nothing":           {http.Header{}, message.Time, [2]string{"is not there", "is not there"}},
		"another algorithm": {with(Contract, "sha1=00"), message.Time, [2]string{"does not begin with sha256=", ""}},
		"another body's":    {with(Contract, OfBody(secret, nil)), message.Time, [2]string{"is not that of this body under this secret", ""}},
		"no id":             {with(StandardID, ""), message.Time, [2]string{"", "needs Webhook-Id and Webhook-Timestamp"}},
		"old":               {good, sent.Add(6 * time.Minute), [2]string{"", "its time is 6m0s from now"}},
		"of the future":     {good, sent.Add(-6 * time.Minute), [2]string{"", "its time is 6m0s from now"}},
		"several versions":  {with(StandardSignature, "v1a,AAAA v2,BBBB "+good.Get(StandardSignature)), message.Time, [2]string{"", ""}},
		"other version":     {with(StandardSignature, "v2,"+good.Get(StandardSignature)[3:]), message.Time, [2]string{"", "is not that of this id, time and body under this secret"}},
	} {
		v, err := Verify(secret, test.header, message.Body, test.now, 5*time.Minute)
		if err != nil || v[0].Why != test.want[0] || v[1].Why != test.want[1] || v[0].Valid != (test.want[0] == "") || v[1].Valid != (test.want[1] == "") {
			t.Errorf("%s: verdicts %+v, error %v", name, v, err)
		}
	}
}

func TestTimeThatIsNoNumber(t *testing.T) {
	h := http.Header{}
	h.Set(StandardID, "a")
	h.Set(StandardTimestamp, "noon")
	s, err := OfMessage(secret, "a", "noon", nil)
	if err != nil {
		t.Fatal(err)
	}
	h.Set(StandardSignature, s)
	if v, err := Verify(secret, h, nil, message.Time, time.Minute); err != nil || v[1].Valid || v[1].Why != "its time is no number of seconds" {
		t.Errorf("verdicts %+v, error %v", v, err)
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(secret, "sha256=00", "v1,AAAA", "1772366400", []byte("{}"))
	f.Fuzz(func(t *testing.T, s, contract, standard, timestamp string, body []byte) {
		h := http.Header{Contract: {contract}, StandardSignature: {standard}, StandardID: {"a"}, StandardTimestamp: {timestamp}}
		v, err := Verify(s, h, body, message.Time, time.Minute)
		if err != nil {
			return
		}
		if v[0].Valid && contract != OfBody(s, body) {
			t.Errorf("%q is taken for the signature", contract)
		}
	})
}

func BenchmarkHeader(b *testing.B) {
	m := message
	m.Body = make([]byte, 20_000)
	for b.Loop() {
		if _, err := Header(m, secret, previous); err != nil {
			b.Fatal(err)
		}
	}
}
