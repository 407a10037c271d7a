package harness

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// Weather is what a network does to what passes through it. The zero Weather is fine.
type Weather struct {
	Latency   time.Duration // of each piece
	Reset     float64       // share of pieces that end their connection
	Slice     int           // bytes of a piece; 0 for as they come
	BlackHole bool          // nothing passes, nothing is refused
}

// Proxy is a network between a client and a server.
type Proxy struct {
	Port string

	to    string
	mu    sync.Mutex
	calm  *sync.Cond
	now   Weather
	ended bool
	conns map[net.Conn]bool
}

// StartProxy starts a network in fine weather to an address.
func StartProxy(t T, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	p := &Proxy{to: to, conns: map[net.Conn]bool{}}
	p.calm = sync.NewCond(&p.mu)
	_, p.Port, _ = net.SplitHostPort(l.Addr().String())
	var work sync.WaitGroup
	work.Go(func() { p.serve(l, &work) })
	t.Cleanup(func() {
		_ = l.Close()
		p.end()
		work.Wait()
	})
	return p
}

func (p *Proxy) serve(l net.Listener, work *sync.WaitGroup) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", p.to)
		if err != nil {
			_ = from.Close()
			continue
		}
		if !p.keep(from, to) {
			return
		}
		work.Go(func() { p.carry(from, to) })
		work.Go(func() { p.carry(to, from) })
	}
}

func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.ended {
			_ = c.Close()
		}
		p.conns[c] = true
	}
	return !p.ended
}

// Set changes the weather.
func (p *Proxy) Set(w Weather) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = w
	p.calm.Broadcast()
}

// end lets everything that waits go on and closes the connections.
func (p *Proxy) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended, p.now = true, Weather{}
	for c := range p.conns {
		_ = c.Close()
	}
	p.calm.Broadcast()
}

// weather gives the present weather and waits while nothing passes.
func (p *Proxy) weather() Weather {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.now.BlackHole {
		p.calm.Wait()
	}
	return p.now
}

// carry copies one direction in pieces until it ends.
func (p *Proxy) carry(from, to net.Conn) {
	defer func() {
		_, _ = from.Close(), to.Close()
		p.mu.Lock()
		delete(p.conns, from)
		delete(p.conns, to)
		p.mu.Unlock()
	}()
	buf := make([]byte, 32<<10)
	for {
		piece := buf
		if w := p.weather(); w.Slice > 0 {
			piece = buf[:w.Slice]
		}
		n, err := from.Read(piece)
		if n > 0 {
			w := p.weather()
			if w.Reset > 0 && rand.Float64() < w.Reset {
				return
			}
			time.Sleep(w.Latency)
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil && (err != io.EOF || n == 0) {
			return
		}
	}
}
