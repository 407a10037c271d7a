package deliver

// shared is a number of places of which every account has a share, by the rule of storage/fair: an account that holds none gets what is
// free; one that holds some gets one more as long as it does not hold more than what is left free afterwards. So one account has at most half, two
// have a third each, and there is always something left for who comes next.
type shared struct {
	free int            // negative where places that are held have become ones of these
	held map[string]int // by account; without zeros
}

func newShared(total int) *shared { return &shared{free: total, held: map[string]int{}} }

// has tells whether there is one more for an account.
func (s *shared) has(account string) bool {
	held := s.held[account]
	return s.free > 0 && (held == 0 || held+1 <= s.free-1)
}

// move gives an account n more, or takes them back where n is negative.
func (s *shared) move(account string, n int) {
	s.free -= n
	if s.held[account] += n; s.held[account] == 0 {
		delete(s.held, account)
	}
}
