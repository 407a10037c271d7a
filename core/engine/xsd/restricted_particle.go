package xsd

// within tells whether the number of occurrences is in the range of the base (clause 3.9.6, Occurrence Range OK).
func (p *particle) within(base *particle) bool {
	return p.min >= base.min && (base.max == unbounded || p.max != unbounded && p.max <= base.max)
}

// times multiplies a number of occurrences.
func times(count, n int) int {
	switch {
	case count == 0 || n == 0:
		return 0
	case count == unbounded || n == unbounded:
		return unbounded
	case count > maxCount/n:
		return maxCount
	}
	return count * n
}

// plus adds numbers of occurrences.
func plus(x, y int) int {
	if x == unbounded || y == unbounded {
		return unbounded
	}
	return min(x+y, maxCount)
}

// total is how many elements match the particle (clauses 3.8.6, Effective Total Range).
func (p *particle) total() (least, most int) {
	if !p.isGroup() {
		return p.min, p.max
	}
	for i, c := range p.children {
		from, to := c.total()
		switch {
		case p.term != termChoice:
			least, most = plus(least, from), plus(most, to)
		case i == 0:
			least, most = from, to
		default:
			least = min(least, from)
			if most != unbounded && (to == unbounded || to > most) {
				most = to
			}
		}
	}
	return times(p.min, least), times(p.max, most)
}

// insideWildcard tells whether p allows only what the wildcard does.
func (r *restriction) insideWildcard(p, base *particle) bool {
	switch {
	case p.term == termElement:
		return p.within(base) && base.wildcard.spaces.has(p.element.name.Space)
	case p.term == termWildcard:
		return p.within(base) && p.wildcard.spaces.within(base.wildcard.spaces) && p.wildcard.process <= base.wildcard.process
	}
	r.budget -= p.size
	least, most := p.total()
	if total := (particle{min: least, max: most}); !total.within(base) {
		return false
	}
	free := &particle{min: 0, max: unbounded, term: termWildcard, wildcard: base.wildcard}
	for _, c := range p.children {
		if !r.valid(c, free) {
			return false
		}
	}
	return true
}

// restricts tells whether an element declaration may stand where the base has its own (clause 3.9.6, NameAndTypeOK).
func (e *element) restricts(base *element) bool {
	if e == base {
		return true
	}
	switch {
	case e.name != base.name, e.nillable && !base.nillable, base.block&^e.block != 0:
		return false
	case base.value != nil && base.value.fixed && (e.value == nil || !e.value.fixed || e.value.key != base.value.key):
		return false
	}
	for _, c := range e.constraints {
		if !c.isOneOf(base.constraints) {
			return false
		}
	}
	return e.typ.restricts(base.typ)
}

// isOneOf tells whether the base declares the same constraint.
func (c *constraint) isOneOf(all []*constraint) bool {
	for _, o := range all {
		if o == c || o.name == c.name {
			return true
		}
	}
	return false
}

// restricts tells whether t is derived from base by restriction alone.
func (t typeRef) restricts(base typeRef) bool {
	if base.complex == anyType || base.simple == anySimpleType && t.simple != nil {
		return true
	}
	return t.derivesFrom(base, byExtension|byList|byUnion)
}

// normalised is the particle without groups that say nothing, and with a choice in place of each head of a substitution group
// (clause 3.9.6); nil when nothing is left.
func (r *restriction) normalised(p *particle) *particle {
	if p == nil {
		return nil
	}
	if n, done := r.normal[p]; done {
		return n
	}
	n := r.normalise(p)
	r.normal[p] = n
	return n
}

func (r *restriction) normalise(p *particle) *particle {
	if p.term == termElement && len(r.substitutes[p.element]) > 0 {
		return r.choiceOf(p)
	}
	if !p.isGroup() {
		return p
	}
	q := *p
	q.children = nil
	for _, c := range p.children {
		c = r.normalised(c)
		switch {
		case c == nil:
		case c.term == p.term && p.term != termAll && c.min == 1 && c.max == 1:
			q.children = append(q.children, c.children...)
		default:
			q.children = append(q.children, c)
		}
	}
	switch {
	case len(q.children) == 0 && (q.term != termChoice || q.min == 0):
		return nil
	case len(q.children) == 1 && q.min == 1 && q.max == 1:
		return q.children[0]
	}
	return &q
}

// choiceOf is the head of a substitution group or one of its members.
func (r *restriction) choiceOf(p *particle) *particle {
	q := &particle{min: p.min, max: p.max, term: termChoice}
	for _, e := range append([]*element{p.element}, r.substitutes[p.element]...) {
		q.children = append(q.children, &particle{min: 1, max: 1, term: termElement, element: e})
	}
	return q
}
