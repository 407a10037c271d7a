package xmltree

// foreseen reads tags and comments from i on for as long as they are those that stood at the same place before, and the plain text of
// elements that contain nothing else. Everything else, whatever is wrong included, is left to the others: they begin where
// this ends.
//
// The same bytes inside the same start tags mean the same: names, namespaces, nodes and depth were found, and checked,
// when the shape was learnt. What is left is to compare bytes and to shift offsets, which is most of the work on a long
// list of alike lines.
func (s *scanner) foreseen(i int) int {
	if s.textTo == i {
		return i // a text before goes on here
	}
	x := &s.lex.shapes
	for {
		e, rest := x.expected(s.spot), s.src[i:]
		number := e.likely
		h := &x.list[number]
		if !x.begins(rest, h) {
			number = e.other
			if h = &x.list[number]; !x.begins(rest, h) {
				return i
			}
		}
		if cap(s.nodes)-len(s.nodes) < s.most(h) {
			return i
		}
		next, stop := i, false
		switch Kind(h.tag >> kindShift) {
		case KindElement:
			next, stop = s.opened(h, number, i)
		case KindComment:
			next = s.commented(h, i)
		default:
			next, stop = s.closed(h, i)
		}
		if i = next; stop {
			return i
		}
	}
}

// most is how many nodes a shape brings at most: white space, element, attributes and text. It is asked once for each
// tag; what adds the nodes then lengthens the slice without asking.
func (s *scanner) most(h *shape) int { return 3 + int(h.tag&attrMask>>nameBits) }

// begins tells whether src begins with the white space and tag of a shape.
func (x *shapes) begins(src []byte, h *shape) bool {
	return int(h.length) <= len(src) && same(src[:h.length], x.text[h.at:])
}

// same tells whether b begins with a. The last word overlaps the one before it instead of leaving bytes over.
func same(a, b []byte) bool {
	n := len(a)
	if n < 8 || n > 64 {
		return string(a) == string(b[:n])
	}
	b = b[:n]
	for k := 0; k < len(a)-8 && k < len(b)-8; k += 8 {
		if word(a, k) != word(b, k) {
			return false
		}
	}
	return word(a, len(a)-8) == word(b, len(b)-8)
}

// white adds the node of the white space of a shape at i.
func (s *scanner) white(h *shape, i int) {
	if h.blank == 0 || s.strip {
		return
	}
	k := len(s.nodes)
	s.nodes = s.nodes[:k+1]
	n := &s.nodes[k]
	n.tag, n.parent, n.end, n.offset = uint32(KindText)<<kindShift, s.cur, Node(k+1), uint32(i)
	w := h.white
	if w == 0 {
		w = sliceWord(i+int(h.skip), i+int(h.blank))
	}
	n.value.set(w)
}

// opened adds the element of the start tag of a shape at i, and its text and end if it has no other content. It gives where it is done
// reading, and whether something follows that is not foreseen.
func (s *scanner) opened(h *shape, number uint32, i int) (next int, stop bool) {
	s.white(h, i)
	at, me := i+int(h.blank), len(s.nodes)
	s.nodes = s.nodes[:me+1]
	n := &s.nodes[me]
	n.tag, n.parent, n.offset = h.tag, s.cur, uint32(at)
	n.value.set(0)
	i += int(h.length)
	if attrs := h.tag & attrMask >> nameBits; attrs > 0 {
		s.attributesOf(h, Node(me), at)
	}
	shadow := len(s.shadows)
	if h.declares > 0 {
		s.declarationsOf(h, Node(me), at)
	}
	if h.end == 0 {
		n.end = Node(len(s.nodes))
		s.restore(shadow)
		s.spot = after(number)
		return i, len(s.open) == 0
	}
	plain := i < len(s.src) && s.src[i] > ' ' && s.src[i] != '<'
	if plain && h.declares == 0 {
		if end := s.plainElement(h, n, Node(me), i); end > 0 {
			s.spot = after(number)
			return end, false
		}
	}
	s.open = append(s.open, frame{number: h.number, shape: number, node: Node(me), shadow: uint32(shadow)})
	s.cur, s.spot = Node(me), inside(number)
	return i, plain
}

// plainElement reads from i on the text and the end tag of an element of a shape, 0 if there is anything else.
func (s *scanner) plainElement(h *shape, n *node, me Node, i int) (next int) {
	src := s.src
	k := textEnd(src, i)
	end := k + int(h.end)
	if end > len(src) || i+8 > len(src) || k-i > s.limits.TextBytes || !same(src[k:end], s.lex.shapes.text[h.at+h.length:]) {
		return 0
	}
	w := sliceWord(i, k)
	if k-i <= mostInNode {
		w = shortWord(word(src, i), k-i)
	}
	l := len(s.nodes)
	s.nodes = s.nodes[:l+1]
	t := &s.nodes[l]
	t.tag, t.parent, t.end, t.offset = uint32(KindText)<<kindShift, me, Node(l+1), uint32(i)
	t.value.set(w)
	n.value.set(w)
	n.end = Node(l + 1)
	return end
}

// closed ends the open element with the end tag of a shape at i. It gives where it is done reading, and whether nothing is foreseen.
func (s *scanner) closed(h *shape, i int) (next int, stop bool) {
	if s.strip && h.blank > 0 && s.spot == inside(s.around()) {
		return i, true // white space that may be all there is
	}
	s.white(h, i)
	s.close(&s.open[len(s.open)-1])
	return i + int(h.length), len(s.open) == 0
}

// commented adds the comment of a shape at i.
func (s *scanner) commented(h *shape, i int) (next int) {
	s.white(h, i)
	k := len(s.nodes)
	s.nodes = s.nodes[:k+1]
	n := &s.nodes[k]
	at := i + int(h.blank)
	i += int(h.length)
	n.tag, n.parent, n.end, n.offset = h.tag, s.cur, Node(k+1), uint32(at)
	n.value.set(sliceWord(at+len("<!--"), i-len("-->")))
	return i
}

// attributesOf adds the attributes of the start tag of a shape at a place, that of the element me.
func (s *scanner) attributesOf(h *shape, me Node, at int) {
	for _, a := range s.lex.shapes.attrs[h.attrs : h.attrs+h.tag&attrMask>>nameBits] {
		k := len(s.nodes)
		s.nodes = s.nodes[:k+1]
		n := &s.nodes[k]
		n.tag, n.parent, n.end, n.offset = a.tag, me, Node(k+1), a.offset+uint32(at)
		w := a.value.word()
		if a.value[7]&inNode == 0 {
			w += uint64(at) * bothOffsets
		}
		n.value.set(w)
	}
}

// declarationsOf makes the namespace declarations of the start tag of a shape at a place, that of the element me.
func (s *scanner) declarationsOf(h *shape, me Node, at int) {
	for _, d := range s.lex.shapes.decls[h.decls : h.decls+h.declares] {
		s.decls = append(s.decls, declaration{owner: me, prefix: d.prefix + uint32(at), length: d.length, uri: d.uri})
		s.shadows = append(s.shadows, shadowed{d.number, s.binding(d.number)})
		s.bind(d.number, d.space)
	}
}
