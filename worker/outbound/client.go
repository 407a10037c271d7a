// Package outbound is the only way out: an HTTP client that reaches nothing but https hosts on the public internet, unless the
// operator has allowed more.
//
// What is checked is the address that is dialled. A name is resolved once for each connection, all its addresses must pass, and the
// connection goes to one of these very addresses, so that a name that changes its mind changes nothing. Redirects are not followed,
// no proxy is taken from the environment (one that is set is asked for the checked address), nothing is sent but what the caller gives, and time, header and body are bounded.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Resolver finds the addresses of a name; *net.Resolver does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config sets up a Client.
type Config struct {
	Allow     []string                // what the operator allows beyond https on port 443 of the public internet: 10.0.0.0/8, 10.1.2.3, host:port, http://127.0.0.1:port. Default: nothing.
	Listeners func() []netip.AddrPort // the addresses that this service listens on, which are refused whatever is allowed. Default: none.
	Resolver  Resolver                // Default: the machine's resolver.
	Proxy     string                  // the HTTP proxy to go through, http://[user:password@]host:port. Default: none, whatever the environment says.
	RootCAs   *x509.CertPool          // who may issue certificates. Default: the machine's.
	Certs     []tls.Certificate       // shown to hosts that ask who we are. Default: none.
	Timeout   time.Duration           // for one request, from the first look-up to the last byte. Default: 5 s.
	PerHost   int                     // connections to one host at a time, or NoLimit. Default: 32.
	MaxHeader int64                   // bytes of the header of an answer. Default: 32,768.
	Logger    *slog.Logger            // Default: slog.Default().
}

// NoLimit as PerHost is for callers that bound their requests themselves: those of one customer to a host that does not answer would else hold up
// the requests of all others to it.
const NoLimit = -1

func (c Config) withDefaults() (Config, error) {
	if c.Timeout < 0 || c.PerHost < NoLimit || c.MaxHeader < 0 {
		return c, errors.New("outbound: Timeout, PerHost and MaxHeader must not be negative, but for PerHost: NoLimit")
	}
	if c.Timeout == 0 {
		c.Timeout = 5 * time.Second
	}
	if c.PerHost == 0 {
		c.PerHost = 32
	}
	if c.MaxHeader == 0 {
		c.MaxHeader = 32 << 10
	}
	if c.Listeners == nil {
		c.Listeners = func() []netip.AddrPort { return nil }
	}
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// Client makes requests. It is safe for concurrent use.
type Client struct {
	cfg       Config
	allow     allowList
	transport *http.Transport
	connect   func(ctx context.Context, d *net.Dialer, target netip.AddrPort) (net.Conn, error) // to one checked address

	mu       sync.Mutex
	failures map[Reason]int64
}

// New prepares a Client. The error names the entries of Allow that are none, or says that Proxy is none.
func New(cfg Config) (*Client, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	allow, err := parseAllowList(cfg.Allow)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, allow: allow, connect: connect, failures: map[Reason]int64{}}
	if cfg.Proxy != "" {
		proxy, err := parseProxy(cfg.Proxy)
		if err != nil {
			return nil, err
		}
		c.connect = tunnel(proxy)
	}
	c.transport = &http.Transport{
		DialContext:            c.dial,
		TLSClientConfig:        tlsOf(cfg),
		TLSHandshakeTimeout:    cfg.Timeout,
		DisableCompression:     true,                // so that nothing is inflated
		MaxConnsPerHost:        max(0, cfg.PerHost), // 0 is no limit
		MaxIdleConnsPerHost:    2,
		MaxIdleConns:           512,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: cfg.MaxHeader,
	}
	return c, nil
}

// tlsOf is how TLS is spoken. A host may ask for the certificate when it has seen the path, which TLS 1.2 does by a new handshake.
func tlsOf(cfg Config) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs, Certificates: cfg.Certs}
	if len(cfg.Certs) > 0 {
		c.Renegotiation = tls.RenegotiateOnceAsClient
	}
	return c
}

// Close drops the connections that are idle.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Failures counts the requests that brought no answer, by reason.
func (c *Client) Failures() map[Reason]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.failures)
}

func (c *Client) count(f *Failure) *Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures[f.Reason]++
	return f
}

// Check tells whether a URL could be asked now: its form, and the addresses of its host. The error is a *Failure.
func (c *Client) Check(ctx context.Context, raw string) error {
	u, f := c.parse(raw)
	if f != nil {
		return f
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	if _, f := c.resolve(ctx, u.Hostname(), port); f != nil {
		return f
	}
	return nil
}

// resolve gives the addresses to dial. All must pass: a name with one bad address is a bad name.
func (c *Client) resolve(ctx context.Context, host, port string) ([]netip.AddrPort, *Failure) {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, &Failure{Reason: ReasonPort, Cause: err}
	}
	addrs, f := c.lookup(ctx, host)
	if f != nil {
		return nil, f
	}
	targets := make([]netip.AddrPort, len(addrs))
	for i, a := range addrs {
		targets[i] = netip.AddrPortFrom(a, uint16(number))
		if f := c.check(host, port, targets[i]); f != nil {
			return nil, f
		}
	}
	return targets, nil
}

// lookup gives the addresses of a host.
func (c *Client) lookup(ctx context.Context, host string) ([]netip.Addr, *Failure) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	answers, err := c.cfg.Resolver.LookupNetIP(ctx, "ip", strings.ToLower(host))
	if err != nil || len(answers) == 0 {
		return nil, &Failure{Reason: ReasonUnresolved, Detail: host, Cause: err}
	}
	addrs := make([]netip.Addr, len(answers))
	for i, a := range answers {
		if a.Zone() != "" {
			return nil, refused(ReasonHost, a.String())
		}
		addrs[i] = a.Unmap() // resolvers give A records in the mapped form, too
	}
	return addrs, nil
}

// dial connects to the first address of the host that answers.
func (c *Client) dial(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &Failure{Reason: ReasonURL, Cause: err}
	}
	targets, f := c.resolve(ctx, host, port)
	if f != nil {
		return nil, f
	}
	dialer := net.Dialer{Control: c.control(host, port)}
	var errs []error
	for _, t := range targets[:min(len(targets), 4)] {
		conn, err := c.connect(ctx, &dialer, t)
		if err == nil {
			return hangingUp{conn}, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// hangUp is how long the farewell of TLS may take.
const hangUp = 250 * time.Millisecond

// hangingUp is a connection that does not wait for its farewell to be taken: package tls would grant 5 s, beyond the time of the request,
// to a receiver that reads no more. Nothing else sets this deadline.
type hangingUp struct{ net.Conn }

// SetWriteDeadline sets the deadline, or a nearer one.
func (h hangingUp) SetWriteDeadline(t time.Time) error {
	if soon := time.Now().Add(hangUp); t.After(soon) {
		t = soon
	}
	return h.Conn.SetWriteDeadline(t)
}

func connect(ctx context.Context, d *net.Dialer, target netip.AddrPort) (net.Conn, error) {
	return d.DialContext(ctx, "tcp", target.String())
}

// control looks at the socket's address once more, just before it connects.
func (c *Client) control(host, port string) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil {
			return &Failure{Reason: ReasonURL, Cause: err}
		}
		if f := c.check(host, port, target); f != nil {
			return f
		}
		return nil
	}
}
