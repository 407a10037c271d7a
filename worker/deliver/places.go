package deliver

import "sync"

// places says which deliveries may be attempted beside each other, so that receivers that do not answer cannot take all places: each
// endpoint has its own limit (one, until it has answered quickly once), and those that were slow share a part of the whole. What does
// not fit waits here by its id alone; it is claimed when its turn comes, and until then still owed a message by the database.
type places struct {
	total, perEndpoint, slow int

	mu       sync.Mutex
	busy     int
	slowBusy int // of those, attempts at endpoints that were slow
	lines    map[string]*line
	order    []string        // endpoints for which something waits, who waits longest first
	parked   map[string]bool // deliveries that wait
}

// line is what is known of an endpoint.
type line struct {
	busy    int
	proven  bool // it has answered quickly
	slow    bool // the last time it did not
	waiting []string
}

// mostProven bounds for how many endpoints it is remembered while nothing is sent there that they have answered quickly.
const mostProven = 10_000

// turn is a delivery whose turn it is.
type turn struct{ endpoint, delivery string }

func newPlaces(total, perEndpoint, slow int) *places {
	return &places{total: total, perEndpoint: perEndpoint, slow: slow, lines: map[string]*line{}, parked: map[string]bool{}}
}

// enter takes a place, or lets the delivery wait for one; then somebody who leaves takes it along.
func (p *places) enter(t turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parked[t.delivery] {
		return false
	}
	l := p.line(t.endpoint)
	if len(l.waiting) == 0 && p.fits(l) {
		p.take(l)
		return true
	}
	if len(l.waiting) == 0 {
		p.order = append(p.order, t.endpoint)
	}
	l.waiting = append(l.waiting, t.delivery)
	p.parked[t.delivery] = true
	return false
}

// reserve takes a place for a delivery of which nobody knows yet, if there is one and nobody waits for it.
func (p *places) reserve(endpoint string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.line(endpoint)
	if len(l.waiting) == 0 && p.fits(l) {
		p.take(l)
		return true
	}
	p.forget(endpoint)
	return false
}

// line gives what is known of an endpoint.
func (p *places) line(endpoint string) *line {
	l := p.lines[endpoint]
	if l == nil {
		l = &line{}
		p.lines[endpoint] = l
	}
	return l
}

// forget drops an endpoint of which nothing is known that matters.
func (p *places) forget(endpoint string) {
	l := p.lines[endpoint]
	if l.busy == 0 && len(l.waiting) == 0 && !l.slow && (!l.proven || len(p.lines) > mostProven) {
		delete(p.lines, endpoint)
	}
}

// fits tells whether one more attempt at an endpoint may begin.
func (p *places) fits(l *line) bool {
	limit := p.perEndpoint
	if !l.proven {
		limit = 1
	}
	return p.busy < p.total && l.busy < limit && (!l.slow || p.slowBusy < p.slow)
}

func (p *places) take(l *line) {
	l.busy++
	p.busy++
	if l.slow {
		p.slowBusy++
	}
}

// pace is what an attempt has shown of an endpoint.
type pace int

const (
	unknown pace = iota // nothing was sent
	quick
	slow
)

// leave gives a place back and tells whose turn it is now; they have their places.
func (p *places) leave(endpoint string, shown pace) (next []turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[endpoint]
	l.busy--
	p.busy--
	if l.slow {
		p.slowBusy--
	}
	p.learn(l, shown)
	p.forget(endpoint)
	return p.next()
}

// learn notes what an attempt has shown. The others that are under way there move along to where the endpoint belongs now.
func (p *places) learn(l *line, shown pace) {
	if shown == unknown {
		return
	}
	l.proven = l.proven || shown == quick
	if was := l.slow; was != (shown == slow) {
		l.slow = !was
		if l.slow {
			p.slowBusy += l.busy
		} else {
			p.slowBusy -= l.busy
		}
	}
}

// next gives places to what waits, one delivery of each endpoint in turn.
func (p *places) next() (turns []turn) {
	for i := 0; i < len(p.order) && p.busy < p.total; {
		endpoint := p.order[i]
		l := p.lines[endpoint]
		if !p.fits(l) {
			i++
			continue
		}
		p.take(l)
		turns = append(turns, turn{endpoint, l.waiting[0]})
		delete(p.parked, l.waiting[0])
		l.waiting = l.waiting[1:]
		p.order = append(p.order[:i:i], p.order[i+1:]...)
		if len(l.waiting) > 0 {
			p.order = append(p.order, endpoint)
		}
	}
	return turns
}
