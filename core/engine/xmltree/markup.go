package xmltree

import "bytes"

// declarationOrComment reads what begins with <! at i: a comment or a CDATA section. Anything else is refused.
func (s *scanner) declarationOrComment(i int) int {
	switch rest := s.src[i:]; {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return s.comment(i)
	case bytes.HasPrefix(rest, []byte("<![CDATA[")) && len(s.open) > 0:
		return s.cdata(i)
	case bytes.HasPrefix(rest, []byte("<!DOCTYPE")):
		return s.fail(DoctypeRefused, i, "the document has a DOCTYPE, which is not accepted")
	}
	return s.fail(NotWellFormed, i, "<! begins neither a comment nor a CDATA section here")
}

// comment reads a comment. commentEnd stops at two hyphens or at a character that is none of XML, and two hyphens may only
// begin the end (XML 1.0, 2.5).
func (s *scanner) comment(i int) int {
	from := i + len("<!--")
	to := commentEnd(s.src, from)
	switch {
	case to == len(s.src):
		return s.fail(NotWellFormed, i, "the comment has no end")
	case s.src[to] != '-':
		return s.illegal(to)
	case to+2 >= len(s.src) || s.src[to+2] != '>':
		return s.fail(NotWellFormed, to, "two hyphens must not stand inside a comment")
	}
	next := s.leaf(KindComment, 0, i, from, to, to+3)
	if next > 0 {
		s.learnComment(i, next)
	}
	return next
}

// cdata reads a CDATA section. It is one text with what stands directly before and behind it, since the data model has no two
// texts side by side: hence an empty section inside a text is read on to its end.
func (s *scanner) cdata(i int) int {
	from := i + len("<![CDATA[")
	n := bytes.Index(s.src[from:], []byte("]]>"))
	if n < 0 {
		return s.fail(NotWellFormed, i, "the CDATA section has no end")
	}
	to, next := from+n, from+n+3
	switch bad := firstIllegal(s.src[from:to]); {
	case bad >= 0:
		return s.illegal(from + bad)
	case n == 0 && s.textTo != i:
		return next
	case s.textTo != i && bytes.IndexByte(s.src[from:to], '\r') < 0:
		return s.addText(i, next, shortened(s.src, uint32(from), uint32(to)))
	}
	mark := len(s.decoded)
	s.decoded = appendLines(s.decoded, s.src[from:to])
	return s.addDecoded(i, next, mark)
}

// instruction reads a processing instruction. Its target has no colon (Namespaces in XML, 7), and none is xml in whatever
// case (XML 1.0, 2.6).
func (s *scanner) instruction(i int) int {
	number, from := s.name(i + 2)
	if from < 0 {
		return -1
	}
	e := &s.lex.entries[number]
	switch {
	case e.local != 0:
		return s.fail(NamespaceError, i, "the target of a processing instruction must not have a colon")
	case len(e.raw) == 3 && bytes.EqualFold([]byte(e.raw), []byte("xml")):
		return s.fail(NotWellFormed, i, "an XML declaration may stand only at the very beginning of the document")
	}
	n := bytes.Index(s.src[from:], []byte("?>"))
	if n < 0 {
		return s.fail(NotWellFormed, i, "the processing instruction has no end")
	}
	to := from + n
	if n > 0 && !isSpace(s.src[from]) {
		return s.fail(NotWellFormed, from, "white space must follow the target of a processing instruction")
	}
	if bad := firstIllegal(s.src[from:to]); bad >= 0 {
		return s.illegal(from + bad)
	}
	name := s.bareName(e, i)
	if name == 0 {
		return -1
	}
	return s.leaf(KindInstruction, name, i, min(skipSpace(s.src, from), to), to, to+2)
}

// leaf adds a comment or processing instruction with the value from, to.
func (s *scanner) leaf(kind Kind, name NameID, i, from, to, next int) int {
	if next-i > s.limits.TextBytes {
		return s.textTooLong(i)
	}
	n := s.slot()
	if n == nil {
		return s.tooManyNodes(i)
	}
	*n = node{tag: uint32(kind)<<kindShift | uint32(name), parent: s.cur, end: Node(len(s.nodes)), offset: uint32(i), value: shortened(s.src, uint32(from), uint32(to))}
	if bytes.IndexByte(s.src[from:to], '\r') >= 0 {
		first := uint32(len(s.decoded)) | inDecoded
		s.decoded = appendLines(s.decoded, s.src[from:to])
		n.value = valueAt(first, uint32(len(s.decoded)))
	}
	return next
}
