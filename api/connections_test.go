package api

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestConnections_OfOneAddressLeaveRoom ensures that a server which has as many connections as it may still answers whoever comes, at the price of
// those that have waited longest for a request, and that requests which are being answered stay.
func TestConnections_OfOneAddressLeaveRoom(t *testing.T) {
	const most = 8
	entered, release := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(entered)
			<-release
		}
		_, _ = io.WriteString(w, "well")
	})
	address := listening(t, httpServer(handler, newFixture(t, Config{}).Log, most))
	open := func() net.Conn {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(time.Minute)) // which only a failing test reaches
		return conn
	}
	ask := func(conn net.Conn, path string) (*http.Response, error) {
		if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return nil, err
		}
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			_, err = io.Copy(io.Discard, r.Body)
		}
		return r, err
	}
	busy := open()
	answered := make(chan error, 1)
	go func() {
		_, err := ask(busy, "/slow")
		answered <- err
	}()
	<-entered
	var idle []net.Conn
	for i := range 5 * most {
		conn := open()
		if _, err := ask(conn, "/"); err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		idle = append(idle, conn)
	}
	if _, err := idle[0].Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection that has waited longest: %v, want it closed", err)
	}
	if _, err := ask(idle[len(idle)-1], "/"); err != nil {
		t.Errorf("the last connection: %v", err)
	}
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the request that was being answered: %v", err)
	}
}

// TestConnections_AreClosedWhereThereAreMost ensures that of many addresses the one with the most connections pays.
func TestConnections_AreClosedWhereThereAreMost(t *testing.T) {
	l := newConnections(4)
	conn := func(address string) net.Conn { return &from{address: address} }
	single := conn("192.0.2.1:1")
	if l.note(single, http.StateNew) != nil {
		t.Fatal("the first is closed")
	}
	var crowd []net.Conn
	for range 3 {
		crowd = append(crowd, conn("192.0.2.2:1"))
		l.note(crowd[len(crowd)-1], http.StateNew)
	}
	l.note(crowd[0], http.StateActive)
	next := conn("192.0.2.3:1")
	if victim := l.note(next, http.StateNew); victim != crowd[1] {
		t.Errorf("%v is closed, want the second of the crowd: the first is busy", victim)
	}
	l.note(crowd[1], http.StateClosed)
	l.note(crowd[2], http.StateActive)
	last := conn("192.0.2.4:1")
	l.note(single, http.StateActive)
	l.note(next, http.StateActive)
	if victim := l.note(last, http.StateNew); victim != last {
		t.Errorf("%v is closed, want the last: all others are busy", victim)
	}
	for _, c := range []net.Conn{single, crowd[0], crowd[2], next, last} {
		l.note(c, http.StateClosed)
	}
	if l.all != 0 || len(l.peers) != 0 || len(l.origins) != 0 {
		t.Errorf("something is left: %d %d %d", l.all, len(l.peers), len(l.origins))
	}
}

// from is a connection that nobody reads.
type from struct {
	net.Conn
	address string
}

// RemoteAddr is the address of the peer.
func (f *from) RemoteAddr() net.Addr { return peerAddress(f.address) }

type peerAddress string

func (peerAddress) Network() string  { return "tcp" }
func (a peerAddress) String() string { return string(a) }
