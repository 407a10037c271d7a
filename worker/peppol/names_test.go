package peppol

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/miekg/dns"

	core "github.com/einvoiced/einvoiced/core/peppol"
)

// nameServer answers with these records by name in small letters, with a code for names that begin with a code, and otherwise that there is no such name.
func nameServer(t *testing.T, records map[string][]string, codes map[string]int) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	s := &dns.Server{PacketConn: conn, NotifyStartedFunc: func() { close(ready) }, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		answer, name := new(dns.Msg).SetReply(q), strings.ToLower(q.Question[0].Name)
		if answer.Rcode = dns.RcodeNameError; codes[name] > 0 {
			answer.Rcode = codes[name]
		}
		for _, text := range records[name] {
			r, err := dns.NewRR(name + " 60 IN " + text)
			if err != nil {
				t.Error(err)
				continue
			}
			if answer.Rcode = dns.RcodeSuccess; r.Header().Rrtype == q.Question[0].Qtype {
				answer.Answer = append(answer.Answer, r)
			}
		}
		_ = w.WriteMsg(answer)
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.ActivateAndServe() }()
	<-ready
	t.Cleanup(func() { _ = s.Shutdown(); <-done })
	return conn.LocalAddr().String()
}

// TestParticipantsAreFoundByTheirNames ensures that the U-NAPTR record which goes first names the publisher, that the older name does where there is none, and that a name
// server which fails is no proof that a participant is not registered.
func TestParticipantsAreFoundByTheirNames(t *testing.T) {
	naptr := func(order, service, expression string) string {
		return "NAPTR " + order + ` 10 "U" "` + service + `" "` + expression + `" .`
	}
	records, codes := map[string][]string{}, map[string]int{}
	for id, of := range map[string][]string{
		"two":      {naptr("200", "Meta:SMP", "!.*!https://second.example!"), naptr("100", "Meta:SMP", "!^.*$!https://first.example/smp!")},
		"other":    {naptr("1", "Meta:AP", "!.*!https://ap.example!"), naptr("2", "meta:smp", "!.*!https://smp.example!")},
		"useless":  {naptr("1", "Meta:SMP", `!^B-(.*)$!https://\\1.example!`), naptr("2", "Meta:SMP", "!.*!ftp://smp.example!"), naptr("3", "Meta:SMP", "x")},
		"anything": {naptr("1", "Meta:SMP", "!.*!https://169.254.169.254!")},
	} {
		records[strings.ToLower(core.Participant{Scheme: "9915", ID: id}.Name("zone.test."))] = of
	}
	records[strings.ToLower(core.Participant{Scheme: "9915", ID: "old"}.OldName("zone.test."))] = []string{"A 192.0.2.1"}
	codes[strings.ToLower(core.Participant{Scheme: "9915", ID: "broken"}.Name("zone.test."))] = dns.RcodeServerFailure
	server := nameServer(t, records, codes)
	n, err := newNames(server)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"two": "https://first.example/smp", "other": "https://smp.example", "useless": "unknown", "none": "unknown", "broken": "away", "anything": "https://169.254.169.254",
		"old": "http://" + strings.ToLower(core.Participant{Scheme: "9915", ID: "old"}.OldName("zone.test"))} {
		got, err := n.find(t.Context(), core.Participant{Scheme: "9915", ID: id}, "zone.test")
		if errors.Is(err, core.ErrUnregistered) {
			got = "unknown"
		} else if err != nil {
			got = "away"
		}
		if got != want {
			t.Errorf("%s: %s %v, want %s", id, got, err, want)
		}
	}
}
