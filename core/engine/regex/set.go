package regex

import (
	"slices"
	"unicode"
)

// span is a range of code points, both ends included.
type span struct{ lo, hi rune }

// set is a set of code points: spans in ascending order that neither overlap nor touch.
type set []span

// everything holds all code points.
var everything = set{{0, unicode.MaxRune}}

// add appends a range; the set is in order only after normal.
func (s set) add(lo, hi rune) set { return append(s, span{lo, hi}) }

// normal puts appended ranges in order and joins those that overlap or touch.
func (s set) normal() set {
	slices.SortFunc(s, func(a, b span) int { return int(a.lo - b.lo) })
	out := s[:0]
	for _, r := range s {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// not gives the code points that are not in s.
func (s set) not() set {
	out, next := make(set, 0, len(s)+1), rune(0)
	for _, r := range s {
		if r.lo > next {
			out = out.add(next, r.lo-1)
		}
		next = r.hi + 1
	}
	if next <= unicode.MaxRune {
		out = out.add(next, unicode.MaxRune)
	}
	return out
}

// union gives what is in s or in t.
func (s set) union(t set) set { return append(slices.Clone(s), t...).normal() }

// minus gives what is in s and not in t.
func (s set) minus(t set) set { return s.not().union(t).not() }

// has tells whether r is in s.
func (s set) has(r rune) bool {
	i, found := slices.BinarySearchFunc(s, r, func(a span, r rune) int {
		switch {
		case a.hi < r:
			return -1
		case a.lo > r:
			return 1
		}
		return 0
	})
	return found && i < len(s)
}

// fold adds the case variants of everything in s.
func (s set) fold() set {
	out := slices.Clone(s)
	for _, r := range s {
		if r.lo == 0 && r.hi == unicode.MaxRune {
			return s
		}
		for c := r.lo; c <= r.hi; c++ {
			for v := unicode.SimpleFold(c); v != c; v = unicode.SimpleFold(v) {
				out = out.add(v, v)
			}
		}
	}
	return out.normal()
}

// fromTable gives the code points of a table of package unicode.
func fromTable(tables ...*unicode.RangeTable) set {
	var s set
	for _, t := range tables {
		for _, r := range t.R16 {
			s = s.stride(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			s = s.stride(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return s.normal()
}

func (s set) stride(lo, hi, step rune) set {
	if step == 1 {
		return s.add(lo, hi)
	}
	for c := lo; c <= hi; c += step {
		s = s.add(c, c)
	}
	return s
}
