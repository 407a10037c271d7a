package xmltree

// Parent is the parent of n, an attribute's element included; None for the document node.
func (d *Document) Parent(n Node) Node { return d.nodes[n].parent }

// End is one past the last node of n's subtree: its descendants and attributes are n+1 up to End(n). For nodes other than
// elements and the document it is n+1.
func (d *Document) End(n Node) Node { return d.nodes[n].end }

// Attributes gives the first attribute of n and their number; they are consecutive.
func (d *Document) Attributes(n Node) (first Node, count int) {
	return n + 1, int(d.nodes[n].tag & attrMask >> nameBits)
}

// Attr is the attribute of n with that name, or None.
func (d *Document) Attr(n Node, name NameID) Node {
	want := uint32(KindAttribute)<<kindShift | uint32(name)
	first, count := d.Attributes(n)
	for a := first; a < first+Node(count); a++ {
		if d.nodes[a].tag == want {
			return a
		}
	}
	return None
}

// AttrValue is the value of the attribute of n with that local name and no namespace.
func (d *Document) AttrValue(n Node, local string) (value []byte, ok bool) {
	first, count := d.Attributes(n)
	for a := first; a < first+Node(count); a++ {
		if name := &d.names[d.Name(a)]; name.Local == local && name.Space == "" {
			return d.Value(a), true
		}
	}
	return nil, false
}

// Children gives bounds for a loop over the children of n: for c := first; c < end; c = d.End(c).
func (d *Document) Children(n Node) (first, end Node) {
	nd := &d.nodes[n]
	return n + 1 + Node(nd.tag&attrMask>>nameBits), nd.end
}

// Sibling finds the first element of a name among siblings from n on: it is at, and end where there is none before that, which is the end of Children.
// looked is how many of them it took. A path of steps does little else, so that it is one loop without calls.
func (d *Document) Sibling(n, end Node, name NameID) (at Node, looked int) {
	want := uint32(KindElement)<<kindShift | uint32(name)
	for nodes := d.nodes; n < end; {
		nd := &nodes[n]
		looked++
		if nd.tag&^attrMask == want {
			break
		}
		n = nd.end
	}
	return n, looked
}

// ChildNamed is the first element among the children of n whose name has that local part, in whichever namespace; None where there is
// none, and for None.
func (d *Document) ChildNamed(n Node, local string) Node {
	if n == None {
		return None
	}
	for c, end := d.Children(n); c < end; c = d.End(c) {
		if d.Kind(c) == KindElement && d.Local(c) == local {
			return c
		}
	}
	return None
}

// FirstChild is the first child of n, or None.
func (d *Document) FirstChild(n Node) Node {
	if first, end := d.Children(n); first < end {
		return first
	}
	return None
}

// LastChild is the last child of n, or None. It costs as many steps as the last branch is deep.
func (d *Document) LastChild(n Node) Node {
	first, end := d.Children(n)
	if first >= end {
		return None
	}
	return d.climb(end-1, n)
}

// NextSibling is the next sibling of n, or None; attributes have no siblings. What lies behind the subtree of n is its
// next sibling exactly if both have one parent. Behind the last attribute lies the first child, which has that parent,
// too: that is why attributes are asked for by kind.
func (d *Document) NextSibling(n Node) Node {
	nd := &d.nodes[n]
	next := nd.end
	if int(next) >= len(d.nodes) || d.nodes[next].parent != nd.parent || Kind(nd.tag>>kindShift) == KindAttribute {
		return None
	}
	return next
}

// PrevSibling is the previous sibling of n, or None; attributes have no siblings. It costs as many steps as the last branch
// of that sibling is deep.
func (d *Document) PrevSibling(n Node) Node {
	parent := d.nodes[n].parent
	if parent == None || d.Kind(n) == KindAttribute {
		return None
	}
	if first, _ := d.Children(parent); n <= first {
		return None
	}
	return d.climb(n-1, parent)
}

// climb goes up from n to the child of parent. The node before a sibling, or before the end of the parent, is the last
// one of a child's subtree, as the array is in document order.
func (d *Document) climb(n, parent Node) Node {
	for {
		up := d.nodes[n].parent
		if up == parent {
			return n
		}
		n = up
	}
}

// Child is the first child element of n with that name, or None.
func (d *Document) Child(n Node, name NameID) Node {
	first, end := d.Children(n)
	return d.find(first, end, name)
}

// Next is the next sibling element of n with the same name, or None.
func (d *Document) Next(n Node) Node {
	parent := d.nodes[n].parent
	if parent == None {
		return None
	}
	return d.find(d.nodes[n].end, d.nodes[parent].end, d.Name(n))
}

func (d *Document) find(c, end Node, name NameID) Node {
	want := uint32(KindElement)<<kindShift | uint32(name)
	for c < end {
		nd := &d.nodes[c]
		if nd.tag&^attrMask == want {
			return c
		}
		c = nd.end
	}
	return None
}
