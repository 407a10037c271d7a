package deliver

import (
	"context"

	"github.com/einvoiced/einvoiced/storage/webhook"
)

var _ webhook.Dispatcher = (*Deliverer)(nil)

// Serve lets deliveries be dispatched until ctx ends, and then waits for those that are under way: each for as long as an attempt takes.
func (d *Deliverer) Serve(ctx context.Context) {
	d.mu.Lock()
	d.ctx = ctx
	d.mu.Unlock()
	<-ctx.Done()
	_ = d.serving() // who has seen the context before its end has taken a place by now
	d.dispatched.Wait()
}

// serving gives the context of Serve; before it, one that has ended.
func (d *Deliverer) serving() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ctx
}

// Reserve implements webhook.Dispatcher. There is no place while others wait for one.
func (d *Deliverer) Reserve(r webhook.Recipient) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil || !d.places.reserve(r) {
		return false
	}
	d.dispatched.Add(1)
	return true
}

// Cancel implements webhook.Dispatcher.
func (d *Deliverer) Cancel(r webhook.Recipient) {
	go d.leave(r, unknown) // what waits for the place may take its time
}

// Dispatch implements webhook.Dispatcher.
func (d *Deliverer) Dispatch(s webhook.Sending) {
	go func() { d.leave(s.Recipient, d.deliver(context.Background(), s)) }()
}

// leave gives a reserved place back and attempts what gets one by that; where the process stops, that is owed by the database.
func (d *Deliverer) leave(r webhook.Recipient, shown pace) {
	defer d.dispatched.Done()
	d.run(d.serving(), d.places.leave(r, shown), &d.dispatched)
}
