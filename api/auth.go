package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/time/rate"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/account"
)

// Keys finds the key that has a secret; *account.Store does.
type Keys interface {
	// Verify gives account.ErrUnauthorized when the secret is malformed, unknown or revoked.
	Verify(ctx context.Context, secret string) (account.Key, error)
}

var _ Keys = (*account.Store)(nil)

// denied is the message of the contract's 401.
const denied = "API key authentication failed"

// authenticate finds the key of c, or gives the 401, or 429 to an address that keeps failing.
func (s *Server) authenticate(c *call) error {
	secret, ok := bearer(c.r.Header)
	if ok {
		key, err := s.Keys.Verify(c.r.Context(), secret)
		if err == nil {
			c.key, c.x.keyID = &key, key.ID
			return nil
		}
		if !errors.Is(err, account.ErrUnauthorized) {
			return fmt.Errorf("authenticate: %w", err)
		}
	}
	if !s.throttle.allow(c.r.RemoteAddr) {
		return &finding.Refusal{Kind: finding.RateLimited, Message: "Too many requests with a wrong API key from this address"}
	}
	p := &problem{status: http.StatusUnauthorized}
	p.Refusal = finding.Refusal{Word: "UNAUTHORIZED", Message: denied, Errors: []finding.Finding{{Code: "UNAUTHORIZED", Field: "Authorization",
		Message: denied + ": send a key that is known and not revoked in the header field Authorization: Bearer sk_…"}}}
	return p.with("WWW-Authenticate", "Bearer")
}

// bearer gives the credentials of the one Authorization field (RFC 6750 §2.1; the scheme has no case).
func bearer(h http.Header) (secret string, ok bool) {
	fields := h.Values("Authorization")
	if len(fields) != 1 {
		return "", false
	}
	scheme, secret, _ := strings.Cut(fields[0], " ")
	secret = strings.Trim(secret, " ")
	return secret, strings.EqualFold(scheme, "Bearer") && secret != "" && len(secret) <= 256
}

// missing is the contract's 403.
func missing(entitlement string) error {
	return &finding.Refusal{Kind: finding.Forbidden, Message: "Missing entitlement: " + entitlement}
}

// require gives the 403 unless the key has the entitlement.
func require(key *account.Key, entitlement string) error {
	if !account.Entitled(key.Entitlements, entitlement) {
		return missing(entitlement)
	}
	return nil
}

// requireSome gives the 403 unless the key has at least one entitlement that the pattern covers.
func requireSome(key *account.Key, pattern string) error {
	if !slices.ContainsFunc(key.Entitlements, func(e string) bool { return overlaps(e, pattern) }) {
		return missing(pattern)
	}
	return nil
}

// overlaps tells whether two patterns of entitlements have something in common.
func overlaps(a, b string) bool {
	as, bs := strings.Split(a, ":"), strings.Split(b, ":")
	return slices.EqualFunc(as, bs, func(x, y string) bool { return x == y || x == "*" || y == "*" })
}

// throttle slows the guessing of keys down: a token bucket for each address that fails. Requests with a good key never meet it.
type throttle struct{ origins *limiters[netip.Prefix] }

func newThrottle(perMinute int) *throttle {
	return &throttle{newLimiters[netip.Prefix](rate.Limit(float64(perMinute)/60), perMinute)}
}

// allow counts one failure of a remote address and tells whether it is still within the limit.
func (t *throttle) allow(remote string) bool { return t.origins.of(network(remote)).Allow() }

// network is what counts as one origin: an IPv4 address, or the /64 that one IPv6 subscriber has.
func network(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	addr = addr.Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	prefix, _ := addr.Prefix(bits)
	return prefix
}
