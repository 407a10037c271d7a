package queue_test

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// toxic is a way to Redis on which things go wrong.
type toxic struct {
	addr     string
	listener net.Listener
	work     sync.WaitGroup

	mu      sync.Mutex
	latency time.Duration         // before each packet
	resets  float64               // the share of packets at which the connection breaks
	slice   int                   // bytes that are passed on at once; 0 as they come
	hole    chan struct{}         // while it is there nothing passes; closed when it ends
	open    map[net.Conn]struct{} // both ends
	closed  bool
}

func newToxic(t *testing.T, server string) *toxic {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := &toxic{addr: l.Addr().String(), listener: l, open: map[net.Conn]struct{}{}}
	x.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", server)
			if err != nil {
				c.Close()
				continue
			}
			if x.add(c, s) {
				x.work.Go(func() { x.pass(c, s) })
				x.work.Go(func() { x.pass(s, c) })
			}
		}
	})
	t.Cleanup(x.close)
	return x
}

func (x *toxic) add(conns ...net.Conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range conns {
		if x.closed {
			c.Close()
			continue
		}
		x.open[c] = struct{}{}
	}
	return !x.closed
}

func (x *toxic) close() {
	x.set(func() {
		x.closed = true
		if x.hole != nil {
			close(x.hole)
			x.hole = nil
		}
		for c := range x.open {
			c.Close()
		}
	})
	x.listener.Close()
	x.work.Wait()
}

// set changes what goes wrong.
func (x *toxic) set(change func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change()
}

// pass carries one direction until an end closes or the connection is broken; then it breaks both.
func (x *toxic) pass(from, to net.Conn) {
	defer func() {
		from.Close()
		to.Close()
		x.set(func() { delete(x.open, from); delete(x.open, to) })
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !x.deliver(to, buffer[:n]) || err != nil {
			return
		}
	}
}

func (x *toxic) deliver(to io.Writer, packet []byte) bool {
	x.mu.Lock()
	latency, resets, slice, hole := x.latency, x.resets, x.slice, x.hole
	x.mu.Unlock()
	if hole != nil {
		<-hole
	}
	<-time.After(latency)
	if rand.Float64() < resets {
		return false
	}
	for len(packet) > 0 {
		n := len(packet)
		if slice > 0 {
			n = min(slice, n)
		}
		if _, err := to.Write(packet[:n]); err != nil {
			return false
		}
		packet = packet[n:]
	}
	return true
}
