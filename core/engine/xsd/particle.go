package xsd

// unbounded is the max of a particle without one.
const unbounded = -1

// term says what a particle holds (XML Schema part 1, clause 3.9).
type term uint8

const (
	termElement term = iota
	termWildcard
	termSequence
	termChoice
	termAll
)

// particle is a part of a content model with how often it may occur.
type particle struct {
	min, max int
	term     term
	element  *element
	wildcard *wildcard
	children []*particle
	size     int // of the tree
}

func (p *particle) isGroup() bool { return p.term >= termSequence }

// empty tells whether nothing can match the particle but the absence of content.
func (p *particle) empty() bool {
	if p == nil || p.max == 0 {
		return true
	}
	if !p.isGroup() || p.term == termChoice && len(p.children) == 0 {
		return false
	}
	for _, c := range p.children {
		if !c.empty() {
			return false
		}
	}
	return true
}

// emptiable tells whether the absence of content matches (clause 3.9.6, Particle Emptiable).
func (p *particle) emptiable() bool {
	if p == nil || p.min == 0 || p.max == 0 {
		return true
	}
	switch p.term {
	case termElement, termWildcard:
		return false
	case termChoice:
		for _, c := range p.children {
			if c.emptiable() {
				return true
			}
		}
		return false
	}
	for _, c := range p.children {
		if !c.emptiable() {
			return false
		}
	}
	return true
}

// simplified is the particle without parts that say nothing: groups around a single child are merged with it where the
// counts of both together are a range without gaps.
func (p *particle) simplified() *particle {
	if !p.isGroup() || p.term == termAll {
		return p
	}
	q := *p
	q.children = nil
	for _, c := range p.children {
		c = c.simplified()
		switch {
		case c.max == 0:
		case c.term == termSequence && len(c.children) == 0:
			if p.term == termChoice {
				q.children = append(q.children, c)
			}
		case c.term == p.term && c.min == 1 && c.max == 1:
			q.children = append(q.children, c.children...)
		default:
			q.children = append(q.children, c)
		}
	}
	if len(q.children) == 1 {
		if m, ok := merged(q.children[0], p.min, p.max); ok {
			return m
		}
	}
	return &q
}

// merged is min to max times c as one particle; false where the counts have gaps, as 2 or 4 but not 3.
func merged(c *particle, min, max int) (*particle, bool) {
	gapless := max == min || max == 0
	switch {
	case gapless || c.max == unbounded && (min > 0 || c.min <= 1):
		gapless = true
	case min == 0:
		gapless = c.min <= 1
	default:
		gapless = c.max != unbounded && min*(c.max-c.min) >= c.min-1
	}
	if !gapless || min > 1 && c.min > maxCount/min {
		return nil, false
	}
	m := *c
	m.min *= min
	switch {
	case max == 0 || c.max == 0:
		m.max = 0
	case max == unbounded || c.max == unbounded || c.max > maxCount/max:
		m.max = unbounded
	default:
		m.max *= max
	}
	return &m, true
}
