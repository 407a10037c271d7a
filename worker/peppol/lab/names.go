package lab

import (
	"strings"

	"github.com/miekg/dns"
)

// answerName answers for every participant with where the publisher is: which participants there are, that tells.
func (l *Lab) answerName(w dns.ResponseWriter, question *dns.Msg) {
	answer := new(dns.Msg)
	answer.SetReply(question)
	answer.Authoritative = true
	for _, q := range question.Question {
		name := strings.ToLower(q.Name)
		switch {
		case !strings.HasSuffix(name, ".iso6523-actorid-upis."+Zone+"."):
			answer.Rcode = dns.RcodeNameError
		case q.Qtype == dns.TypeNAPTR:
			answer.Answer = append(answer.Answer, &dns.NAPTR{Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeNAPTR, Class: dns.ClassINET, Ttl: 60},
				Order: 100, Preference: 10, Flags: "U", Service: "Meta:SMP", Regexp: "!.*!https://" + l.Place() + "/smp!", Replacement: "."})
		}
		l.say("dns   %s %s: %s", dns.TypeToString[q.Qtype], q.Name, dns.RcodeToString[answer.Rcode])
	}
	_ = w.WriteMsg(answer)
}
