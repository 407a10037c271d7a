package regex

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// direct matches patterns of characters with counts without looking back: those that are bound to the start of the text and leave no
// choice, such as ^\d{4}-\d{2}$, because the character after a run of varying length tells where it ends, and short ones of one length,
// such as urn:peppol, wherever they stand. Of other patterns it tells texts apart that lack a character that every match has.
type direct struct {
	items  []directItem
	head   string       // what every match begins with: of the first items, those that are one character
	tail   []directItem // the items after them
	end    bool         // bound to the end of the text
	exact  bool         // without choice and bound to the start of the text
	tried  bool         // all matches have one length, which is short, and stand anywhere
	single bool         // one character, wherever it stands
	needed int          // the first item that a match must have; -1 when there is none
}

// mostTried bounds the length of what is tried at each character of a text, so that the time stays linear in the text.
const mostTried = 64

// directItem is a run of characters of a set.
type directItem struct {
	ascii    [2]uint64 // the set's part below 128, a bit for each character
	set      set
	min, max int // max -1 for no bound
}

// newDirect gives the matcher of a pattern; nil when the pattern is of another form.
func newDirect(n node, d dialect) *direct {
	c := newCounted(n, d)
	if c == nil || len(c.items) == 0 {
		return nil
	}
	m := &direct{end: c.end, exact: c.start && certain(c.items)}
	m.single = len(c.items) == 1 && c.items[0].min == 1 && c.items[0].max == 1 && !c.start && !c.end
	for _, i := range c.items {
		item := directItem{set: i.set, min: i.min, max: i.max}
		for r := range rune(utf8.RuneSelf) {
			if i.set.has(r) {
				item.ascii[r>>6] |= 1 << (r & 63)
			}
		}
		m.items = append(m.items, item)
	}
	m.needed = slices.IndexFunc(m.items, func(i directItem) bool { return i.min > 0 })
	if !m.exact && (c.start || m.needed < 0) {
		return nil
	}
	m.tried = !c.start && !c.end && !m.single && isShort(c.items)
	m.cut(c.items)
	return m
}

// isShort tells whether all texts that runs match have one length that is not too long to be tried anywhere.
func isShort(items []countedItem) bool {
	length := 0
	for _, i := range items {
		if i.min != i.max || i.min > mostTried-length {
			return false
		}
		length += i.min
	}
	return true
}

// cut finds head and tail.
func (d *direct) cut(items []countedItem) {
	for n, i := range items {
		isOne := len(i.set) == 1 && i.set[0].lo == i.set[0].hi && i.set[0].lo < utf8.RuneSelf
		if !isOne || i.min != i.max || i.min > mostTried-len(d.head) {
			d.tail = d.items[n:]
			return
		}
		d.head += strings.Repeat(string(i.set[0].lo), i.min)
	}
}

// certain tells whether taking as many characters as possible is right for every item: where their number varies, no character
// of the item may belong to what can follow it.
func certain(items []countedItem) bool {
	for i, item := range items {
		if item.min == item.max {
			continue
		}
		for _, next := range items[i+1:] {
			if item.set.meets(next.set) {
				return false
			}
			if next.min > 0 {
				break
			}
		}
	}
	return true
}

// meets tells whether two sets have a character in common.
func (s set) meets(other set) bool {
	return slices.ContainsFunc(s, func(a span) bool {
		return slices.ContainsFunc(other, func(b span) bool { return a.lo <= b.hi && b.lo <= a.hi })
	})
}

// has tells whether the set of the item holds r.
func (i *directItem) has(r rune) bool {
	if r < utf8.RuneSelf {
		return i.ascii[r>>6]>>(r&63)&1 != 0
	}
	return i.set.has(r)
}

// match tells whether the text matches from its start on; of use where there is no choice.
func (d *direct) match(s string) bool {
	rest, ok := strings.CutPrefix(s, d.head)
	return ok && d.follows(rest)
}

// follows tells whether the items after the head match from the start of a text on.
func (d *direct) follows(s string) bool {
	for n := range d.tail {
		item := &d.tail[n]
		count, size := item.run(s)
		if count < item.min {
			return false
		}
		s = s[size:]
	}
	return !d.end || s == ""
}

// run counts the characters of the item that a text begins with, at most as many as it may have, and their bytes.
func (i *directItem) run(s string) (count, size int) {
	for size < len(s) && count != i.max {
		if c := s[size]; c < utf8.RuneSelf {
			if i.ascii[c>>6&1]>>(c&63)&1 == 0 {
				break
			}
			size++
		} else {
			r, n := utf8.DecodeRuneInString(s[size:])
			if !i.set.has(r) {
				break
			}
			size += n
		}
		count++
	}
	return count, size
}

// anywhere tells whether the text matches from one of its characters on.
func (d *direct) anywhere(s string) bool {
	for {
		at := strings.Index(s, d.head)
		if at < 0 || d.follows(s[at+len(d.head):]) {
			return at >= 0
		}
		if s = s[at:]; s == "" {
			return false
		}
		_, size := decode(s)
		s = s[size:]
	}
}

// decode gives the first character of s and its size.
func decode(s string) (r rune, size int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// find gives the first place of a character of the item and its size, -1 when there is none.
func (i *directItem) find(s string) (at, size int) {
	for at := 0; at < len(s); at += size {
		var r rune
		if r, size = decode(s[at:]); i.has(r) {
			return at, size
		}
	}
	return -1, 0
}

// answer tells whether the text matches where that can be told; ok is false where it cannot.
func (d *direct) answer(s string) (matches, ok bool) {
	switch {
	case d == nil:
		return false, false
	case d.exact:
		return d.match(s), true
	case d.tried:
		return d.anywhere(s), true
	}
	nowhere := d.nowhere(s)
	return !nowhere, d.single || nowhere
}

// nowhere tells whether a search surely finds nothing.
func (d *direct) nowhere(s string) bool {
	if d == nil || d.needed < 0 {
		return false
	}
	at, _ := d.items[d.needed].find(s)
	return at < 0
}

// split cuts s at the single characters that match.
func (d *direct) split(s string) []string {
	var parts []string
	for {
		at, size := d.items[0].find(s)
		if at < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:at])
		s = s[at+size:]
	}
}
