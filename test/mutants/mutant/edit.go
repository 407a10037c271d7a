package mutant

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// edit puts text in the place of [from, to).
type edit struct {
	from, to int
	with     string
	note     string
}

// apply applies the edits that do not overlap, the earlier ones of the list first, and gives the notes of those.
func (d *Document) apply(edits []edit) (text []byte, notes []string) {
	var kept []edit
	for _, e := range edits {
		if !slices.ContainsFunc(kept, e.overlaps) {
			kept = append(kept, e)
			notes = append(notes, e.note)
		}
	}
	slices.SortStableFunc(kept, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	at := 0
	for _, e := range kept {
		text = append(append(text, d.text[at:e.from]...), e.with...)
		at = e.to
	}
	return append(text, d.text[at:]...), notes
}

// overlaps tells whether two edits touch the same text; insertions at one place do.
func (e edit) overlaps(other edit) bool {
	return e.from < other.to && other.from < e.to || e.from == other.from
}

func (d *Document) remove(e *element) edit {
	return edit{e.start, e.end, "", "removed " + e.path()}
}

func (d *Document) double(e *element) edit {
	return edit{e.end, e.end, d.source(e), "doubled " + e.path()}
}

// set gives a leaf another content, XML as it stands.
func (d *Document) set(e *element, content string) edit {
	note := fmt.Sprintf("%s: %q instead of %q", e.path(), content, d.value(e))
	if e.empty() {
		tag := strings.TrimSuffix(d.source(e), "/>")
		return edit{e.start, e.end, tag + ">" + content + "</" + e.qualified() + ">", note}
	}
	return edit{e.open, e.close, content, note}
}

func (e *element) qualified() string {
	if e.prefix == "" {
		return e.name
	}
	return e.prefix + ":" + e.name
}

// insert puts XML into an element, after a child or, where that is nil, before all.
func (d *Document) insert(into, after *element, content, name string) edit {
	note := "inserted " + into.path() + "/" + name
	switch {
	case after != nil:
		return edit{after.end, after.end, content, note}
	case into.empty():
		tag := strings.TrimSuffix(d.source(into), "/>")
		return edit{into.start, into.end, tag + ">" + content + "</" + into.qualified() + ">", note}
	}
	return edit{into.open, into.open, content, note}
}

func (d *Document) removeAttribute(e *element, a attribute) edit {
	return edit{a.start, a.end, "", fmt.Sprintf("removed %s/@%s", e.path(), a.name)}
}

func (d *Document) setAttribute(e *element, a attribute, value string) edit {
	return edit{a.value, a.end - 1, value, fmt.Sprintf("%s/@%s: %q instead of %q", e.path(), a.name, value, d.attribute(a))}
}

func (d *Document) addAttribute(e *element, name, value string) edit {
	at := e.start + 1 + len(e.qualified())
	return edit{at, at, fmt.Sprintf(" %s=%q", name, value), fmt.Sprintf("added %s/@%s %q", e.path(), name, value)}
}
