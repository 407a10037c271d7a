//go:build chaos

package chaos

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// laboratory is einvoiced lab as a process, beside the system.
type laboratory struct {
	*harness.Process
	https, dns, folder string
	token              string // of the settings that it prints
}

// unused gives an address of the loopback that nobody listens on.
func unused(t *testing.T, network string) string {
	t.Helper()
	if network == "udp" {
		c, err := net.ListenPacket(network, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.LocalAddr().String()
	}
	l, err := net.Listen(network, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func openLab(t *testing.T) *laboratory {
	t.Helper()
	l := &laboratory{https: unused(t, "tcp"), dns: unused(t, "udp"), folder: t.TempDir()}
	l.Process = harness.NewProcess(t, "lab", func() *exec.Cmd {
		return exec.Command(program(t), "lab", "--folder", l.folder, "--https", l.https, "--dns", l.dns)
	})
	l.Start()
	harness.Until(t, time.Minute, "the laboratory runs", func() bool { return strings.Contains(l.Log(), "Ctrl-C ends it.") })
	return l
}

// env are the settings of processes that send to it.
func (l *laboratory) env() map[string]string {
	root := filepath.Join(l.folder, "root.pem")
	return map[string]string{"EINVOICED_PEPPOL_SML": "lab.test", "EINVOICED_PEPPOL_DNS": l.dns, "EINVOICED_PEPPOL_TRUST": root, "EINVOICED_PEPPOL_CA": root, "EINVOICED_ALLOW_NETWORK": l.https}
}

// settings are those that it prints. The token in them is kept.
func (l *laboratory) settings(t *testing.T) []byte {
	t.Helper()
	log := l.Log()
	var said struct {
		Provider struct{ Headers map[string]string }
	}
	d := json.NewDecoder(strings.NewReader(log[strings.Index(log, "\n{"):]))
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		t.Fatal(err)
	}
	l.token = said.Provider.Headers["Authorization"]
	return raw
}

// openSending opens a system beside a laboratory, and gives a customer who sends to it.
func openSending(t *testing.T, s harness.Setup, change ...func(*harness.Plan)) (*laboratory, *harness.System, *harness.Client) {
	t.Helper()
	l := openLab(t)
	h := open(t, s, append([]func(*harness.Plan){func(p *harness.Plan) { p.Env = l.env() }}, change...)...)
	customer := harness.NewClient(t, h.NewKey("live", "peppol:send", "admin:peppol", "admin:webhooks"), h.Bases()...)
	var configured struct{ CallbackPath string }
	customer.Want(t, 200, "PUT", "/api/v1/peppol/settings", l.settings(t)).JSON(t, &configured)
	l.ask(t, "PUT", "/ap/callback", h.Bases()[0]+configured.CallbackPath)
	return l, h, customer
}

// ask asks it without looking at its certificate.
func (l *laboratory) ask(t *testing.T, method, path, body string) []byte {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://"+l.https+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", l.token)
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// peppolFaults are the ends of recipients' ids, with the state in which their transmissions end.
var peppolFaults = [][2]string{{"", "delivered"}, {"-no-receipt", "delivered"}, {"-late-receipt", "delivered"}, {"-wrong-signature", "delivered"}, {"-slow", "delivered"},
	{"-500", "delivered"}, {"-duplicate", "delivered"}, {"-rejected", "failed"}}

// transmission is what the test reads of one.
type transmission struct{ TransmissionID, Status, MessageID, want string }

// Sends to the laboratory with every fault mixed in, while workers are killed: each message comes under one id, which is the one that the customer was told,
// each transmission ends as it should with one event for that, and what came twice is counted.
func TestPeppol_SendsSurviveKillsAndFaults(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		receiver := harness.StartReceiver(t)
		l, h, customer := openSending(t, s, func(p *harness.Plan) {
			p.Env["EINVOICED_ALLOW_NETWORK"] += ",127.0.0.1:" + receiver.Port
			p.Env["SSL_CERT_FILE"] = receiver.CA
		})
		receiver.Subscribe(t, customer, "/peppol", "peppol.delivered", "peppol.failed")

		ctx, stop := context.WithCancel(t.Context())
		var killing sync.WaitGroup
		killing.Go(func() {
			for i := range size(3, 10) {
				harness.For(t, size(1500*time.Millisecond, 5*time.Second))
				workers := h.Workers()
				victim := workers[i%len(workers)]
				victim.Kill()
				victim.Restart(t)
			}
			stop()
		})
		sent := sendAll(t, customer, size(64, 1000))
		killing.Wait()
		<-ctx.Done()

		harness.Until(t, size(3*time.Minute, 30*time.Minute), "all transmissions have ended", func() bool { return ended(t, customer, sent) })
		var report struct {
			Distinct, Repeats int
			Messages          map[string]struct{ Times int }
		}
		if err := json.Unmarshal(l.ask(t, "GET", "/ap/messages", ""), &report); err != nil {
			t.Fatal(err)
		}
		audit := h.Audit()
		harness.Until(t, 2*time.Minute, "all events have come", func() bool { return len(told(t, receiver)) == len(sent) })
		events := told(t, receiver)
		for _, tr := range sent {
			if got := events[tr.TransmissionID]; len(got) != 1 || got[0] != "peppol."+tr.want {
				t.Errorf("%s has told %v", tr.TransmissionID, got)
			}
			if tr.Status != tr.want || report.Messages[tr.MessageID].Times == 0 {
				t.Errorf("%+v came %d times", tr, report.Messages[tr.MessageID].Times)
			}
			if n := audit.Number("SELECT count(*) FROM peppol_events WHERE transmission_id = '" + tr.TransmissionID + "' AND type = '" + tr.want + "'"); n != 1 {
				t.Errorf("%s has %d entries %s", tr.TransmissionID, n, tr.want)
			}
		}
		if report.Distinct != len(sent) {
			t.Errorf("%d message ids of %d sends", report.Distinct, len(sent))
		}
		if n := audit.Number("SELECT count(*) FROM peppol_transmissions WHERE state = 'delivered' AND receipt = ''"); n != 0 {
			t.Errorf("%d are delivered without a receipt", n)
		}
		for _, fault := range []string{"-wrong-signature", "-no-receipt", "-500"} { // their first answer is no receipt that counts
			if n := audit.Number("SELECT count(*) FROM peppol_transmissions WHERE state = 'delivered' AND attempts < 2 AND recipient LIKE '%" + fault + "'"); n != 0 {
				t.Errorf("%d with the fault %s are delivered by their first attempt", n, fault)
			}
		}
		audit.Counted()
		attempts := audit.Number("SELECT sum(attempts) FROM peppol_transmissions")
		t.Logf("%d sends in %d attempts, %d message ids at the receiver, %d came again", len(sent), attempts, report.Distinct, report.Repeats)
	})
}

// told gives the types of the events that have come, without repeated deliveries, by transmission.
func told(t *testing.T, receiver *harness.Receiver) map[string][]string {
	t.Helper()
	seen, found := map[string]bool{}, map[string][]string{}
	for _, e := range receiver.Events() {
		var event struct {
			ID, Type string
			Data     struct {
				Object struct{ TransmissionID string }
			}
		}
		if err := json.Unmarshal(e.Body, &event); err != nil {
			t.Fatal(err)
		}
		if !seen[event.ID] {
			seen[event.ID] = true
			id := event.Data.Object.TransmissionID
			found[id] = append(found[id], event.Type)
		}
	}
	return found
}

// sendAll sends the sample so many times, to recipients of every kind.
func sendAll(t *testing.T, customer *harness.Client, n int) []*transmission {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(harness.Root(t), "testdata", "documents", "peppol-bis.xml"))
	if err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(document)
	sent := make([]*transmission, n)
	var senders sync.WaitGroup
	for worker := range 4 {
		senders.Go(func() {
			for i := worker; i < n; i += 4 {
				fault := peppolFaults[i%len(peppolFaults)]
				body := fmt.Sprintf(`{"data":%q,"recipient":{"peppolId":"9915:n%d%s"},"sender":{"peppolId":"0088:1"}}`, data, i, fault[0])
				a, _, err := customer.Stubborn(t.Context(), "POST", "/api/v1/peppol/send", []byte(body), "Idempotency-Key", fmt.Sprintf("send-%d", i))
				if err != nil || a.Status != 202 {
					t.Errorf("send %d: %d %v %.300s", i, a.Status, err, a.Body)
					return
				}
				sent[i] = &transmission{want: fault[1]}
				a.JSON(t, sent[i])
			}
		})
	}
	senders.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return sent
}

// ended looks at those that have not ended yet, and tells whether all have.
func ended(t *testing.T, customer *harness.Client, sent []*transmission) bool {
	all := true
	for _, tr := range sent {
		if tr.Status == "delivered" || tr.Status == "failed" {
			continue
		}
		a, _, err := customer.Stubborn(t.Context(), "GET", "/api/v1/peppol/transmissions/"+tr.TransmissionID, nil)
		if err != nil {
			t.Fatal(err)
		}
		a.JSON(t, tr)
		all = all && (tr.Status == "delivered" || tr.Status == "failed")
	}
	return all
}
