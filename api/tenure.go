package api

import "time"

// tenure is the use of a processor by one request for much work in small pieces, such as the lines of a batch. It keeps the processor for a while once its turn has
// come: each piece would wait for a turn else, behind all that its account has asked for meanwhile. It is for one goroutine.
type tenure struct {
	s     *Server
	c     *call
	leave func() // nil where there is no processor
	since time.Time
}

// longTenure is how long a processor is kept.
const longTenure = 10 * time.Millisecond

// begin waits for a processor, unless one is held that was not kept for long.
func (p *tenure) begin() error {
	if p.leave != nil && time.Since(p.since) < longTenure {
		return nil
	}
	p.end()
	leave, err := p.s.process(p.c.r.Context(), p.c.key.AccountID)
	if err != nil {
		return gone(p.c.r.Context(), err)
	}
	p.leave, p.since = leave, time.Now()
	return nil
}

// end gives the processor back before what waits for something else, and at the end; it may be called more than once.
func (p *tenure) end() {
	if p.leave != nil {
		p.leave()
		p.leave = nil
	}
}
