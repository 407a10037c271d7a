package profile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// faLine is the path of an element of the line i.
func faLine(i int, name string) string { return fmt.Sprintf("Fa/FaWiersz[%d]/%s", i+1, name) }

// keep puts a text into national.
func (d *Draft) keep(path, text string) { d.national()[path] = []string{text} }

// national is countrySpecific.national for adding to it. What the draft was given may be another's as well and is copied, once: an
// invoice may have something to add for each of its lines.
func (d *Draft) national() invoice.National {
	cs := specificOf(d.Invoice)
	if cs.National == nil || !d.ownNational {
		own := invoice.National{}
		maps.Copy(own, cs.National)
		cs.National, d.ownNational = own, true
	}
	return cs.National
}

// group is an element of national that holds others: their texts by path below it.
type group map[string]string

// of gives the texts of some elements, and whether the group has no others.
func (g group) only(names ...string) bool {
	for name := range g {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// groupsOf takes the elements with a path out of national, in their order.
func groupsOf(inv *invoice.Invoice, list string) []group {
	found := numberedGroups(inv, list)
	var groups []group
	for _, index := range slices.Sorted(maps.Keys(found)) {
		groups = append(groups, found[index])
	}
	return groups
}

// numberedGroups takes the elements with a path out of national, by their numbers.
func numberedGroups(inv *invoice.Invoice, list string) map[int]group {
	found, rest := map[int]group{}, invoice.National{}
	for path, texts := range countryOf(inv).National {
		index, name, is := groupPath(path, list)
		if !is || len(texts) != 1 {
			rest[path] = texts
			continue
		}
		if found[index] == nil {
			found[index] = group{}
		}
		found[index][name] = texts[0]
	}
	if len(found) == 0 {
		return nil
	}
	cs := specificOf(inv)
	if cs.National = rest; len(rest) == 0 {
		cs.National = nil
	}
	return found
}

// groupPath takes LIST[INDEX]/NAME apart.
func groupPath(path, list string) (index int, name string, is bool) {
	rest, is := strings.CutPrefix(path, list)
	if !is || rest == "" {
		return 0, "", false
	}
	if name, is := strings.CutPrefix(rest, "/"); is {
		return 1, name, true
	}
	number, name, is := strings.Cut(strings.TrimPrefix(rest, "["), "]/")
	index, err := strconv.Atoi(number)
	return index, name, is && err == nil
}

// putGroups puts elements with a path into national.
func putGroups(inv *invoice.Invoice, list string, groups []group) {
	if len(groups) == 0 {
		return
	}
	cs := specificOf(inv)
	national := invoice.National{}
	maps.Copy(national, cs.National)
	for i, g := range groups {
		for name, text := range g {
			national[fmt.Sprintf("%s[%d]/%s", list, i+1, name)] = []string{text}
		}
	}
	cs.National = national
}
