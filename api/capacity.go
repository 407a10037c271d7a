package api

import (
	"context"
	"net/http"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/fair"
)

// capacity bounds what requests cost together, and gives each account its share of it. A body that comes slowly takes no more memory than
// a small one; only when it is there, its turn for memory and processors comes. What cannot wait and does not fit is refused at once with 429.
type capacity struct {
	open     *fair.Shared // requests with a key that are being answered
	requests *fair.Shared // requests whose body has come and that are worked on
	coming   *fair.Shared // bytes of memory for bodies that come
	spooled  *fair.Shared // bytes of bodies in spools
	loaded   *fair.Shared // bytes of memory for large bodies and answers whose turn it is
	load     int64        // of loaded, in all

	processors *job.Processors // for the work that requests ask for, and jobs in this process
	reading    *job.Processors // for requests that read; not those of processors, so that an account's work does not hold up its lists
	pacing     *pacing         // of large bodies
}

func newCapacity(c *Config, recent *job.Recent, processors *job.Processors) *capacity {
	load := c.MaxInflightBytes - c.MaxInflightBytes/4
	return &capacity{
		open: fair.New(int64(c.MaxOpen), nil), requests: fair.New(int64(c.MaxInflight), nil), coming: fair.New(c.MaxInflightBytes/4, nil),
		spooled: fair.New(c.MaxSpooledBytes, nil), loaded: fair.New(load, nil), load: load, processors: processors,
		reading: job.NewProcessors(c.Processors, recent),
		pacing:  newPacing(c.LargeBodyRate, recent),
	}
}

// lease is what one request holds; it must be released. It is for one goroutine.
type lease struct {
	capacity *capacity
	account  string
	coming   int64
	spooled  int64
	loaded   int64
	working  bool
}

// work admits the request to be worked on.
func (l *lease) work() error {
	if !l.capacity.requests.Take(l.account, 1, 0) {
		return errBusy()
	}
	l.working = true
	return nil
}

// copies is how many times a body stands in memory while it is read: as it came, and what is decoded of it.
const copies = 2

// step is the unit in which a lease grows, so that a body does not lock the capacity at every read.
const step = 16 << 10

// hold makes the lease cover a body of n bytes in memory, more or fewer than before; false where there is no room.
func (l *lease) hold(n int64) bool {
	n = copies * ((n + step - 1) / step * step)
	return resize(l.capacity.coming, l.account, &l.coming, n)
}

// spool makes the lease cover n bytes of a spool, more or fewer than before.
func (l *lease) spool(n int64) error {
	const step = 1 << 20
	if !resize(l.capacity.spooled, l.account, &l.spooled, (n+step-1)/step*step) {
		return errBusy()
	}
	return nil
}

// load waits until there is memory for a body of n bytes.
func (l *lease) load(ctx context.Context, n int64) error { return l.room(ctx, copies*n) }

// room waits until there are n bytes of the memory for what is large. Who would need more than there is at all gets all of it: it
// would wait for ever else.
func (l *lease) room(ctx context.Context, n int64) error {
	n = min(n, l.capacity.load)
	if err := l.capacity.loaded.Await(ctx, l.account, n); err != nil {
		return err
	}
	l.loaded += n
	return nil
}

// grow makes the memory for what a large body is made of n bytes, more or fewer than before. It does not wait: who holds some of it already must not.
func (l *lease) grow(n int64) error {
	if !resize(l.capacity.loaded, l.account, &l.loaded, (n+step-1)/step*step) {
		return errBusy()
	}
	return nil
}

// unload gives back what load and room got.
func (l *lease) unload() {
	l.capacity.loaded.Give(l.account, l.loaded)
	l.loaded = 0
}

// resize makes *held of a shared capacity n, and tells whether it could.
func resize(s *fair.Shared, account string, held *int64, n int64) bool {
	switch more := n - *held; {
	case more > 0 && !s.Take(account, more, *held):
		return false
	case more < 0:
		s.Give(account, -more)
	}
	*held = n
	return true
}

// release gives everything back; it may be called more than once.
func (l *lease) release() {
	l.hold(0)
	_ = l.spool(0) // shrinking cannot fail
	l.unload()
	if l.working {
		l.working = false
		l.capacity.requests.Give(l.account, 1)
	}
}

// process waits for a processor; leave gives it back, and may be called more than once.
func (s *Server) process(ctx context.Context, account string) (leave func(), err error) {
	return s.capacity.processors.Await(ctx, account)
}

// errBusy is the contract's 429 without quota, which clients answer with exponential backoff; it must carry no Retry-After.
func errBusy() error {
	p := &problem{status: http.StatusTooManyRequests}
	p.Refusal = finding.Refusal{Word: "RATE_LIMITED", Message: "The server is working at its capacity; retry with exponential backoff"}
	return p.with("Connection", "close")
}
