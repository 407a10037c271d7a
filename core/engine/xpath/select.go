package xpath

import "github.com/einvoiced/einvoiced/core/engine/xmltree"

// Match is a pattern that a node matches, or of which that cannot be told.
type Match struct {
	Group, Index int
	Err          error // why it cannot be told
}

// Each goes through the document under evaluation and makes each node that some pattern may match the current node (see SetCurrent);
// those that do match some are handed to a function with what Matches says of them. The list is good until the function returns. An
// error that is not one of the language, or of the function, ends the walk.
func (s *Selector) Each(m *Machine, do func(n xmltree.Node, list []Match) error) error {
	w := search{m: m, s: s, p: s.pathsOf(m, m.doc), end: xmltree.Node(m.doc.doc.Len()), do: do}
	return w.whole()
}

// Matches appends to dst, for n, a node of the document under evaluation, the first pattern of each group that it matches, and
// before it those of which that cannot be told, in the order of groups and patterns. n becomes the current node (see SetCurrent),
// unless its name says that it matches nothing. An error that is not one of the language ends the search.
func (s *Selector) Matches(m *Machine, n xmltree.Node, dst []Match) ([]Match, error) {
	w := search{m: m, s: s, p: s.pathsOf(m, m.doc), n: n, end: n + 1}
	w.do = func(_ xmltree.Node, list []Match) error {
		dst = append(dst, list...)
		return nil
	}
	err := w.whole()
	return dst, err
}

// search is a walk over nodes that can go on after a pattern that fails.
type search struct {
	m       *Machine
	s       *Selector
	p       *paths
	n, end  xmltree.Node
	list    []*selectorPart // of the node n, when the search is among them
	at      int             // the one to be looked at next
	do      func(n xmltree.Node, list []Match) error
	stopped bool // by an error of do
}

// whole goes on to the end, whatever patterns fail.
func (w *search) whole() error {
	for {
		err := w.run()
		if err == nil || w.stopped || Code(err) == "" {
			return err
		}
		w.blame(err)
	}
}

// blame takes it that the pattern looked at last is the one with the error. Without patterns it came while they were found: the steps
// were used up, and there are more of them now.
func (w *search) blame(err error) {
	if w.list == nil {
		return
	}
	part := w.list[w.at-1]
	w.m.matches = append(w.m.matches, Match{part.group, part.index, err})
}

// run goes on until the end or the first error.
func (w *search) run() (err error) {
	defer w.m.recover(&err)
	if w.list != nil {
		err = w.node()
		w.n++
	}
	doc, kinds := w.m.doc.doc, w.s.kinds
	for ; w.n < w.end && err == nil; w.n++ {
		if kinds&(1<<doc.Kind(w.n)) == 0 || w.p.hasNothing(nameKey(doc, w.n)) {
			continue
		}
		class := w.s.class(w.m, w.p, node{w.m.doc, w.n})
		if len(class.candidates) > 0 {
			w.m.SetCurrent(w.n)
			if class.certain != nil {
				err = w.found(class.certain)
				continue
			}
			w.m.matches, w.list, w.at = w.m.matches[:0], class.candidates, 0
			err = w.node()
		}
	}
	return err
}

// node looks at the patterns of the node that are left and hands on those that match.
func (w *search) node() error {
	w.candidates(w.m, node{w.m.doc, w.n})
	w.list = nil
	if len(w.m.matches) == 0 {
		return nil
	}
	return w.found(w.m.matches)
}

// found hands on what matches the node.
func (w *search) found(list []Match) error {
	err := w.do(w.n, list)
	w.stopped = err != nil
	return err
}

// candidates looks at patterns one by one. Equal texts that are asked for one after the other are computed once.
func (w *search) candidates(m *Machine, f node) {
	key, text := 0, ""
	for w.at < len(w.list) {
		part := w.list[w.at]
		w.at++
		if part.text != nil {
			if key != part.key {
				key, text = 0, part.text(m, f)
				key = part.key
			}
			if text != part.value {
				continue
			}
		}
		if part.from != nil && !part.from(m, f) || !part.holds(m, f) {
			continue
		}
		m.matches = append(m.matches, Match{Group: part.group, Index: part.index})
		for w.at < len(w.list) && w.list[w.at].group == part.group {
			w.at++
		}
	}
}

// holds tells whether what is left to ask holds for a node.
func (p *selectorPart) holds(m *Machine, f node) bool {
	for _, cond := range p.rest {
		if !cond(m, f) {
			return false
		}
	}
	return true
}
