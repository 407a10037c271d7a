package db_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// proxy stands between a DB and PostgreSQL and lets connections break at chosen moments.
type proxy struct {
	server   string
	listener net.Listener
	work     sync.WaitGroup

	mu     sync.Mutex
	away   bool                // new connections are refused
	commit func(l *link) error // what happens to the next commit; nil forwards it. An error breaks the connection.
	open   map[*link]bool
}

// link is one connection through the proxy.
type link struct {
	client, server net.Conn
	mute           atomic.Bool // nothing reaches the client any more
	message        []byte      // the last one of the client; of a commit, with those after it up to the end of the pipeline
}

// forward sends the client's message to the server.
func (l *link) forward() error {
	_, err := l.server.Write(l.message)
	return err
}

// execute sends the client's message to the server and keeps the answer from the client.
func (l *link) execute() error {
	l.mute.Store(true)
	return l.forward()
}

func (l *link) close() {
	l.client.Close()
	l.server.Close()
}

// newProxy starts a proxy before the server that the tests use and names a new schema behind it; the second Config goes there
// directly.
func newProxy(t *testing.T) (p *proxy, behind, direct db.Config) {
	t.Helper()
	direct = dbtest.PostgreSQL(t, os.Getenv(dbtest.Variable))
	u, err := url.Parse(direct.URL)
	if err != nil {
		t.Fatal(err)
	}
	p = &proxy{server: u.Host, open: map[*link]bool{}}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		p.listener.Close()
		p.breakAll()
		p.work.Wait()
	})
	u.Host = p.listener.Addr().String()
	query := u.Query()
	query.Set("application_name", "behind "+query.Get("search_path"))
	u.RawQuery = query.Encode()
	behind = direct
	behind.URL = u.String()
	return p, behind, direct
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			client.Close()
			continue
		}
		l := &link{client: client, server: server}
		if !p.admit(l) {
			l.close()
			continue
		}
		p.work.Go(func() { p.toClient(l) })
		p.work.Go(func() { p.toServer(l) })
	}
}

// admit notes the connection, unless none are wanted.
func (p *proxy) admit(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[l] = true
	return !p.away
}

// toClient forwards what the server says, until the connection ends, however that is.
func (p *proxy) toClient(l *link) {
	defer l.close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := l.server.Read(buffer)
		if err == nil && !l.mute.Load() {
			_, err = l.client.Write(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

// toServer forwards messages one by one.
func (p *proxy) toServer(l *link) {
	for first := true; ; first = false {
		var err error
		if l.message, err = readMessage(l.client, first); err != nil {
			l.close()
			return
		}
		if err := l.readCommit(); err != nil {
			l.close()
			return
		}
		switch err := p.pass(l); {
		case errors.Is(err, errHeld):
			l.client.Close()
			return
		case err != nil:
			l.close()
			return
		}
	}
}

// pass forwards a message; the commit as the test wants it, once.
func (p *proxy) pass(l *link) error {
	p.mu.Lock()
	act := p.commit
	if act == nil || !l.commits() {
		p.mu.Unlock()
		return l.forward()
	}
	p.commit = nil
	p.mu.Unlock()
	return act(l)
}

// commits tells whether the message binds the mark of a transaction, which the commit follows.
func (l *link) commits() bool {
	return l.message[0] == 'B' && bytes.Contains(l.message, []byte("\x00mark\x00"))
}

// readCommit reads the rest of a commit, up to the message that ends a pipeline, so that it is passed on whole or not at all.
func (l *link) readCommit() error {
	if !l.commits() {
		return nil
	}
	for {
		message, err := readMessage(l.client, false)
		l.message = append(l.message, message...)
		if err != nil || message[0] == 'S' {
			return err
		}
	}
}

// readMessage reads a message of the protocol. Only the first one of a connection has no type.
func readMessage(r io.Reader, first bool) ([]byte, error) {
	head := make([]byte, 5)
	if first {
		head = head[:4]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	rest := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
	_, err := io.ReadFull(r, rest)
	return append(head, rest...), err
}

// onCommit says what happens to the next commit.
func (p *proxy) onCommit(act func(l *link) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commit = act
}

// goAway breaks all connections and refuses new ones until the returned function is called.
func (p *proxy) goAway() (back func()) {
	p.mu.Lock()
	p.away = true
	p.mu.Unlock()
	p.breakAll()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.away = false
	}
}

func (p *proxy) breakAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.open {
		l.close()
	}
	clear(p.open)
}

// How the test breaks a connection.
var (
	errCut  = errors.New("cut on both sides")
	errHeld = errors.New("cut for the client; the server waits for the message")
)

// awaitCommitted waits until the row is there, as the server carries a commit out after its connection is gone.
func awaitCommitted(t *testing.T, direct *db.DB, id string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); count(t, direct, id) == 0; {
		if time.Now().After(deadline) {
			t.Errorf("row %s was not committed", id)
			return
		}
		<-time.After(5 * time.Millisecond) // between two looks
	}
}

// count gives how often the row is in the table entries, which has no key.
func count(t *testing.T, d *db.DB, id string) (n int) {
	t.Helper()
	if err := d.Get(t.Context(), &n, "SELECT count(*) FROM entries WHERE id = ?", id); err != nil {
		t.Error(err)
	}
	return n
}
