package blob

import (
	"context"
	"net"
	"net/http"
	"time"
)

// patientTransport gives up connections whose other end is silent for so long, at any point: a time limit for a whole
// request would have to be as long as the largest blob on the slowest line takes.
func patientTransport(patience time.Duration) http.RoundTripper {
	dialer := &net.Dialer{Timeout: min(patience, 10*time.Second), KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &patient{c, patience}, nil
		},
		TLSHandshakeTimeout: 10 * time.Second,
		// A blob is stored by many small requests beside each other.
		MaxIdleConns: 64, MaxIdleConnsPerHost: 32, IdleConnTimeout: patience,
		DisableCompression: true, // what was stored compressed is to come back so
	}
}

// patient is a connection whose deadline moves on with everything that passes through.
type patient struct {
	net.Conn
	patience time.Duration
}

// Read moves the deadline on and reads.
func (c *patient) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write moves both deadlines on, that of a Read under way too: who writes expects no answer yet.
func (c *patient) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	if err == nil {
		err = c.SetReadDeadline(time.Now().Add(c.patience))
	}
	return n, err
}
