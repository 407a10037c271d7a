package job

import (
	"context"
	"time"

	"github.com/einvoiced/einvoiced/storage/fair"
)

// Processors are those of a process, for the work of requests and of jobs' runs in it. It is safe for concurrent use.
type Processors struct {
	places *fair.Shared
	recent *Recent
}

// NewProcessors shares n processors by account: an account that is alone uses all of them, one that is not leaves one free for the others, and whoever holds
// nothing begins at once.
func NewProcessors(n int, recent *Recent) *Processors {
	return &Processors{fair.New(2*int64(n), &recent.Recent), recent}
}

// Await waits for a processor for work of an account; leave gives it back, and may be called more than once. The error is that of ctx.
func (p *Processors) Await(ctx context.Context, account string) (leave func(), err error) {
	if err := p.places.Await(ctx, account, 1); err != nil {
		return func() {}, err
	}
	left := false
	return func() {
		if !left {
			left = true
			p.places.Give(account, 1)
		}
	}, nil
}

// patience is how long a run waits for a processor until it goes on without: the wait is of the time that it may take, and hundreds of requests of its account
// may wait before it.
const patience = time.Second

// awhile waits for a processor for a run of an account, for a while, and only where another account was served lately: alone, the kernel shares among what an
// account does beside each other.
func (p *Processors) awhile(ctx context.Context, account string) (leave func()) {
	if account == "" || !p.recent.Others(account, time.Now()) {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	leave, _ = p.Await(ctx, account) // what it waits for in vain it does without
	return leave
}

// Held is how many processors are held.
func (p *Processors) Held() int64 { return p.places.Held() }

// Waiting is how many wait for a processor.
func (p *Processors) Waiting() int { return p.places.Waiting() }
