package xmltree

import (
	"bytes"
	"slices"
)

// Cut gives an element below the document element as a document of its own: its bytes as they stand in the source, and with them the
// namespaces that the document element declares for it. Those of prefixes are there even where no name needs them, since texts may mean
// them; of the document element's own namespace only what an element needs.
func (d *Document) Cut(n Node) []byte {
	start, end := d.Offset(n), d.endOf(n)
	name := start + 1 + len(d.QName(n))
	out := slices.Clone(d.src[start:name])
	unprefixed, ours := d.needs(n)
	for prefix, uri := range d.Declarations(d.Root()) {
		if d.declares(n, prefix) || prefix == "" && !unprefixed || prefix != "" && uri == d.Namespace(d.Root()) && !ours {
			continue
		}
		out = append(out, " xmlns"...)
		if prefix != "" {
			out = append(append(out, ':'), prefix...)
		}
		out, _ = appendEscaped(append(out, `="`...), uri, true)
		out = append(out, '"')
	}
	return append(out, d.src[name:end]...)
}

// needs tells whether some elements within n are in a namespace without a prefix, and whether some are in that of the document element.
func (d *Document) needs(n Node) (unprefixed, ours bool) {
	for m := n; m < d.End(n); m++ {
		if d.Kind(m) == KindElement {
			unprefixed = unprefixed || d.Prefix(m) == nil && d.Namespace(m) != ""
			ours = ours || d.Namespace(m) == d.Namespace(d.Root())
		}
	}
	return unprefixed, ours
}

// declares tells whether an element declares a prefix itself.
func (d *Document) declares(n Node, prefix string) bool {
	for own := range d.Declarations(n) {
		if own == prefix {
			return true
		}
	}
	return false
}

// endOf is where the source of an element below the document element ends: behind the last > before what follows it.
func (d *Document) endOf(n Node) int {
	bound := len(d.src)
	if next := d.NextSibling(n); next != None {
		bound = d.Offset(next)
	} else {
		if after := d.NextSibling(d.Root()); after != None {
			bound = d.Offset(after)
		}
		bound = bytes.LastIndex(d.src[:bound], []byte("</"))
	}
	return bytes.LastIndexByte(d.src[:bound], '>') + 1
}
