package regex

// counted matches patterns that are nothing but characters with counts, such as ^(.{1,6826666})$, whatever the counts. It
// follows all ways to match at once as intervals of positions, in time linear in the text for each item.
type counted struct {
	items      []countedItem
	start, end bool // bound to the start and end of the text
}

type countedItem struct {
	set      set
	min, max int // max -1 for no bound
}

// interval is a range of positions reached so far, both ends included.
type interval struct{ lo, hi int }

// newCounted gives the matcher of a pattern; nil when the pattern is of another form.
func newCounted(n node, d dialect) *counted {
	c := &counted{start: d.schema}
	if d.multiline || !c.flatten(n, d.fold) {
		return nil
	}
	c.end = c.end || d.schema
	return c
}

// flatten appends the items of n; false when n is of another form.
func (c *counted) flatten(n node, fold bool) bool {
	if s, ok := charSet(n, fold); ok {
		return c.item(countedItem{s, 1, 1})
	}
	switch n := n.(type) {
	case group:
		return c.flatten(n.part, fold)
	case sequence:
		for _, part := range n {
			if !c.flatten(part, fold) {
				return false
			}
		}
		return true
	case repeat:
		s, ok := charSet(n.part, fold)
		return ok && c.item(countedItem{s, n.min, n.max})
	case edge:
		return c.edge(n)
	}
	return false
}

func (c *counted) item(i countedItem) bool {
	c.items = append(c.items, i)
	return !c.end
}

func (c *counted) edge(n edge) bool {
	if n.end {
		c.end = true
		return true
	}
	c.start = true
	return len(c.items) == 0
}

// charSet gives the characters that n matches, when it matches exactly one character.
func charSet(n node, fold bool) (set, bool) {
	switch n := n.(type) {
	case literal:
		s := set{{n.r, n.r}}
		if fold {
			s = s.fold()
		}
		return s, true
	case char:
		return n.set(), true
	case group:
		return charSet(n.part, fold)
	}
	return nil, false
}

// match tells whether the text matches.
func (c *counted) match(s string) bool {
	text := []rune(s)
	reached := []interval{{0, 0}}
	if !c.start {
		reached[0].hi = len(text)
	}
	for _, item := range c.items {
		if reached = item.advance(text, reached); len(reached) == 0 {
			return false
		}
	}
	return !c.end || reached[len(reached)-1].hi == len(text)
}

// advance gives the positions after the item for those before it, in ascending order.
func (i countedItem) advance(text []rune, from []interval) []interval {
	var to []interval
	for start, k := 0, 0; start <= len(text); start++ {
		stop := start
		for stop < len(text) && i.set.has(text[stop]) {
			stop++
		}
		for ; k < len(from) && from[k].lo <= stop; k++ {
			to = i.within(to, max(from[k].lo, start), from[k].hi, stop)
			if from[k].hi > stop {
				break
			}
		}
		start = stop
	}
	return to
}

// within appends the positions reached from lo to hi in a run of matching characters that ends at stop.
func (i countedItem) within(to []interval, lo, hi, stop int) []interval {
	hi = min(hi, stop-i.min)
	if hi < lo {
		return to
	}
	last := stop
	if i.max >= 0 {
		last = min(stop, hi+i.max)
	}
	next := interval{lo + i.min, last}
	if n := len(to); n > 0 && next.lo <= to[n-1].hi+1 {
		to[n-1].hi = max(to[n-1].hi, next.hi)
		return to
	}
	return append(to, next)
}
