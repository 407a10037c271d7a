package xpath

// stepTable numbers pairs of a path and a name: a hash table with linear probing, because it is asked for each node.
type stepTable struct {
	keys    []uint64 // 0 where there is none
	numbers []uint32
	used    int
	shift   uint8 // of a hash, to make it a place
}

// fewSteps is the size of a new table.
const fewSteps = 1 << 8

func (t *stepTable) clear() {
	if t.keys == nil {
		t.resize(fewSteps)
	}
	clear(t.keys)
	t.used = 0
}

// resize makes the table one of another size, a power of two, with nothing in it.
func (t *stepTable) resize(size int) {
	t.keys, t.numbers, t.used, t.shift = make([]uint64, size), make([]uint32, size), 0, 64
	for ; size > 1; size /= 2 {
		t.shift--
	}
}

// number gives the number of a key that is not 0; a new key gets the one that is offered.
func (t *stepTable) number(key uint64, offered uint32) (number uint32, isNew bool) {
	at := t.place(key)
	if t.keys[at] == key {
		return t.numbers[at], false
	}
	if t.used*2 >= len(t.keys) {
		old := *t
		t.resize(2 * len(old.keys))
		for i, k := range old.keys {
			if k != 0 {
				t.put(t.place(k), k, old.numbers[i])
			}
		}
		at = t.place(key)
	}
	t.put(at, key, offered)
	return offered, true
}

func (t *stepTable) put(at int, key uint64, number uint32) {
	t.keys[at], t.numbers[at] = key, number
	t.used++
}

// place finds where a key is or belongs. The multiplier spreads neighbouring keys: 2^64 by the golden ratio.
func (t *stepTable) place(key uint64) int {
	at := int(key * 0x9E3779B97F4A7C15 >> t.shift)
	for t.keys[at] != 0 && t.keys[at] != key {
		at = (at + 1) & (len(t.keys) - 1)
	}
	return at
}
