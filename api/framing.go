package api

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
)

// A request with both Content-Length and Transfer-Encoding may be read in two ways by two servers in a row, and what one takes for a body is a
// request to the other (RFC 9112, 6.1 and 11.2). net/http forgets the Content-Length before anybody can look, so the head of each request
// is looked at where it is read.

// Listener gives a listener whose connections know whether the head of a request has both fields; HTTPServer needs it to refuse such requests.
func Listener(l net.Listener) net.Listener { return &listener{l} }

type listener struct{ net.Listener }

// Accept wraps connections over TCP; others stay as they are.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &connection{TCPConn: tcp}, nil
	}
	return c, err
}

// connection looks at the head of each request on its way.
type connection struct {
	*net.TCPConn

	mu   sync.Mutex
	head []byte // of the request that is being read
	done bool   // the head has ended
}

// mostHead is where looking ends: more than HTTPServer takes.
const mostHead = 40 << 10

// Read reads from the peer.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || n <= 0 {
		return n, err
	}
	c.head = append(c.head, p[:n]...)
	for _, end := range []string{"\n\r\n", "\n\n"} {
		if i := bytes.Index(c.head, []byte(end)); i >= 0 {
			c.head, c.done = c.head[:i+1], true
		}
	}
	c.done = c.done || len(c.head) > mostHead
	return n, err
}

// next begins with the head of the next request.
func (c *connection) next() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head, c.done = nil, false
}

// begins tells whether the head that was seen is that of the request. Its first byte may have been read while the one before was answered.
func (c *connection) begins(r *http.Request) bool {
	line := r.Method + " " + r.RequestURI + " "
	return bytes.HasPrefix(c.head, []byte(line)) || bytes.HasPrefix(c.head, []byte(line[1:]))
}

// ambiguous tells whether the request has both fields. One whose head was not seen, since it was sent before the one before was answered,
// may have.
func (c *connection) ambiguous(r *http.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begins(r) {
		return true
	}
	for line := range bytes.Lines(c.head) {
		name, _, field := strings.Cut(string(line), ":")
		if field && strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			return true
		}
	}
	return false
}

type connectionKey struct{}

// withConnection is http.Server.ConnContext.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// follow is a part of http.Server.ConnState.
func follow(c net.Conn, state http.ConnState) {
	if known, ok := c.(*connection); ok && state == http.StateIdle {
		known.next()
	}
}

// checkFraming refuses a request whose body has two lengths, and has its connection closed.
func checkFraming(r *http.Request) error {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if len(r.TransferEncoding) == 0 || !ok || !c.ambiguous(r) {
		return nil
	}
	return newProblem(http.StatusBadRequest, "The request has both Content-Length and Transfer-Encoding, or came before the one before it was answered; "+
		"send one of them").with("Connection", "close")
}
