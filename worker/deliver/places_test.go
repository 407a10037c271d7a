package deliver

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/webhook"
)

// model is what a test knows of places: who has one, who has ever had one, and how many have entered.
type model struct {
	*places
	running []turn
	entered int
	dropped int // as too many waited
	ran     map[string]int
}

func (m *model) start(turns ...turn) {
	for _, next := range turns {
		m.running = append(m.running, next)
		m.ran[next.delivery]++
	}
}

// turn is one of the next delivery at some endpoint of some account.
func (m *model) turn(t *rapid.T) turn {
	account := rapid.SampledFrom([]string{"acc_1", "acc_2", "acc_3"}).Draw(t, "account")
	return turn{webhook.Recipient{Account: account, Endpoint: fmt.Sprint("whk_", rapid.IntRange(1, 4).Draw(t, "endpoint"))}, fmt.Sprint("dlv_", m.entered)}
}

func (m *model) enter(t *rapid.T) {
	next := m.turn(t)
	full := !m.waiting.Has(next.Account, 1)
	m.entered++
	switch {
	case m.places.enter(next):
		m.start(next)
	case full:
		m.dropped++
	case m.places.enter(next):
		t.Fatal("what waits has entered twice")
	}
}

func (m *model) reserve(t *rapid.T) {
	if next := m.turn(t); m.places.reserve(next.Recipient) {
		m.entered++
		m.start(next)
	}
}

func (m *model) leave(t *rapid.T) {
	if len(m.running) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.running)-1).Draw(t, "who")
	gone := m.running[i]
	m.running = slices.Delete(m.running, i, i+1)
	m.start(m.places.leave(gone.Recipient, rapid.SampledFrom([]pace{unknown, quick, quick, slow}).Draw(t, "pace"))...)
}

// check compares what is counted with what is there.
func (m *model) check(t *rapid.T) {
	all, slow, waiting, busy := map[string]int64{}, map[string]int64{}, map[string]int64{}, map[webhook.Recipient]int{}
	for _, r := range m.running {
		busy[r.Recipient]++
		all[r.Account]++
		if m.accounts[r.Account].lines[r.Endpoint].slow {
			slow[r.Account]++
		}
	}
	for account, h := range m.accounts {
		m.checkHolder(t, h, busy)
		for _, l := range h.lines {
			if n := len(l.waiting); n > 0 {
				waiting[account] += int64(n)
			}
		}
	}
	for name, counted := range map[string]struct{ got, want map[string]int64 }{"all": {m.all.Held, all}, "slow": {m.slow.Held, slow}, "waiting": {m.waiting.Held, waiting}} {
		if diff := cmp.Diff(counted.want, counted.got); diff != "" {
			t.Fatalf("%s:\n%s", name, diff)
		}
	}
	if m.all.Free < 0 || sum(waiting) != len(m.parked) || len(m.ran)+m.dropped+sum(waiting) != m.entered {
		t.Fatalf("%d free; %d wait, %d parked, %d ran, %d dropped, %d entered", m.all.Free, sum(waiting), len(m.parked), len(m.ran), m.dropped, m.entered)
	}
}

// checkHolder ensures that an endpoint has at most its places, and that nothing waits that could have one.
func (m *model) checkHolder(t *rapid.T, h *holder, busy map[webhook.Recipient]int) {
	if h.waits() != slices.Contains(m.order, h) || m.first(h) != nil {
		t.Fatalf("%s waits: %t; has its turn: %t; may have a place: %t", h.account, h.waits(), slices.Contains(m.order, h), m.first(h) != nil)
	}
	for endpoint, l := range h.lines {
		if n := busy[webhook.Recipient{Account: h.account, Endpoint: endpoint}]; l.busy != n || n > m.perEndpoint || (n > 1 && !l.proven) {
			t.Fatalf("%s: %d busy, counted %d", endpoint, n, l.busy)
		}
		if slices.Contains(h.order[l.slow], l) != (len(l.waiting) > 0) || slices.Contains(h.order[!l.slow], l) {
			t.Fatalf("%s: %d wait, and it does not stand where it should", endpoint, len(l.waiting))
		}
	}
}

func sum(by map[string]int64) (n int) {
	for _, held := range by {
		n += int(held)
	}
	return n
}

// TestPlaces_KeepTheirLimitsAndLoseNothing lets deliveries of several accounts come and go in any order.
func TestPlaces_KeepTheirLimitsAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, slow := rapid.IntRange(1, 12).Draw(t, "total"), rapid.IntRange(1, 6).Draw(t, "slow")
		m := &model{places: newPlaces(total, rapid.IntRange(1, 3).Draw(t, "per endpoint"), slow), ran: map[string]int{}}
		waiting := rapid.IntRange(1, 40).Draw(t, "waiting")
		m.waiting.Free = int64(waiting)
		t.Repeat(map[string]func(*rapid.T){"enter": m.enter, "enter too": m.enter, "reserve": m.reserve, "leave": m.leave, "": func(t *rapid.T) {
			m.check(t)
			for account, held := range m.all.Held {
				if held > int64(max(1, total/2)) {
					t.Fatalf("%s has %d of %d places", account, held, total)
				}
			}
		}})
		for len(m.running) > 0 {
			m.leave(t)
			m.check(t)
		}
		for id, n := range m.ran {
			if n != 1 {
				t.Fatalf("%s ran %d times", id, n)
			}
		}
		if len(m.ran)+m.dropped != m.entered || m.all.Free != int64(total) || m.slow.Free != int64(slow) || m.waiting.Free != int64(waiting) || len(m.order) != 0 {
			t.Fatalf("%d ran and %d were dropped of %d; free are %d of %d, %d slow of %d, %d to wait of %d", len(m.ran), m.dropped, m.entered, m.all.Free, total,
				m.slow.Free, slow, m.waiting.Free, waiting)
		}
	})
}

// at is a turn of a delivery at an endpoint.
func at(account, endpoint, delivery string) turn {
	return turn{webhook.Recipient{Account: account, Endpoint: endpoint}, delivery}
}

// flood lets an account enter for so many endpoints, and gives those that have a place.
func flood(p *places, account string, endpoints int) (running []turn) {
	for i := range endpoints {
		if t := at(account, fmt.Sprint("whk_", account, i), fmt.Sprint("dlv_", account, i)); p.enter(t) {
			running = append(running, t)
		}
	}
	return running
}

// prove lets an endpoint answer quickly.
func prove(t *testing.T, p *places, r webhook.Recipient) {
	t.Helper()
	if !p.reserve(r) {
		t.Fatal("there is no place to answer at")
	}
	p.leave(r, quick)
}

// TestPlaces_OneAccountLeavesOthersTheirs ensures that an account with any number of new endpoints that never answer leaves others places at once:
// at their endpoints that are quick, and at new ones.
func TestPlaces_OneAccountLeavesOthersTheirs(t *testing.T) {
	p := newPlaces(512, 4, 256)
	proven := webhook.Recipient{Account: "b", Endpoint: "whk_proven"}
	prove(t, p, proven)
	running := flood(p, "a", 100_000)
	for range 3 { // what never answers leaves, and what waits follows
		for _, gone := range slices.Clone(running) {
			running = append(running[1:], p.leave(gone.Recipient, slow)...)
			if len(running) != 256 {
				t.Fatalf("one account has %d places of 512", len(running))
			}
		}
	}
	for i := range 4 {
		if !p.enter(turn{proven, fmt.Sprint("dlv_proven", i)}) {
			t.Fatal("an endpoint that is quick has to wait")
		}
	}
	for i := range 60 {
		if !p.reserve(webhook.Recipient{Account: "b", Endpoint: fmt.Sprint("whk_b", i)}) {
			t.Fatalf("a new endpoint has to wait beside %d of another account, %d of its own", len(running), i)
		}
	}
	for i := range 60 {
		if !p.reserve(webhook.Recipient{Account: fmt.Sprint("c", i), Endpoint: "whk"}) {
			t.Fatalf("the %d. account that comes has to wait", i)
		}
	}
}

// TestPlaces_QuickEndpointsLeaveHalf ensures that an account whose endpoints answer leaves half of all places to others.
func TestPlaces_QuickEndpointsLeaveHalf(t *testing.T) {
	p := newPlaces(16, 4, 8)
	quick := make([]webhook.Recipient, 5)
	for i := range quick {
		quick[i] = webhook.Recipient{Account: "a", Endpoint: fmt.Sprint("whk_", i)}
		prove(t, p, quick[i])
	}
	had := 0
	for _, r := range quick {
		for p.reserve(r) {
			had++
		}
	}
	if had != 8 || !p.reserve(webhook.Recipient{Account: "b", Endpoint: "whk"}) {
		t.Errorf("one account has %d places of 16", had)
	}
}

// TestPlaces_SlowEndpointsLeaveHalfOfTheirPart ensures that an account whose endpoints were slow leaves half of the places for such to others.
func TestPlaces_SlowEndpointsLeaveHalfOfTheirPart(t *testing.T) {
	p := newPlaces(64, 4, 16)
	had := map[string]int{}
	for _, account := range []string{"a", "b"} {
		for i := range 20 {
			r := webhook.Recipient{Account: account, Endpoint: fmt.Sprint("whk_", i)}
			p.reserve(r)
			p.leave(r, slow)
			if p.reserve(r) {
				had[account]++
			}
		}
	}
	if had["a"] != 8 || had["b"] != 4 || !p.reserve(webhook.Recipient{Account: "a", Endpoint: "whk_new"}) {
		t.Errorf("of 16 places one account has %d, the next one %d", had["a"], had["b"])
	}
}

// TestPlaces_AccountsTakeTurns ensures that what waits of an account does not wait for all that came before of another, nor what waits for an
// endpoint for all of another of the account.
func TestPlaces_AccountsTakeTurns(t *testing.T) {
	p := newPlaces(4, 1, 2)
	running := []turn{at("w", "whk_w", "w"), at("x", "whk_x", "x"), at("y", "whk_y", "y"), at("z", "whk_z", "z")}
	for _, t := range running {
		p.enter(t)
	}
	for i := range 3 {
		for _, endpoint := range []string{"a1", "a2"} {
			p.enter(at("a", endpoint, fmt.Sprint(endpoint, i)))
		}
	}
	p.enter(at("b", "b1", "b10"))
	p.enter(at("b", "b1", "b11"))
	var order []string
	for len(running) > 0 {
		gone := running[0]
		next := p.leave(gone.Recipient, unknown)
		running = append(running[1:], next...)
		for _, n := range next {
			order = append(order, n.delivery)
		}
	}
	if want := []string{"a10", "b10", "a20", "b11", "a11", "a21", "a12", "a22"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}

// TestPlaces_WhatWaitsIsBounded ensures that an account cannot have any number of deliveries remembered, nor of endpoints, and that others may
// wait beside it.
func TestPlaces_WhatWaitsIsBounded(t *testing.T) {
	p := newPlaces(512, 4, 256)
	running := flood(p, "a", mostWaiting)
	if len(p.parked) != mostWaiting/2 {
		t.Errorf("%d wait", len(p.parked))
	}
	for p.reserve(webhook.Recipient{Account: "b", Endpoint: fmt.Sprint("whk_", p.all.Free)}) { // until it has its share
	}
	if p.enter(at("b", "whk_b", "dlv_b")) || !p.parked["dlv_b"] {
		t.Error("a delivery of another account does not wait")
	}
	for len(running) > 0 {
		running = append(running[1:], p.leave(running[0].Recipient, slow)...)
	}
	if n := len(p.accounts["a"].lines); n > mostKnown {
		t.Errorf("%d endpoints are remembered that never answered", n)
	}
	other := webhook.Recipient{Account: "c", Endpoint: "whk"}
	prove(t, p, other)
	for i := range 10_000 {
		prove(t, p, webhook.Recipient{Account: "a", Endpoint: fmt.Sprint("whk_quick", i)})
	}
	if n := len(p.accounts["a"].lines); n > mostKnown || !p.accounts["c"].lines["whk"].proven {
		t.Errorf("%d endpoints are remembered that answered quickly", n)
	}
	for i := range mostAccounts + 100 {
		prove(t, p, webhook.Recipient{Account: fmt.Sprint("d", i), Endpoint: "whk"})
	}
	if n := len(p.accounts); n > mostAccounts {
		t.Errorf("%d accounts are remembered", n)
	}
}
