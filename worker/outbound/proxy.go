package outbound

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// parseProxy reads the URL of an HTTP proxy. The error does not tell the password.
func parseProxy(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" || u.Path != "" && u.Path != "/" {
		return nil, errors.New("outbound: a proxy looks like http://host:port or http://user:password@host:port")
	}
	return u, nil
}

// tunnel gives connections through an HTTP proxy (RFC 9110 §9.3.6). The proxy is asked for the very address that was checked, not for the
// name, which it might resolve to another. The loopback is this machine's, and so it is reached without the proxy.
func tunnel(proxy *url.URL) func(context.Context, *net.Dialer, netip.AddrPort) (net.Conn, error) {
	return func(ctx context.Context, d *net.Dialer, target netip.AddrPort) (net.Conn, error) {
		if target.Addr().IsLoopback() {
			return connect(ctx, d, target)
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", proxy.Host)
		if err != nil {
			return nil, fmt.Errorf("connect to the proxy: %w", err)
		}
		if err := openTunnel(ctx, conn, proxy, target); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}
}

// openTunnel asks the proxy to connect.
func openTunnel(ctx context.Context, conn net.Conn, proxy *url.URL, target netip.AddrPort) error {
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return fmt.Errorf("ask the proxy: %w", err)
		}
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target.String()}, Host: target.String(), Header: http.Header{}}
	if password, ok := proxy.User.Password(); ok {
		req.SetBasicAuth(proxy.User.Username(), password)
		req.Header["Proxy-Authorization"] = req.Header["Authorization"]
		req.Header.Del("Authorization")
	}
	if err := req.Write(conn); err != nil {
		return fmt.Errorf("ask the proxy: %w", err)
	}
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, req)
	if err != nil {
		return fmt.Errorf("hear the proxy: %w", err)
	}
	if res.StatusCode != http.StatusOK || r.Buffered() > 0 {
		return fmt.Errorf("the proxy answers %s", res.Status)
	}
	return conn.SetDeadline(time.Time{})
}
