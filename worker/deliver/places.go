package deliver

import (
	"maps"
	"slices"
	"sync"

	"github.com/einvoiced/einvoiced/storage/fair"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

// places says which deliveries may be attempted beside each other, so that receivers that do not answer cannot take all places: each
// endpoint has its own limit (one, until it has answered quickly once), and those that were slow share a part of the whole. Every account has its share
// of the whole and of that part, so that one with however many endpoints cannot take the places of others. Endpoints that are new are none of the
// slow ones: after a start all are new, and those that answer would wait behind those that do not.
//
// What does not fit waits here by its id alone; it is claimed when its turn comes, and until then still owed a message by the database. The
// accounts take turns, and the endpoints of each; so it does not matter how many deliveries of another wait.
type places struct {
	perEndpoint int

	mu       sync.Mutex
	all      *fair.Shares
	slow     *fair.Shares // of those, attempts at endpoints that were slow
	waiting  *fair.Shares // deliveries that wait
	accounts map[string]*holder
	order    []*holder       // accounts of which something waits, in the order of their turns
	parked   map[string]bool // deliveries that wait
	queued   uint64          // how often an endpoint has begun to wait
}

// holder is what is known of the endpoints of an account.
type holder struct {
	account string
	lines   map[string]*line
	order   map[bool][]*line // endpoints for which something waits, in the order of their turns: those that were slow, and the others
}

// line is what is known of an endpoint.
type line struct {
	endpoint string
	busy     int
	proven   bool // it has answered quickly
	slow     bool // the last time it did not
	waiting  []string
	since    uint64 // its turn, by places.queued
}

const (
	// mostKnown bounds of how many endpoints of an account it is remembered while nothing is sent there how they have answered. It has fewer, but may
	// make and delete any number.
	mostKnown = 128
	// mostAccounts bounds for how many accounts anything is remembered while nothing is sent to their endpoints.
	mostAccounts = 10_000
	// mostWaiting bounds how many deliveries wait here. What more there is comes when the database has it enqueued again.
	mostWaiting = 1 << 15
)

// turn is a delivery whose turn it is.
type turn struct {
	webhook.Recipient
	delivery string
}

func newPlaces(total, perEndpoint, slow int) *places {
	return &places{perEndpoint: perEndpoint, all: fair.NewShares(int64(total)), slow: fair.NewShares(int64(slow)), waiting: fair.NewShares(mostWaiting),
		accounts: map[string]*holder{}, parked: map[string]bool{}}
}

// enter takes a place, or lets the delivery wait for one; then somebody who leaves takes it along. Where the account lets as much wait as it may,
// the delivery is not remembered.
func (p *places) enter(t turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parked[t.delivery] {
		return false
	}
	h, l := p.line(t.Recipient)
	if p.take(h, l) {
		return true
	}
	if p.waiting.Has(h.account, 1) {
		p.park(h, l, t.delivery)
	}
	p.forget(h, l)
	return false
}

// reserve takes a place for a delivery of which nobody knows yet, if there is one and nobody waits for it.
func (p *places) reserve(r webhook.Recipient) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, l := p.line(r)
	taken := p.take(h, l)
	p.forget(h, l)
	return taken
}

// take takes a place at an endpoint if there is one and nobody waits for it.
func (p *places) take(h *holder, l *line) bool {
	if len(l.waiting) > 0 || !p.has(h, l.slow) || l.busy >= p.limit(l) {
		return false
	}
	p.move(h, l, 1)
	return true
}

// has tells whether there is a place for one more attempt of an account, at an endpoint that was slow or at another.
func (p *places) has(h *holder, wasSlow bool) bool {
	return p.all.Has(h.account, 1) && (!wasSlow || p.slow.Has(h.account, 1))
}

// limit is how many attempts may run beside each other at an endpoint.
func (p *places) limit(l *line) int {
	if l.proven {
		return p.perEndpoint
	}
	return 1
}

// move counts n more attempts at an endpoint, or fewer where n is negative.
func (p *places) move(h *holder, l *line, n int) {
	l.busy += n
	p.all.Move(h.account, int64(n))
	if l.slow {
		p.slow.Move(h.account, int64(n))
	}
}

// park lets a delivery wait.
func (p *places) park(h *holder, l *line, delivery string) {
	p.waiting.Move(h.account, 1)
	p.parked[delivery] = true
	if l.waiting = append(l.waiting, delivery); len(l.waiting) > 1 {
		return
	}
	if !h.waits() {
		p.order = append(p.order, h)
	}
	p.queue(h, l)
}

// queue puts an endpoint at the end of those of its account for which something waits.
func (p *places) queue(h *holder, l *line) {
	p.queued++
	l.since = p.queued
	h.order[l.slow] = append(h.order[l.slow], l)
}

// unqueue takes an endpoint out of the order of its account, and tells whether it stood there.
func (h *holder) unqueue(l *line) bool {
	i := slices.Index(h.order[l.slow], l)
	if i >= 0 {
		h.order[l.slow] = slices.Delete(h.order[l.slow], i, i+1)
	}
	return i >= 0
}

// waits tells whether something of the account waits.
func (h *holder) waits() bool { return len(h.order[true])+len(h.order[false]) > 0 }

// line gives what is known of an endpoint.
func (p *places) line(r webhook.Recipient) (*holder, *line) {
	h := p.accounts[r.Account]
	if h == nil {
		h = &holder{account: r.Account, lines: map[string]*line{}, order: map[bool][]*line{}}
		p.accounts[r.Account] = h
	}
	l := h.lines[r.Endpoint]
	if l == nil {
		l = &line{endpoint: r.Endpoint}
		h.lines[r.Endpoint] = l
	}
	return h, l
}

// forget drops an endpoint of which nothing is known that matters, and all such endpoints of an account of which too many are remembered: nobody tells
// here which of them are still there.
func (p *places) forget(h *holder, l *line) {
	if l.idle() && (!l.proven && !l.slow || len(p.accounts) > mostAccounts) {
		delete(h.lines, l.endpoint)
	}
	if len(h.lines) > mostKnown+int(p.all.Held[h.account])+len(h.order[true])+len(h.order[false]) {
		maps.DeleteFunc(h.lines, func(_ string, l *line) bool { return l.idle() })
	}
	if len(h.lines) == 0 {
		delete(p.accounts, h.account)
	}
}

// idle tells whether nothing is sent to the endpoint, and nothing waits for it.
func (l *line) idle() bool { return l.busy == 0 && len(l.waiting) == 0 }

// pace is what an attempt has shown of an endpoint.
type pace int

const (
	unknown pace = iota // nothing was sent
	quick
	slow
)

// leave gives a place back and tells whose turn it is now; they have their places.
func (p *places) leave(r webhook.Recipient, shown pace) (next []turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, l := p.line(r)
	p.move(h, l, -1)
	p.learn(h, l, shown)
	p.forget(h, l)
	return p.next()
}

// learn notes what an attempt has shown. The others that are under way there, and what waits, move along to where the endpoint belongs now.
func (p *places) learn(h *holder, l *line, shown pace) {
	l.proven = l.proven || shown == quick
	if shown == unknown || l.slow == (shown == slow) {
		return
	}
	if h.unqueue(l) {
		h.order[!l.slow] = append(h.order[!l.slow], l)
	}
	if l.slow = !l.slow; l.slow {
		p.slow.Move(h.account, int64(l.busy))
	} else {
		p.slow.Move(h.account, -int64(l.busy))
	}
}

// next gives places to what waits, one delivery of each account in turn.
func (p *places) next() (turns []turn) {
	for i := 0; i < len(p.order) && p.all.Free > 0; {
		h := p.order[i]
		l := p.first(h)
		if l == nil {
			i++
			continue
		}
		turns = append(turns, p.call(h, l))
		p.order = slices.Delete(p.order, i, i+1)
		if h.waits() {
			p.order = append(p.order, h)
		}
	}
	return turns
}

// first gives the endpoint of an account whose turn it is; nil where none may have a place. The many that wait where the account has its share of
// the slow ones are not looked at.
func (p *places) first(h *holder) (first *line) {
	for _, wasSlow := range []bool{false, true} {
		if !p.has(h, wasSlow) {
			continue
		}
		order := h.order[wasSlow]
		i := slices.IndexFunc(order, func(l *line) bool { return l.busy < p.limit(l) })
		if i >= 0 && (first == nil || order[i].since < first.since) {
			first = order[i]
		}
	}
	return first
}

// call gives a place to what waits longest at an endpoint, which is then last in the order of its account.
func (p *places) call(h *holder, l *line) turn {
	t := turn{webhook.Recipient{Account: h.account, Endpoint: l.endpoint}, l.waiting[0]}
	delete(p.parked, t.delivery)
	p.waiting.Move(h.account, -1)
	p.move(h, l, 1)
	h.unqueue(l)
	if l.waiting = l.waiting[1:]; len(l.waiting) > 0 {
		p.queue(h, l)
	}
	return t
}
