package xmltree

// startTag reads the start tag or empty-element tag at i. The name of the element is resolved after the attributes,
// because declarations in a tag hold for its own name (Namespaces in XML 1.0, clause 6.1).
func (s *scanner) startTag(i int) int {
	number, j := s.name(i + 1)
	if j < 0 {
		return j
	}
	if len(s.open) >= s.limits.Depth {
		return s.fail(LimitDepth, i, "the elements are nested more than %d deep", s.limits.Depth)
	}
	me, shadow := Node(len(s.nodes)), len(s.shadows)
	n := s.slot()
	if n == nil {
		return s.tooManyNodes(i)
	}
	n.tag, n.parent, n.end, n.offset, n.value = 0, s.cur, 0, uint32(i), value{}
	s.empty = false
	if j < len(s.src) && s.src[j] == '>' {
		j++
	} else if j = s.attributes(i, j, me, number); j < 0 {
		return j
	}
	e := &s.lex.entries[number]
	name := s.resolve(e, i)
	if name == 0 || !s.meet(name, i) {
		return -1
	}
	attrs := uint32(len(s.nodes)) - uint32(me) - 1
	s.nodes[me].tag = uint32(KindElement)<<kindShift | attrs<<nameBits | uint32(name)
	shape := s.learnStart(i, j, me, number)
	if s.empty {
		s.nodes[me].end = Node(len(s.nodes))
		s.restore(shadow)
		s.spot = after(shape)
		return j
	}
	if next := s.shortElement(me, e.raw, j); next != 0 {
		s.restore(shadow)
		s.spot = after(shape)
		return next
	}
	s.open = append(s.open, frame{number: number, shape: shape, node: me, shadow: uint32(shadow)})
	s.cur, s.spot = me, inside(shape)
	return j
}

// shortElement reads from j on what follows the start tag of me, if that is nothing but plain text and the end tag: most elements are
// like that, and need not be kept open. It is 0 for others.
func (s *scanner) shortElement(me Node, name string, j int) (next int) {
	src := s.src
	if j >= len(src) || src[j] == '\n' || src[j] == '\r' {
		return 0 // most likely before a child
	}
	k := textEnd(src, j)
	end := k + len("</") + len(name)
	if end >= len(src) || src[k] != '<' || src[k+1] != '/' || src[end] != '>' || string(src[k+2:end]) != name {
		return 0
	}
	if k > j {
		parent, text := s.cur, shortened(src, uint32(j), uint32(k))
		s.cur = me
		if s.addText(j, k, text) < 0 {
			return -1
		}
		s.cur = parent
		s.nodes[me].value = text
	}
	s.nodes[me].end = Node(len(s.nodes))
	return end + 1
}

// endTag reads the end tag at i. Its name is the same text as that of the start tag, prefix included (XML 1.0 clause 3,
// Element Type Match).
func (s *scanner) endTag(i int) int {
	f := &s.open[len(s.open)-1]
	name := s.lex.entries[f.number].raw
	j := i + 2 + len(name)
	if j >= len(s.src) || string(s.src[i+2:j]) != name {
		return s.mismatch(i, f)
	}
	if s.src[j] != '>' {
		if j = skipSpace(s.src, j); j >= len(s.src) || s.src[j] != '>' {
			return s.mismatch(i, f)
		}
	}
	s.learnEnd(i, j+1)
	s.close(f)
	return j + 1
}

// close closes the open element, whose frame is given.
func (s *scanner) close(f *frame) {
	n := &s.nodes[f.node]
	n.end = Node(len(s.nodes))
	s.closeValue(n, f.node)
	s.cur, s.spot = n.parent, after(f.shape)
	if int(f.shadow) != len(s.shadows) {
		s.restore(int(f.shadow))
	}
	s.open = s.open[:len(s.open)-1]
}

// closeValue gives an element the value of its only text child, nothing when it is empty, and marks it otherwise.
func (s *scanner) closeValue(n *node, me Node) {
	first := me + 1 + Node(n.tag&attrMask>>nameBits)
	switch {
	case n.end == first:
	case n.end == first+1 && s.nodes[first].tag == uint32(KindText)<<kindShift:
		n.value = s.nodes[first].value
	default:
		n.value = complexContent
	}
}

func (s *scanner) mismatch(i int, f *frame) int {
	end := nameEnd(s.src, i+2)
	return s.fail(TagMismatch, i, "the end tag </%s> does not match the start tag <%s>", shown(s.src[i+2:end]), shown([]byte(s.lex.entries[f.number].raw)))
}

// attributes reads the attributes of the tag that began at start, from j on, up to its end; element is the
// number of its name.
func (s *scanner) attributes(start, j int, me Node, element uint32) int {
	src, name := s.src, element
	for decls := 0; ; {
		k := skipSpace(src, j)
		if k >= len(src) {
			return s.fail(NotWellFormed, start, "the tag has no end")
		}
		switch c := src[k]; {
		case c == '>':
			return s.resolveAttributes(me, k+1)
		case c == '/' && k+1 < len(src) && src[k+1] == '>':
			s.empty = true
			return s.resolveAttributes(me, k+2)
		case k == j:
			return s.fail(NotWellFormed, k, "white space must stand between a name or value and what follows it in a tag")
		}
		before := len(s.nodes)
		if name, j = s.attrName(k, name); j < 0 {
			return j
		}
		if j = s.attribute(k, j, name, me); j < 0 {
			return j
		}
		if len(s.nodes) == before {
			decls++
		}
		// Declarations make no nodes, and count all the same.
		if len(s.nodes)-int(me)-1+decls > s.limits.Attributes {
			return s.fail(LimitAttributes, k, "an element has more than %d attributes", s.limits.Attributes)
		}
	}
}

// attribute reads the attribute or namespace declaration at i, whose name ends at j.
func (s *scanner) attribute(i, j int, number uint32, me Node) int {
	e, src := &s.lex.entries[number], s.src
	if j = skipSpace(src, j); j >= len(src) || src[j] != '=' {
		return s.fail(NotWellFormed, i, "the attribute %s has no value", shown([]byte(e.raw)))
	}
	if j = skipSpace(src, j+1); j >= len(src) || src[j] != '"' && src[j] != '\'' {
		return s.fail(NotWellFormed, i, "the value of the attribute %s is not quoted", shown([]byte(e.raw)))
	}
	quote, mark := src[j], len(s.decoded)
	from, to := uint32(j+1), uint32(0)
	end := attrEnd(src, j+1, quote)
	if end < len(src) && src[end] == quote {
		to = uint32(end)
	} else {
		from = uint32(mark) | inDecoded
		if end = s.decodedValue(j+1, end, quote); end < 0 {
			return end
		}
		to = uint32(len(s.decoded))
	}
	if end-j > s.limits.TextBytes {
		return s.textTooLong(j)
	}
	if e.decl {
		if !s.declare(me, e, i, s.between(from, to)) {
			return -1
		}
		s.decoded = s.decoded[:mark] // no node has the name of a namespace as its value
		return end + 1
	}
	n := s.slot()
	if n == nil {
		return s.tooManyNodes(i)
	}
	n.tag, n.parent, n.end, n.offset, n.value = number, me, Node(len(s.nodes)), uint32(i), shortened(src, from, to)
	return end + 1
}

// decodedValue decodes the attribute value from i on, plain up to j, with white space made spaces (XML 1.0 clause 3.3.3).
func (s *scanner) decodedValue(i, j int, quote byte) int {
	s.decoded = append(s.decoded, s.src[i:min(j, len(s.src))]...)
	for j < len(s.src) {
		switch s.src[j] {
		case quote:
			return j
		case '<':
			return s.fail(NotWellFormed, j, "< must not stand in an attribute value; write &lt;")
		case '&':
			if s.decoded, j = s.reference(s.decoded, j); j < 0 {
				return j
			}
		case '\r':
			j = s.lineEnd(j)
			s.decoded[len(s.decoded)-1] = ' '
		case '\n', '\t':
			s.decoded = append(s.decoded, ' ')
			j++
		default:
			return s.illegal(j)
		}
		k := attrEnd(s.src, j, quote)
		s.decoded = append(s.decoded, s.src[j:k]...)
		j = k
	}
	return s.fail(NotWellFormed, i-1, "the attribute value has no end")
}

func (s *scanner) between(from, to uint32) []byte {
	if from&inDecoded != 0 {
		return s.decoded[from&^inDecoded : to]
	}
	return s.src[from:to]
}

// resolveAttributes gives the attributes of me their expanded names, now that all declarations of the tag are known, and
// refuses doubles. Until then the tag of an attribute's node is the number of its entry. Attributes without prefix are in
// no namespace (Namespaces in XML 1.0, clause 6.2), and two are doubles when their expanded names are equal, whatever the
// prefixes (clause 6.3). Each element has a stamp of its own, so that nothing has to be cleared between elements.
func (s *scanner) resolveAttributes(me Node, next int) int {
	s.stamp++
	for a := int(me) + 1; a < len(s.nodes); a++ {
		e := &s.lex.entries[s.nodes[a].tag]
		at := int(s.nodes[a].offset)
		name := NameID(0)
		if e.prefix == prefixNone {
			name = s.bareName(e, at)
		} else {
			name = s.resolve(e, at)
		}
		if name == 0 || !s.meet(name, at) {
			return -1
		}
		if s.stamps[name] == s.stamp {
			return s.fail(DuplicateAttribute, at, "the attribute %s stands twice on one element", shown([]byte(e.raw)))
		}
		s.stamps[name] = s.stamp
		s.nodes[a].tag = uint32(KindAttribute)<<kindShift | uint32(name)
	}
	return next
}
