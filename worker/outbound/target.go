package outbound

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxURL is the most characters of a URL.
const maxURL = 2048

// parse checks what can be seen of a URL without asking anybody.
func (c *Client) parse(raw string) (*url.URL, *Failure) {
	u, err := url.Parse(raw)
	if err != nil || len(raw) > maxURL || u.Opaque != "" || strings.Contains(raw, "#") {
		return nil, &Failure{Reason: ReasonURL, Cause: err}
	}
	place := net.JoinHostPort(strings.ToLower(u.Hostname()), u.Port())
	plain, named := c.allow.places[place]
	switch {
	case u.Scheme != "https" && !(u.Scheme == "http" && plain):
		return nil, refused(ReasonScheme, u.Scheme)
	case u.User != nil:
		return nil, refused(ReasonUserinfo, "")
	}
	if reason := checkHost(u.Hostname(), named); reason != "" {
		return nil, refused(reason, u.Host)
	}
	if strings.HasSuffix(u.Host, ":") || u.Port() != "" && u.Port() != "443" && !named {
		return nil, refused(ReasonPort, u.Host)
	}
	return u, nil
}

// checkHost gives ReasonHost unless the host is a DNS name or an address in its one usual form: 127.1, 0x7f.1, 2130706433 and
// 0177.0.0.1 are other ways to write an address that some resolvers understand. A name of one label (localhost) takes the
// operator's leave, because what it means depends on the machine.
func checkHost(host string, single bool) Reason {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return ""
	}
	labels := strings.Split(strings.ToLower(host), ".")
	if len(host) > 253 || len(labels) == 1 && !single || isNumber(labels[len(labels)-1]) {
		return ReasonHost
	}
	for _, l := range labels {
		if !isLabel(l) {
			return ReasonHost
		}
	}
	return ""
}

// isLabel tells whether s is a label of a host name (RFC 1123 §2.1), or has underscores, which names in use have.
func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// isNumber tells whether a label is what a number in an address could be.
func isNumber(label string) bool {
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		label, digits = hex, "0123456789abcdef"
	}
	return strings.Trim(label, digits) == ""
}

// check gives what stands against dialling an address for the host and port of a URL.
func (c *Client) check(host, port string, a netip.AddrPort) *Failure {
	addr := a.Addr()
	machine, listener := c.own(a)
	plain, named := c.allow.places[net.JoinHostPort(strings.ToLower(host), port)]
	switch {
	case listener:
		return refused(ReasonOwn, a.String()+" is a listener of this service")
	case plain && !addr.IsLoopback():
		return refused(ReasonScheme, a.String()+" is not on the loopback")
	case named:
		return nil
	case machine:
		return refused(ReasonOwn, a.String()+" is this machine")
	case c.allow.has(addr):
		return nil
	}
	if r, detail := classify(addr); r != "" {
		return refused(r, detail)
	}
	return nil
}

// own tells whether an address is one that a listener of this service is bound to, and whether the port is the listener's, too. A
// listener that is bound to all addresses has those of every interface, and the whole loopback.
func (c *Client) own(a netip.AddrPort) (machine, listener bool) {
	for _, l := range c.cfg.Listeners() {
		bound := l.Addr().Unmap()
		here := bound == a.Addr()
		if bound.IsUnspecified() {
			here = c.isInterface(a.Addr())
			listener = listener || l.Port() == a.Port() && (a.Addr().IsLoopback() || a.Addr().IsUnspecified())
		}
		machine = machine || here
		listener = listener || here && l.Port() == a.Port()
	}
	return machine, listener
}

// isInterface tells whether an address is one of this machine's interfaces.
func (c *Client) isInterface(a netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		c.cfg.Logger.Warn("addresses of this machine unknown", "error", err)
		return true
	}
	return slices.ContainsFunc(addrs, func(i net.Addr) bool {
		prefix, err := netip.ParsePrefix(i.String())
		return err == nil && prefix.Addr().Unmap() == a
	})
}
