package xmltree

import (
	"sync"
	"sync/atomic"
)

// XMLSpace is the namespace name that the prefix xml always stands for.
const XMLSpace = "http://www.w3.org/XML/1998/namespace"

// xmlnsSpace is what the prefix xmlns is bound to by definition; nothing may be bound to it (Namespaces in XML 1.0,
// clause 3).
const xmlnsSpace = "http://www.w3.org/2000/xmlns/"

// NameID is an expanded name within one Names table: small, dense, from 1. 0 means no name.
type NameID uint32

// Name is an expanded name.
type Name struct {
	Space string // namespace name, empty for none
	Local string
}

// Names is a table of expanded names that only grows, safe for concurrent use. The documents of one Parser share a table
// until it has grown large, then a new one begins. A program with names of its own keeps, per table, an array from NameID to
// its numbers, and extends it up to Document.NameLimit: no lookups are left once the usual names are known.
//
// Readers take the list as it is at that moment and never wait. Additions are made under mu and may use the memory behind
// an older list: nobody looks beyond the length of the list that he took.
type Names struct {
	list atomic.Pointer[[]Name]

	mu     sync.RWMutex
	ids    map[Name]NameID
	spaces map[string]uint32 // namespace name to number, "" is 0
	uris   []string
	bytes  int
}

// A parser begins a new table when the present one holds more than this: hostile documents must not pin memory for ever.
const (
	fullNames = 8_192
	fullBytes = 1 << 20
)

func newNames() *Names {
	t := &Names{ids: map[Name]NameID{}, spaces: map[string]uint32{"": 0}, uris: []string{""}}
	t.list.Store(&[]Name{{}})
	return t
}

// Len is one more than the highest NameID in the table.
func (t *Names) Len() int { return len(*t.list.Load()) }

// Name is the expanded name of id, which must be below Len.
func (t *Names) Name(id NameID) Name { return (*t.list.Load())[id] }

// Lookup is the id of an expanded name, 0 when the table does not hold it.
func (t *Names) Lookup(space, local string) NameID {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.ids[Name{space, local}]
}

func (t *Names) full() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.ids) > fullNames || len(t.uris) > fullNames || t.bytes > fullBytes
}

// space gives a namespace name its number.
func (t *Names) space(uri []byte) uint32 {
	t.mu.RLock()
	id, ok := t.spaces[string(uri)]
	t.mu.RUnlock()
	if ok {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, ok = t.spaces[string(uri)]; ok {
		return id
	}
	id = uint32(len(t.uris))
	s := string(uri)
	t.uris = append(t.uris, s)
	t.spaces[s] = id
	t.bytes += len(s)
	return id
}

func (t *Names) uri(space uint32) string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.uris[space]
}

// intern gives an expanded name its id; 0 when the table can hold no more. The bound is the number of bits that a node
// has for its name.
func (t *Names) intern(space uint32, local []byte) NameID {
	t.mu.RLock()
	uri := t.uris[space]
	id := t.ids[Name{uri, string(local)}]
	t.mu.RUnlock()
	if id != 0 {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if id = t.ids[Name{uri, string(local)}]; id != 0 {
		return id
	}
	list := *t.list.Load()
	if len(list) > nameMask {
		return 0
	}
	name := Name{uri, string(local)}
	id = NameID(len(list))
	list = append(list, name)
	t.ids[name] = id
	t.bytes += len(name.Local)
	t.list.Store(&list)
	return id
}
