package peppol

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"

	core "github.com/einvoiced/einvoiced/core/peppol"
)

// names asks a name server where participants are registered.
type names struct{ server string }

// newNames prepares a look-up by the server, or by the first of the machine where none is given.
func newNames(server string) (*names, error) {
	if server == "" {
		system, err := dns.ClientConfigFromFile("/etc/resolv.conf")
		if err != nil || len(system.Servers) == 0 {
			return nil, fmt.Errorf("look-up: this machine names no name server: %w", errors.Join(err, errors.New("give one with --peppol-dns")))
		}
		server = net.JoinHostPort(system.Servers[0], system.Port)
	}
	if err := CheckNameServer(server); err != nil {
		return nil, err
	}
	return &names{server}, nil
}

// CheckNameServer tells whether a text is host and port of a name server: the host is an address or a name, the port a number from 1 to 65535.
func CheckNameServer(server string) error {
	host, port, err := net.SplitHostPort(server)
	number, wrong := strconv.ParseUint(port, 10, 16)
	_, name := dns.IsDomainName(host)
	if err == nil && (host == "" || strings.ContainsAny(host, " \t/") || !name && net.ParseIP(host) == nil || wrong != nil || number == 0) {
		err = errors.New("it has no host, or its port is no number from 1 to 65535")
	}
	if err != nil {
		return fmt.Errorf("look-up: the name server must be host:port, not %q: %w", server, err)
	}
	return nil
}

// CheckZone tells whether a text is the name of a DNS zone.
func CheckZone(zone string) error {
	if labels, ok := dns.IsDomainName(zone); !ok || labels < 1 || zone == "." || strings.ContainsAny(zone, " \t/:@") {
		return fmt.Errorf("look-up: %q is no DNS zone", zone)
	}
	return nil
}

// find gives the address of the participant's SMP: by its U-NAPTR record (BDX Location 1.0), else by its older name. The error is
// core.ErrUnregistered where the zone has neither.
func (n *names) find(ctx context.Context, p core.Participant, zone string) (string, error) {
	answer, err := n.ask(ctx, p.Name(zone), dns.TypeNAPTR)
	if err != nil {
		return "", err
	}
	if address := publisher(answer.Answer); address != "" {
		return address, nil
	}
	old := p.OldName(zone)
	if answer, err = n.ask(ctx, old, dns.TypeA); err != nil {
		return "", err
	}
	if answer.Rcode == dns.RcodeNameError || len(answer.Answer) == 0 {
		return "", fmt.Errorf("%s %w", p, core.ErrUnregistered)
	}
	return "http://" + strings.ToLower(old), nil
}

// publisher is the address in the record that goes first of those for SMPs; empty where there is none.
func publisher(records []dns.RR) string {
	var found []*dns.NAPTR
	for _, r := range records {
		if n, ok := r.(*dns.NAPTR); ok && strings.EqualFold(n.Flags, "U") && strings.EqualFold(n.Service, "Meta:SMP") {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b *dns.NAPTR) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Preference, b.Preference))
	})
	for _, n := range found {
		if address, ok := substituted(n.Regexp); ok {
			return address
		}
	}
	return ""
}

// substituted gives the replacement of a regular expression that takes the whole name, as those of SMLs do: !.*!https://smp.example!.
func substituted(expression string) (string, bool) {
	if expression == "" {
		return "", false
	}
	parts := strings.Split(expression, expression[:1])
	if len(parts) != 4 || parts[1] != ".*" && parts[1] != "^.*$" || strings.Contains(parts[2], "\\") {
		return "", false
	}
	return parts[2], strings.HasPrefix(parts[2], "http://") || strings.HasPrefix(parts[2], "https://")
}

// dnsTime is how long a name server may take.
const dnsTime = 5 * time.Second

// ask asks over UDP, and over TCP where the answer does not fit. An answer that says nothing of the name, such as that of a server which fails, is an error.
func (n *names) ask(ctx context.Context, name string, kind uint16) (*dns.Msg, error) {
	question := new(dns.Msg)
	question.SetQuestion(dns.Fqdn(name), kind)
	// So much passes without being taken apart on the way (DNS flag day 2020).
	question.SetEdns0(1232, false)
	var answer *dns.Msg
	var err error
	for _, network := range []string{"udp", "tcp"} {
		client := dns.Client{Net: network, Timeout: dnsTime}
		answer, _, err = client.ExchangeContext(ctx, question, n.server)
		if err == nil && !answer.Truncated {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ask the name server: %w", err)
	}
	if answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		return nil, fmt.Errorf("ask the name server: it has answered %s", dns.RcodeToString[answer.Rcode])
	}
	return answer, nil
}
