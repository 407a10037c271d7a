package mail

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/internal/await"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// postOffice is a small SMTP server (RFC 5321) that keeps what it gets.
type postOffice struct {
	listener net.Listener
	tls      *tls.Config // offered by STARTTLS; nil: none
	refuse   string      // answer to RCPT; empty: accepted
	work     sync.WaitGroup
	mu       sync.Mutex
	mails    []string
	auths    []string
}

func newPostOffice(t testing.TB, offered *tls.Config) *postOffice {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	do(t, err)
	return openPostOffice(t, &postOffice{listener: l, tls: offered})
}

func openPostOffice(t testing.TB, p *postOffice) *postOffice {
	l := p.listener
	p.work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.work.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() { do(t, l.Close()); p.work.Wait() })
	return p
}

func (p *postOffice) serve(conn net.Conn) {
	defer func() { conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(await.Patience))
	r := bufio.NewReader(conn)
	say := func(lines ...string) { fmt.Fprintf(conn, "%s\r\n", strings.Join(lines, "\r\n")) }
	say("220 post office")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); verb {
		case "EHLO":
			extensions := []string{"250-post office"}
			if _, secure := conn.(*tls.Conn); p.tls != nil && !secure {
				extensions = append(extensions, "250-STARTTLS")
			}
			say(append(extensions, "250 AUTH PLAIN")...)
		case "STARTTLS":
			say("220 go ahead")
			conn = tls.Server(conn, p.tls)
			r = bufio.NewReader(conn)
		case "AUTH":
			p.keep(&p.auths, strings.TrimSpace(line))
			say("235 welcome")
		case "RCPT":
			if p.refuse != "" {
				say(p.refuse)
				continue
			}
			say("250 ok")
		case "DATA":
			say("354 go ahead")
			var text strings.Builder
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				text.WriteString(line)
			}
			p.keep(&p.mails, text.String())
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (p *postOffice) keep(list *[]string, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(*list, text)
}

// taken gives the mails that came.
func (p *postOffice) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.mails...)
}

// do fails the test with the first error.
func do(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// certificate makes one for the loopback and a pool that trusts it.
func certificate(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	do(t, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	do(t, err)
	parsed, err := x509.ParseCertificate(der)
	do(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS12}
}

var message = Message{ID: "dlv_1.1", To: "buchhaltung@example.com", Subject: "Lieferung ä", Text: "Zeile 1\n.\nZeile 3 ä\n", Date: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}

func TestMailIsHandedOverByTLS(t *testing.T) {
	server, client := certificate(t)
	office := newPostOffice(t, server)
	m, err := New(Config{SMTP: "smtp://user:pass%2Fword@" + office.listener.Addr().String() + "?from=einvoiced@example.com", TLS: client})
	do(t, err, m.Send(t.Context(), message))
	got, err := mail.ReadMessage(strings.NewReader(office.taken()[0]))
	do(t, err)
	for name, want := range map[string]string{
		"From": "<einvoiced@example.com>", "To": "<buchhaltung@example.com>", "Message-Id": "<dlv_1.1@127.0.0.1>", "Date": "Sun, 01 Mar 2026 12:00:00 +0000",
		"Auto-Submitted": "auto-generated",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	want := "AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00user\x00pass/word"))
	if len(office.auths) != 1 || office.auths[0] != want {
		t.Errorf("authenticated with %q", office.auths)
	}
}

func TestMailIsHandedOverByTLSFromTheFirstByte(t *testing.T) {
	server, client := certificate(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	do(t, err)
	office := openPostOffice(t, &postOffice{listener: l})
	m, err := New(Config{SMTP: "smtps://user:password@" + l.Addr().String() + "?from=einvoiced@example.com", TLS: client})
	do(t, err, m.Send(t.Context(), message))
	if len(office.taken()) != 1 || len(office.auths) != 1 {
		t.Errorf("%d mails, %d passwords", len(office.taken()), len(office.auths))
	}
	stranger, err := New(Config{SMTP: "smtps://user:password@" + l.Addr().String() + "?from=einvoiced@example.com"})
	do(t, err)
	if err := stranger.Send(t.Context(), message); err == nil || len(office.auths) != 1 {
		t.Errorf("handed to a server that nobody trusts: %v", err)
	}
}

func TestMailIsNotHandedOverInTheClear(t *testing.T) {
	office := newPostOffice(t, nil)
	m, err := New(Config{SMTP: "smtp://user:password@" + office.listener.Addr().String() + "?from=einvoiced@example.com"})
	do(t, err)
	if err := m.Send(t.Context(), message); err == nil || len(office.taken()) != 0 || len(office.auths) != 0 {
		t.Errorf("error %v, %d mails, %d passwords", err, len(office.taken()), len(office.auths))
	}
}

func TestMailToARelayOnThisMachine(t *testing.T) {
	office := newPostOffice(t, nil)
	m, err := New(Config{SMTP: "smtp://" + office.listener.Addr().String() + "?from=einvoiced@example.com&tls=off"})
	do(t, err, m.Send(t.Context(), message))
	if len(office.taken()) != 1 {
		t.Errorf("%d mails", len(office.taken()))
	}
}

func TestAddressOfTheServerIsChecked(t *testing.T) {
	for _, s := range []string{"::", "mail.example", "smtp://mail.example", "smtp://mail.example?from=nobody", "smtp:///?from=a@example.com", "http://mail.example?from=a@example.com",
		"smtps://user:topsecret@mail.example?from=a@example.com&tls=off", "smtp://user:topsecret@mail.example?from=a@example.com&tls=no", "smtp://user:topsecret@mail.example:x?from=a@example.com"} {
		if _, err := New(Config{SMTP: s}); err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{"smtps://mail.example?from=a@example.com", "smtp://u:p@mail.example?from=Firma+%3Ca@example.com%3E", "smtp://mail.example:2525?from=a@example.com", ""} {
		if m, err := New(Config{SMTP: s}); err != nil || m.Enabled() != (s != "") {
			t.Errorf("%s: %v", s, err)
		}
	}
	if _, err := New(Config{Timeout: -1}); err == nil {
		t.Error("a negative time is accepted")
	}
}

// fixture is a Notifier over a real store in which one delivery has failed for good.
type fixture struct {
	*Notifier
	store *webhook.Store
	clock *clock.Hand
	log   *await.Buffer
	to    string
	err   error // of looking for the address
}

// anything is a Checker, and a Enqueuer that enqueues nobody.
type anything struct{}

func (anything) Check(context.Context, string) error { return nil }
func (anything) EnqueueSoon(string, string, int64)   {}

func newFixture(t testing.TB, mailer *Mailer) *fixture {
	t.Helper()
	f := &fixture{clock: clock.NewHand(message.Date), log: &await.Buffer{}, to: "buchhaltung@example.com"}
	database := dbtest.Open(t)
	sealer, err := seal.Open(seal.Config{Key: base64.StdEncoding.EncodeToString(make([]byte, 32))})
	do(t, err)
	f.store, err = webhook.New(webhook.Config{Clock: f.clock}, database, sealer, anything{}, anything{})
	do(t, err)
	accounts, err := account.New(account.Config{}, database)
	do(t, err)
	a, err := accounts.CreateAccount(t.Context(), "Musterfirma")
	do(t, err)
	url := "https://hooks.example/in"
	_, _, err = f.store.Create(t.Context(), a.ID, account.Live, webhook.Change{URL: &url})
	do(t, err)
	var deliveryID string
	do(t, database.Write(t.Context(), func(tx *db.Tx) error {
		publish, err := f.store.Ask(tx, a.ID, account.Live)
		do(t, err)
		told, err := publish(ledger.Event{Type: "invoice.created", Object: []byte("{}")})
		deliveryID = told.Messages[0].Subject
		return err
	}))
	for range webhook.Schedule {
		s, err := f.store.Claim(t.Context(), deliveryID)
		do(t, err)
		_, err = f.store.Settle(t.Context(), s, webhook.Result{Started: f.clock.Now(), Reason: "timeout"})
		do(t, err)
		f.clock.Add(13*time.Hour + 20*time.Minute)
	}
	f.Notifier = NewNotifier(mailer, f.store, func(_ context.Context, id string) (string, error) {
		if id != a.ID {
			t.Errorf("asked for account %s", id)
		}
		return f.to, f.err
	}, slog.New(slog.NewTextHandler(f.log, nil)))
	return f
}

func relay(t testing.TB, office *postOffice) *Mailer {
	t.Helper()
	m, err := New(Config{SMTP: "smtp://" + office.listener.Addr().String() + "?from=einvoiced@example.com&tls=off"})
	do(t, err)
	return m
}

// TestFailedDeliveryIsToldOnce ensures that one mail goes out for a delivery that failed six times, however often it is asked for.
func TestFailedDeliveryIsToldOnce(t *testing.T) {
	office := newPostOffice(t, nil)
	f := newFixture(t, relay(t, office))
	for range 3 {
		do(t, f.SendDue(t.Context()))
		f.clock.Add(24 * time.Hour)
	}
	if len(office.taken()) != 1 {
		t.Fatalf("%d mails", len(office.taken()))
	}
	for _, want := range []string{"Subject: Webhook delivery failed: invoice.created", "https://hooks.example/in (live mode)", "Attempts:     6", "timeout", "/redeliver"} {
		if text := strings.ReplaceAll(office.taken()[0], "whk_", ""); !strings.Contains(strings.ReplaceAll(text, "=\r\n", ""), strings.TrimSuffix(want, " (live mode)")) {
			t.Errorf("the mail lacks %q:\n%s", want, text)
		}
	}
}

// TestWithoutAnybodyToTell ensures that a line of the log is left instead of a mail, once.
func TestWithoutAnybodyToTell(t *testing.T) {
	nobody, err := New(Config{})
	do(t, err)
	for name, test := range map[string]struct {
		mailer *Mailer
		to     string
		want   string
	}{
		"no mail server": {nobody, "buchhaltung@example.com", "there is no mail server"},
		"no address":     {relay(t, newPostOffice(t, nil)), "", "has no notification address"},
		"wrong address":  {relay(t, newPostOffice(t, nil)), "nobody", "address is none"},
	} {
		f := newFixture(t, test.mailer)
		f.to = test.to
		for range 2 {
			do(t, f.SendDue(t.Context()))
			f.clock.Add(time.Hour)
		}
		if log := f.log.String(); strings.Count(log, "webhook delivery failed") != 1 || !strings.Contains(log, test.want) {
			t.Errorf("%s: log %s", name, log)
		}
	}
}

// TestMailThatIsNotTakenIsSentAgain ensures that the failure of a mail server, or of ours, costs time only.
func TestMailThatIsNotTakenIsSentAgain(t *testing.T) {
	office := newPostOffice(t, nil)
	office.refuse = "451 later"
	f := newFixture(t, relay(t, office))
	if err := f.SendDue(t.Context()); err == nil {
		t.Error("no error although the server does not take it")
	}
	office.refuse = ""
	do(t, f.SendDue(t.Context()))
	if len(office.taken()) != 0 {
		t.Error("sent again at once")
	}
	f.clock.Add(time.Minute)
	f.err = errors.New("no database")
	if err := f.SendDue(t.Context()); err == nil {
		t.Error("no error although the address cannot be found")
	}
	f.err = nil
	f.clock.Add(2 * time.Minute)
	do(t, f.SendDue(t.Context()))
	if len(office.taken()) != 1 {
		t.Errorf("%d mails", len(office.taken()))
	}
}

func TestStoppedNotifierSendsNothing(t *testing.T) {
	office := newPostOffice(t, nil)
	f := newFixture(t, relay(t, office))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.SendDue(ctx); !errors.Is(err, context.Canceled) || len(office.taken()) != 0 {
		t.Errorf("error %v, %d mails", err, len(office.taken()))
	}
}
