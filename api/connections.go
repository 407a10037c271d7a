package api

import (
	linked "container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// connections bounds how many connections a server has, so that files are left for the database and the documents. Beyond the bound one is closed for
// each that comes: of the address that has the most, the one that has waited the longest for a request.
type connections struct {
	most int // 0 for no bound

	mu      sync.Mutex
	all     int
	origins map[netip.Prefix]*origin
	peers   map[net.Conn]*peer
}

// origin is an address from which there are connections.
type origin struct {
	all     int
	waiting linked.List // of net.Conn, those without a request, the longest first
}

type peer struct {
	from netip.Prefix
	at   *linked.Element // in origin.waiting; nil while it has a request
}

func newConnections(most int) *connections {
	return &connections{most: most, origins: map[netip.Prefix]*origin{}, peers: map[net.Conn]*peer{}}
}

// mostConnections is how many connections a process may have that may open so many files: a quarter of these is for others.
func mostConnections(files int) int { return files - files/4 }

// follow is a part of http.Server.ConnState.
func (l *connections) follow(c net.Conn, state http.ConnState) {
	if victim := l.note(c, state); victim != nil {
		_ = victim.Close() // the server notices
	}
}

// note gives the connection that is to be closed; nil for none.
func (l *connections) note(c net.Conn, state http.ConnState) (victim net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateNew:
		return l.add(c)
	case http.StateActive:
		l.wait(c, false)
	case http.StateIdle:
		l.wait(c, true)
	case http.StateHijacked, http.StateClosed:
		l.remove(c)
	}
	return nil
}

func (l *connections) add(c net.Conn) (victim net.Conn) {
	p := &peer{from: network(c.RemoteAddr().String())}
	o := l.origins[p.from]
	if o == nil {
		o = &origin{}
		l.origins[p.from] = o
	}
	l.peers[c] = p
	o.all++
	l.all++
	l.wait(c, true)
	if l.most == 0 || l.all <= l.most {
		return nil
	}
	return l.victim(c)
}

// victim is c itself where all connections of the address with the most are busy.
func (l *connections) victim(c net.Conn) net.Conn {
	var largest *origin
	for _, o := range l.origins {
		if largest == nil || o.all > largest.all {
			largest = o
		}
	}
	if longest := largest.waiting.Front(); longest != nil {
		c = longest.Value.(net.Conn)
	}
	l.wait(c, false)
	return c
}

// wait notes whether a connection waits for a request.
func (l *connections) wait(c net.Conn, waits bool) {
	p := l.peers[c]
	switch {
	case p == nil:
	case waits && p.at == nil:
		p.at = l.origins[p.from].waiting.PushBack(c)
	case !waits && p.at != nil:
		l.origins[p.from].waiting.Remove(p.at)
		p.at = nil
	}
}

func (l *connections) remove(c net.Conn) {
	p := l.peers[c]
	if p == nil {
		return
	}
	l.wait(c, false)
	delete(l.peers, c)
	o := l.origins[p.from]
	if o.all--; o.all == 0 {
		delete(l.origins, p.from)
	}
	l.all--
}
