// Package fair divides a capacity among accounts, so that none of them can take what others need.
package fair

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Shares count a capacity of which every account has a share. An account that holds nothing gets what is free; one that holds something gets
// more as long as it does not hold more than what is left free afterwards. So one account has at most half, two have a third each, and there is
// always something left for who comes next. They are not safe for concurrent use.
type Shares struct {
	Free int64            // negative where more is held than there is
	Held map[string]int64 // by account; without zeros
}

// NewShares divides total, in whatever unit.
func NewShares(total int64) *Shares { return &Shares{Free: total, Held: map[string]int64{}} }

// Has tells whether there are n for an account.
func (s *Shares) Has(account string, n int64) bool {
	return n <= s.Free && (s.Held[account] == 0 || s.within(account, n, 0))
}

// within tells whether an account that holds something may have n more, where so much has to be left free besides.
func (s *Shares) within(account string, n, besides int64) bool {
	return s.Held[account]+n <= s.Free-n-besides
}

// Move gives an account n more, whether there are so many or not; it takes them back where n is negative.
func (s *Shares) Move(account string, n int64) {
	s.Free -= n
	if s.Held[account] += n; s.Held[account] == 0 {
		delete(s.Held, account)
	}
}

// Shared is a capacity of Shares for which accounts can wait, in turns.
type Shared struct {
	mu     sync.Mutex
	shares *Shares
	lines  []*line // in the order of the turns

	// Where recent is there, an account may have one less while another was served within the last second, which so need not wait for a processor
	// that the first keeps busy.
	recent *Recent
}

// line is what waits of an account, in the order in which it came. It is not empty.
type line struct {
	account string
	turns   []*turn
}

// turn is one who waits.
type turn struct {
	n     int64
	ready chan struct{} // closed when it has got what it waits for
}

// New divides total, in whatever unit; recent may be nil.
func New(total int64, recent *Recent) *Shared {
	return &Shared{shares: NewShares(total), recent: recent}
}

// Held is how much all accounts hold together.
func (s *Shared) Held() (sum int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.shares.Held {
		sum += n
	}
	return sum
}

// Waiting is how many wait.
func (s *Shared) Waiting() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		n += len(l.turns)
	}
	return n
}

// Take takes n for an account at once and tells whether it could; own is how much of what the account holds already belongs to the taker, who
// may have more than a share as long as the account holds nothing else.
func (s *Shared) Take(account string, n, own int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.shares.Free || s.shares.Held[account] != own && !s.within(account, n) {
		return false
	}
	s.move(account, n)
	return true
}

// Await takes n for an account when its turn has come. The error is that of ctx.
func (s *Shared) Await(ctx context.Context, account string, n int64) error {
	t := s.queue(account, n)
	select {
	case <-t.ready:
		return nil
	default:
	}
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
	}
	if !s.leave(account, t) {
		s.Give(account, n) // it came at the same moment
	}
	return context.Cause(ctx)
}

// Give gives n back.
func (s *Shared) Give(account string, n int64) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.move(account, -n)
	s.serve()
}

// within tells whether an account that holds something may have n more.
func (s *Shared) within(account string, n int64) bool {
	var besides int64
	if s.recent != nil && s.recent.Others(account, time.Now()) {
		besides = 1
	}
	return s.shares.within(account, n, besides)
}

func (s *Shared) move(account string, n int64) {
	if s.recent != nil {
		s.recent.Serve(account, time.Now())
	}
	s.shares.Move(account, n)
}

// queue puts a turn at the end of the account's line.
func (s *Shared) queue(account string, n int64) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &turn{n, make(chan struct{})}
	i := slices.IndexFunc(s.lines, func(l *line) bool { return l.account == account })
	if i < 0 {
		i = len(s.lines)
		s.lines = append(s.lines, &line{account: account})
	}
	s.lines[i].turns = append(s.lines[i].turns, t)
	s.serve()
	return t
}

// leave takes a turn out of its line; false where it is over.
func (s *Shared) leave(account string, t *turn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, l := range s.lines {
		if j := slices.Index(l.turns, t); j >= 0 && l.account == account {
			if l.turns = slices.Delete(l.turns, j, j+1); len(l.turns) == 0 {
				s.lines = slices.Delete(s.lines, i, i+1)
			}
			s.serve() // who stood behind it
			return true
		}
	}
	return false
}

// serve gives those who wait what is free. Who has its share already is passed; who waits for more than what is free is not, so that it need not
// wait for ever.
func (s *Shared) serve() {
	for i := 0; i < len(s.lines); {
		l := s.lines[i]
		t := l.turns[0]
		switch {
		case s.shares.Held[l.account] > 0 && !s.within(l.account, t.n):
			i++
			continue
		case t.n > s.shares.Free:
			return
		}
		s.move(l.account, t.n)
		close(t.ready)
		s.lines = slices.Delete(s.lines, i, i+1)
		if l.turns = l.turns[1:]; len(l.turns) > 0 {
			s.lines = append(s.lines, l)
		}
	}
}
