package xsd

// restriction checks that a content model allows no more than the one that it restricts, in the way that the standard fixes:
// part by part (XML Schema part 1, clause 3.9.6, Particle Valid (Restriction)).
type restriction struct {
	substitutes map[*element][]*element // of heads of substitution groups
	normal      map[*particle]*particle // particles without their pointless groups
	budget      int                     // steps that may still be taken
}

// maxSteps bounds the work on one schema. Beyond, restrictions count as valid.
const maxSteps = 1 << 22

func newRestriction(substitutes map[*element][]*element) *restriction {
	return &restriction{substitutes: substitutes, normal: map[*particle]*particle{}, budget: maxSteps}
}

// checkRestriction checks the content of a type that restricts another (clause 3.4.6, Derivation Valid (Restriction, Complex)).
func (b *builder) checkRestriction(r *restriction, p *pendingType) {
	base := p.base.complex
	if p.by != byRestriction || base == nil || base == anyType || p.simple != nil {
		return
	}
	switch {
	case base.simple != nil:
		b.fail(p.body, "the content is complex, but that of the base type %s is simple", base.name.Local)
	case p.mixed && !base.mixed:
		b.fail(p.body, "the content is mixed, but that of the base type %s is not", base.name.Local)
	case p.particle == nil && !base.particle.emptiable():
		b.fail(p.body, "the content is empty, but that of the base type %s cannot be", base.name.Local)
	case p.particle != nil && (base.particle == nil || !r.valid(r.normalised(p.particle), r.normalised(base.particle))):
		b.fail(p.body, "the content allows something that the base type %s does not, or in another order", base.name.Local)
	}
}

// checkRedefined checks the groups that a redefinition replaces without a reference to the original (clause 4.2.2).
func (b *builder) checkRedefined(r *restriction) {
	for _, c := range b.redefined {
		if !c.extends && c.group != nil && c.original.group != nil && !r.valid(r.normalised(c.group), r.normalised(c.original.group)) {
			b.fail(c.at, "the group %s allows something that the one which it redefines does not, or in another order", c.name.Local)
		}
	}
}

// valid tells whether p restricts base; both are normalised, and nil where they are pointless as a whole.
func (r *restriction) valid(p, base *particle) bool {
	if r.budget--; r.budget <= 0 || p == base {
		return true
	}
	switch {
	case p == nil:
		return base.emptiable()
	case base == nil:
		return false
	case base.term == termElement:
		return p.term == termElement && p.within(base) && p.element.restricts(base.element)
	case base.term == termWildcard:
		return r.insideWildcard(p, base)
	case p.term == termElement:
		return r.groups(&particle{min: 1, max: 1, term: base.term, children: []*particle{p}}, base)
	case p.term == termWildcard:
		return false
	}
	return r.groups(p, base)
}

// groups compares two groups.
func (r *restriction) groups(p, base *particle) bool {
	r.budget -= base.size
	switch {
	case p.term == termSequence && base.term == termChoice:
		n := len(p.children)
		sum := particle{min: times(p.min, n), max: times(p.max, n)}
		return sum.within(base) && r.anywhere(p.children, base.children)
	case !p.within(base):
		return false
	case p.term == termSequence && base.term == termAll:
		return r.onceEach(p.children, base.children)
	case p.term != base.term:
		return false
	case p.term == termChoice:
		return r.inOrder(p.children, base.children, func(*particle) bool { return true })
	}
	return r.inOrder(p.children, base.children, (*particle).emptiable)
}

// inOrder maps the parts to parts of the base in the same order; those that are passed over must be free to be.
func (r *restriction) inOrder(parts, base []*particle, free func(*particle) bool) bool {
	at := 0
	for _, p := range parts {
		for at < len(base) && !r.valid(p, base[at]) {
			if !free(base[at]) {
				return false
			}
			at++
		}
		if at == len(base) {
			return false
		}
		at++
	}
	for _, b := range base[at:] {
		if !free(b) {
			return false
		}
	}
	return true
}

// anywhere asks that each part restrict some part of the base.
func (r *restriction) anywhere(parts, base []*particle) bool {
	for _, p := range parts {
		found := false
		for _, b := range base {
			if found = r.valid(p, b); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// onceEach asks that each part restrict a part of the base of its own, and that those left over be emptiable.
func (r *restriction) onceEach(parts, base []*particle) bool {
	used := make([]bool, len(base))
	for _, p := range parts {
		found := false
		for i, b := range base {
			if !used[i] && r.valid(p, b) {
				used[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	for i, b := range base {
		if !used[i] && !b.emptiable() {
			return false
		}
	}
	return true
}
