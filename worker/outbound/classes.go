package outbound

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// Class is a range of addresses that no request reaches unless the operator has allowed it.
type Class struct {
	Prefix netip.Prefix
	Reason Reason
	Source string // the document that sets the range aside
	Why    string // what a request to it could do
}

func row(prefix string, r Reason, source, why string) Class {
	return Class{netip.MustParsePrefix(prefix), r, source, why}
}

// Classes are the ranges that are refused: the special-purpose registries of IANA for IPv4 and IPv6 (RFC 6890), whatever else was
// set aside, and the IPv6 forms that lead to an IPv4 address. The first row that has an address counts.
var Classes = []Class{
	row("0.0.0.0/8", ReasonThisNetwork, "RFC 791 §3.2, RFC 1122 §3.2.1.3", "systems take it for themselves"),
	row("10.0.0.0/8", ReasonPrivate, "RFC 1918", "the operator's own network"),
	row("100.64.0.0/10", ReasonShared, "RFC 6598", "a provider's inside; metadata services of clouds"),
	row("127.0.0.0/8", ReasonLoopback, "RFC 1122 §3.2.1.3", "the machine itself"),
	row("169.254.0.0/16", ReasonLinkLocal, "RFC 3927", "neighbours; metadata services of clouds"),
	row("172.16.0.0/12", ReasonPrivate, "RFC 1918", "the operator's own network; containers"),
	row("192.0.0.0/24", ReasonProtocol, "RFC 6890 §2.2.2", "translators and other equipment nearby"),
	row("192.0.2.0/24", ReasonDocumentation, "RFC 5737", "nobody's; often routed inside"),
	row("192.31.196.0/24", ReasonAnycast, "RFC 7535", "the nearest name server for private names"),
	row("192.52.193.0/24", ReasonAnycast, "RFC 7450", "the nearest multicast relay"),
	row("192.88.99.0/24", ReasonEmbedded, "RFC 7526", "a relay into IPv6"),
	row("192.168.0.0/16", ReasonPrivate, "RFC 1918", "the operator's own network"),
	row("192.175.48.0/24", ReasonAnycast, "RFC 7534", "the nearest name server for private addresses"),
	row("198.18.0.0/15", ReasonBenchmark, "RFC 2544", "test equipment"),
	row("198.51.100.0/24", ReasonDocumentation, "RFC 5737", "nobody's; often routed inside"),
	row("203.0.113.0/24", ReasonDocumentation, "RFC 5737", "nobody's; often routed inside"),
	row("224.0.0.0/4", ReasonMulticast, "RFC 5771", "many hosts at once"),
	row("240.0.0.0/4", ReasonReserved, "RFC 1112 §4, RFC 919", "never assigned, and the broadcast address"),

	row("::/128", ReasonThisNetwork, "RFC 4291 §2.5.2", "systems take it for themselves"),
	row("::1/128", ReasonLoopback, "RFC 4291 §2.5.3", "the machine itself"),
	row("::/96", ReasonEmbedded, "RFC 4291 §2.5.5.1", "an IPv4 address in the old compatible form"),
	row("::ffff:0:0/96", ReasonEmbedded, "RFC 4291 §2.5.5.2", "an IPv4 address in the mapped form"),
	row("::ffff:0:0:0/96", ReasonEmbedded, "RFC 2765 §2.1", "an IPv4 address in the translated form"),
	row("64:ff9b::/96", ReasonEmbedded, "RFC 6052", "any IPv4 address, through a translator"),
	row("64:ff9b:1::/48", ReasonEmbedded, "RFC 8215", "any IPv4 address, through a translator nearby"),
	row("100::/64", ReasonDiscard, "RFC 6666", "leads nowhere"),
	row("100:0:0:1::/64", ReasonDiscard, "RFC 9780", "leads nowhere"),
	row("2001::/32", ReasonEmbedded, "RFC 4380", "any IPv4 address, through a Teredo relay"),
	row("2001:2::/48", ReasonBenchmark, "RFC 5180", "test equipment"),
	row("2001::/23", ReasonProtocol, "RFC 2928", "protocols, not hosts"),
	row("2001:db8::/32", ReasonDocumentation, "RFC 3849", "nobody's; often routed inside"),
	row("2002::/16", ReasonEmbedded, "RFC 3056", "any IPv4 address, through a 6to4 relay"),
	row("2620:4f:8000::/48", ReasonAnycast, "RFC 7534", "the nearest name server for private addresses"),
	row("3fff::/20", ReasonDocumentation, "RFC 9637", "nobody's; often routed inside"),
	row("5f00::/16", ReasonSegment, "RFC 9602", "instructions to routers"),
	row("fc00::/7", ReasonPrivate, "RFC 4193", "the operator's own network; metadata services of clouds"),
	row("fe80::/10", ReasonLinkLocal, "RFC 4291 §2.5.6", "neighbours"),
	row("fec0::/10", ReasonSiteLocal, "RFC 3879", "the operator's own network, in an old form"),
	row("ff00::/8", ReasonMulticast, "RFC 4291 §2.7", "many hosts at once"),
}

// guardian is a second opinion, with a table that others keep: it also refuses all IPv6 outside of 2000::/3.
var guardian = ssrf.New(ssrf.WithAnyPort())

// classify gives the reason against an address, and the range for the log; both are empty for one that is anybody's.
func classify(a netip.Addr) (r Reason, detail string) {
	for _, c := range Classes {
		if c.Prefix.Contains(a) {
			return c.Reason, a.String() + " is in " + c.Prefix.String() + " (" + c.Source + ")"
		}
	}
	if err := guardian.SafeAddr(a); err != nil {
		return ReasonSpecial, err.Error()
	}
	return "", ""
}
