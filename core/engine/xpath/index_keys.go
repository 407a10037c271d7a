package xpath

// index holds nodes by key, in document order. As long as they are few they are gone over; of many those of one key are chained.
type index struct {
	tag       cellTag
	candidate cellTag // what the index was wanted for last
	broken    bool    // a key cannot be computed
	entries   []indexEntry
	keys      []string         // of the entries, at most worthChains
	chains    map[string]chain // of the entries once there are worthChains
	prefixes  []string         // while it is filled by several parts: the key up to each of them
}

// worthChains is the number of entries from which on they are chained.
const worthChains = 12

type chain struct{ first, last int32 }

type indexEntry struct {
	node node
	next int32 // in the chain, -1 at the end
}

// reset empties the index.
func (x *index) reset() {
	if len(x.keys) == worthChains {
		clear(x.chains)
	}
	x.entries, x.keys, x.broken = x.entries[:0], x.keys[:0], false
}

// add puts a node under a key, once; nodes come in document order.
func (x *index) add(key string, n node) {
	if len(x.keys) == worthChains {
		x.chain(key, n)
		return
	}
	for at := len(x.keys) - 1; at >= 0 && x.entries[at].node == n; at-- {
		if x.keys[at] == key {
			return
		}
	}
	x.entries, x.keys = append(x.entries, indexEntry{n, -1}), append(x.keys, key)
	if len(x.keys) == worthChains {
		x.chainAll()
	}
}

// chainAll chains the entries that there are.
func (x *index) chainAll() {
	if x.chains == nil {
		x.chains = map[string]chain{}
	}
	few := x.entries
	x.entries = few[:0]
	for at, key := range x.keys {
		x.chain(key, few[at].node)
	}
}

// chain adds a node at the end of the chain of its key.
func (x *index) chain(key string, n node) {
	at := int32(len(x.entries))
	c, ok := x.chains[key]
	switch {
	case !ok:
		c.first = at
	case x.entries[c.last].node == n:
		return
	default:
		x.entries[c.last].next = at
	}
	c.last = at
	x.chains[key] = c
	x.entries = append(x.entries, indexEntry{n, -1})
}

// hits hands the nodes of a key to a sink.
func (x *index) hits(m *Machine, key string, sink nodeSink) bool {
	if len(x.keys) < worthChains {
		return x.hitsOfFew(m, key, sink)
	}
	c, ok := x.chains[key]
	if !ok {
		return false
	}
	for at := c.first; at >= 0; at = x.entries[at].next {
		m.tick(1)
		if sink(m, x.entries[at].node) {
			return true
		}
	}
	return false
}

func (x *index) hitsOfFew(m *Machine, key string, sink nodeSink) bool {
	for at, has := range x.keys {
		if has != key {
			continue
		}
		m.tick(1)
		if sink(m, x.entries[at].node) {
			return true
		}
	}
	return false
}
