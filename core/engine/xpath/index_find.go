package xpath

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// find compiles the look-up of the values; ok is false when one is not of the sort of the keys.
func (k *compiler) find(l lookup, at int, rest nodeSink) func(m *Machine, f node) (stop, ok bool) {
	if len(l.parts) > 1 {
		return k.findByAll(l, at, rest)
	}
	values, list, sort := k.sequence(l.parts[0].value), place(&k.layout.lists), keysOf(l.parts[0].key)
	return func(m *Machine, f node) (stop, ok bool) {
		x, items := &m.indexes[at], values(m, f)
		if slices.ContainsFunc(items, func(i xdm.Item) bool { return !sort.has(i.Type()) }) {
			return false, false
		}
		if len(items) == 1 {
			return x.hits(m, sort.key(items[0]), rest), true
		}
		keys := make([]string, len(items))
		for i, item := range items {
			keys[i] = sort.key(item)
		}
		return x.hitsOfAll(m, keys, list, rest), true
	}
}

// findByAll is find for several parts. Where a value cannot be computed, ok is false: it may not be asked for where the node fails a
// predicate before.
func (k *compiler) findByAll(l lookup, at int, rest nodeSink) func(m *Machine, f node) (stop, ok bool) {
	keys, list := k.keysOfAll(l.parts), place(&k.layout.lists)
	return func(m *Machine, f node) (stop, ok bool) {
		x, wanted := &m.indexes[at], []string(nil)
		if !m.attempt(suspended{m.frame, m.item, m.pos, m.size}, func() { wanted, ok = keys(m, f) }) || !ok {
			return false, false
		}
		if len(wanted) == 1 {
			return x.hits(m, wanted[0], rest), true
		}
		return x.hitsOfAll(m, wanted, list, rest), true
	}
}

// hitsOfAll hands the nodes of several keys to a sink, each once and in document order; list is where the frame holds them.
func (x *index) hitsOfAll(m *Machine, keys []string, list int, sink nodeSink) bool {
	found := m.frame.lists[list][:0]
	for _, key := range keys {
		x.hits(m, key, func(_ *Machine, n node) bool { found = append(found, n); return false })
	}
	found = sortNodes(found)
	m.frame.lists[list] = found
	return slices.ContainsFunc(found, func(n node) bool { return sink(m, n) })
}

// keySeparator stands between the keys of several parts. No document has it.
const keySeparator = "\x00"

// keysOfAll compiles the keys that the values of several parts give together; ok is false when one is not of the sort of the keys.
func (k *compiler) keysOfAll(parts []keyPart) func(m *Machine, f node) (keys []string, ok bool) {
	values := make([]func(m *Machine, f node) []xdm.Item, len(parts))
	for i, p := range parts {
		values[i] = k.sequence(p.value)
	}
	return func(m *Machine, f node) (keys []string, ok bool) {
		for i, p := range parts {
			sort, before := keysOf(p.key), keys
			keys = nil
			for _, item := range values[i](m, f) {
				if !sort.has(item.Type()) {
					return nil, false
				}
				if i == 0 {
					keys = append(keys, sort.key(item))
				}
				for _, b := range before {
					keys = append(keys, b+keySeparator+sort.key(item))
				}
			}
		}
		return keys, true
	}
}
