package xsd

import (
	"slices"
	"strings"
)

// process says what a wildcard does with what it lets through (clause 3.10.1).
type process uint8

const (
	processStrict process = iota // a declaration must exist
	processLax                   // checked where a declaration exists
	processSkip                  // not checked
)

// wildcard lets elements or attributes of certain namespaces through.
type wildcard struct {
	process process
	spaces  spaceSet
}

// spaceKind tells the three forms of a namespace constraint apart.
type spaceKind uint8

const (
	everySpace  spaceKind = iota
	notSpace              // any namespace but list[0]; never its absence
	theseSpaces           // those in list; "" is the absence
)

// spaceSet is a namespace constraint (clause 3.10.1). Sets are not closed under union and intersection: any namespace but a
// and but b cannot be written in a schema, and is a fault there.
type spaceSet struct {
	kind spaceKind
	list []string
}

// newSpaceSet reads the attribute namespace of a wildcard, ##any where it is not there.
func newSpaceSet(text, target string) spaceSet {
	switch text {
	case "##any":
		return spaceSet{kind: everySpace}
	case "##other":
		return spaceSet{kind: notSpace, list: []string{target}}
	}
	set := spaceSet{kind: theseSpaces}
	for _, word := range strings.Fields(text) {
		switch word {
		case "##targetNamespace":
			word = target
		case "##local":
			word = ""
		}
		if !slices.Contains(set.list, word) {
			set.list = append(set.list, word)
		}
	}
	return set
}

// has tells whether the set lets names of that namespace through.
func (s spaceSet) has(uri string) bool {
	switch s.kind {
	case everySpace:
		return true
	case notSpace:
		return uri != "" && uri != s.list[0]
	}
	return slices.Contains(s.list, uri)
}

// meets tells whether some namespace is in both sets.
func (s spaceSet) meets(o spaceSet) bool {
	switch {
	case s.kind == theseSpaces:
		return slices.ContainsFunc(s.list, o.has)
	case o.kind == theseSpaces:
		return o.meets(s)
	}
	return true
}

// within tells whether every namespace of s is in o (clause 3.10.6, Wildcard Subset).
func (s spaceSet) within(o spaceSet) bool {
	switch {
	case o.kind == everySpace:
		return true
	case s.kind == theseSpaces:
		return !slices.ContainsFunc(s.list, func(uri string) bool { return !o.has(uri) })
	}
	return s.kind == notSpace && o.kind == notSpace && s.list[0] == o.list[0]
}

// union is what either set lets through (clause 3.10.6); ok is false where no constraint can say it.
func (s spaceSet) union(o spaceSet) (all spaceSet, ok bool) {
	switch {
	case s.within(o):
		return o, true
	case o.within(s):
		return s, true
	case s.kind == theseSpaces && o.kind == theseSpaces:
		all = spaceSet{kind: theseSpaces, list: slices.Clone(s.list)}
		for _, uri := range o.list {
			if !s.has(uri) {
				all.list = append(all.list, uri)
			}
		}
		return all, true
	case s.kind == theseSpaces:
		return o.union(s)
	case o.kind == notSpace:
		return spaceSet{kind: notSpace, list: []string{""}}, true
	}
	return unionWithNot(s.list[0], o)
}

// unionWithNot unites everything but uri with the namespaces of o, some of which are not in the former.
func unionWithNot(uri string, o spaceSet) (spaceSet, bool) {
	named, absent := o.has(uri), o.has("")
	switch {
	case named && absent:
		return spaceSet{kind: everySpace}, true
	case named:
		return spaceSet{kind: notSpace, list: []string{""}}, true
	}
	return spaceSet{}, false
}

// intersection is what both sets let through (clause 3.10.6); ok is false where no constraint can say it.
func (s spaceSet) intersection(o spaceSet) (both spaceSet, ok bool) {
	switch {
	case s.within(o):
		return s, true
	case o.within(s):
		return o, true
	case s.kind == theseSpaces:
		both = spaceSet{kind: theseSpaces}
		for _, uri := range s.list {
			if o.has(uri) {
				both.list = append(both.list, uri)
			}
		}
		return both, true
	case o.kind == theseSpaces:
		return o.intersection(s)
	case s.list[0] == "":
		return o, true
	case o.list[0] == "":
		return s, true
	}
	return spaceSet{}, false
}
