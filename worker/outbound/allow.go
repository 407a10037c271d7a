package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// allowList is what the operator lets through beyond the public internet on port 443.
type allowList struct {
	networks []netip.Prefix
	places   map[string]bool // host:port to whether it is plain HTTP
}

// parseAllowList reads entries of four forms: 10.0.0.0/8, 10.1.2.3 (networks, on port 443), hooks.example:8443 (that host on that
// port, whatever its address) and http://127.0.0.1:9090 (plain HTTP, on the loopback only).
func parseAllowList(entries []string) (allowList, error) {
	list := allowList{places: map[string]bool{}}
	var errs []error
	for _, e := range entries {
		if err := list.add(e); err != nil {
			errs = append(errs, fmt.Errorf("allowed network %q: %w", e, err))
		}
	}
	return list, errors.Join(errs...)
}

func (l *allowList) add(entry string) error {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		l.networks = append(l.networks, prefix.Masked())
		return nil
	}
	if addr, err := netip.ParseAddr(entry); err == nil && addr.Zone() == "" {
		l.networks = append(l.networks, netip.PrefixFrom(addr, addr.BitLen()))
		return nil
	}
	place, plain := strings.CutPrefix(entry, "http://")
	host, port, err := net.SplitHostPort(place)
	if err != nil {
		return errors.New("is neither a network (10.0.0.0/8), nor an address, nor host:port")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return errors.New("the port is not a number")
	}
	host = strings.ToLower(host)
	if reason := checkHost(host, true); reason != "" {
		return errors.New("the host " + reason.Public())
	}
	if plain && !isLoopback(host) {
		return errors.New("plain HTTP is for trials on the loopback only")
	}
	l.places[net.JoinHostPort(host, port)] = plain
	return nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// has tells whether an address is in one of the networks.
func (l *allowList) has(a netip.Addr) bool {
	for _, n := range l.networks {
		if n.Contains(a) {
			return true
		}
	}
	return false
}
