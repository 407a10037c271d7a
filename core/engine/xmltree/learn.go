package xmltree

import "slices"

// learnStart notes that the start tag from i to j, that of the element me, stands at the present spot, and gives the number of its
// shape, 0 if it is not remembered.
func (s *scanner) learnStart(i, j int, me Node, name uint32) (number uint32) {
	number, h, key := s.recall(i, j)
	if key.around != unknownShape && s.describe(&h, i, me, name) {
		end := ""
		if !s.empty {
			end = "</" + s.lex.entries[name].raw + ">"
		}
		number = s.lex.shapes.add(h, key, s.src[i-int(h.blank):j], end)
	}
	s.lex.shapes.expect(s.spot, number)
	return number
}

// learnEnd notes that the end tag from i to j stands at the present spot.
func (s *scanner) learnEnd(i, j int) {
	number, h, key := s.recall(i, j)
	if key.around != unknownShape {
		number = s.lex.shapes.add(h, key, s.src[i-int(h.blank):j], "")
	}
	s.lex.shapes.expect(s.spot, number)
}

// learnComment notes that the comment from i to j, which has just been read, stands at the present spot. Nothing is foreseen of what
// lies in the node or had to be decoded.
func (s *scanner) learnComment(i, j int) {
	if s.nodes[len(s.nodes)-1].value.isDecoded() || j-i > mostComment || len(s.open) == 0 {
		return
	}
	number, h, key := s.recall(i, j)
	if key.around != unknownShape && j-i > len("<!---->")+mostInNode {
		h.tag = uint32(KindComment) << kindShift
		number = s.lex.shapes.add(h, key, s.src[i-int(h.blank):j], "")
	}
	s.lex.shapes.expect(s.spot, number)
}

// recall looks for the shape of the tag from i to j. When it is a new one, and to be remembered, h is the beginning of it, and key has
// what is around.
func (s *scanner) recall(i, j int) (number uint32, h shape, key shapeKey) {
	around, x, from := s.around(), &s.lex.shapes, i
	if s.gap >= 0 {
		from = s.gap
	}
	if around == unknownShape || j-from > mostTagBytes {
		return unknownShape, shape{}, shapeKey{}
	}
	number, hash := x.find(around, s.src[from:j])
	if number != unknownShape || !x.hasRoom(around) {
		return number, shape{}, shapeKey{}
	}
	h = shape{blank: uint32(i - from)}
	if from < i && s.src[from] == '\r' {
		h.skip = 1
	}
	if v := shortened(s.src, uint32(from)+h.skip, uint32(i)); v[7]&inNode != 0 {
		h.white = v.word()
	}
	return unknownShape, h, shapeKey{around: around, hash: hash}
}

// around is the shape of the start tag of the open element.
func (s *scanner) around() uint32 {
	switch {
	case len(s.open) > 0:
		return s.open[len(s.open)-1].shape
	case s.foresight:
		return outermost
	}
	return unknownShape
}

// describe fills in the shape of the start tag at i, that of the element me, which has just been read; false when it is not to be
// foreseen: for many attributes, or for a value that had to be decoded.
func (s *scanner) describe(h *shape, i int, me Node, name uint32) bool {
	x, attrs, decls := &s.lex.shapes, s.nodes[me+1:], s.declaredOn(me)
	shadows := s.shadows[len(s.shadows)-len(decls):]
	if len(attrs)+len(decls) > mostNamed || slices.ContainsFunc(attrs, func(a node) bool { return a.value.isDecoded() }) {
		return false
	}
	h.tag, h.number = s.nodes[me].tag, name
	h.attrs, h.decls, h.declares = uint32(len(x.attrs)), uint32(len(x.decls)), uint32(len(decls))
	for _, a := range attrs {
		a.offset -= uint32(i)
		if a.value[7]&inNode == 0 {
			a.value.set(a.value.word() - uint64(i)*bothOffsets)
		}
		x.attrs = append(x.attrs, a)
	}
	for at, d := range decls {
		d.prefix -= uint32(i)
		x.decls = append(x.decls, declaredThere{d, shadows[at].prefix, s.binding(shadows[at].prefix)})
	}
	return true
}

// bothOffsets adds to both offsets of a value that is a slice of the source.
const bothOffsets = 1<<32 + 1

// declaredOn gives the declarations of the element whose start tag has just been read.
func (s *scanner) declaredOn(me Node) []declaration {
	first := len(s.decls)
	for first > 0 && s.decls[first-1].owner == me {
		first--
	}
	return s.decls[first:]
}
