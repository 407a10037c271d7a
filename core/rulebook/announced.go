package rulebook

import (
	"cmp"
	"slices"
	"strings"
)

// Announced is a rulebook that judges documents before it is in force, because its manifest announces it. What is new in it warns until
// its first day.
type Announced struct {
	Book *Book
	Plan *Plan // on that day
}

// announced gives what is announced for a kind of document that has a plan on a day.
func (g *Generation) announced(kind Kind, now *Plan, day string) []Announced {
	var next []Announced
	for _, b := range g.books {
		from := b.Manifest.Valid.From
		if !b.Manifest.Announce || from <= day || slices.Contains(now.Books, b) {
			continue
		}
		if then, err := g.planOn(kind, from); err == nil && slices.Contains(then.Books, b) {
			next = append(next, Announced{b, then})
		}
	}
	slices.SortStableFunc(next, func(a, b Announced) int {
		return cmp.Or(strings.Compare(a.Book.Manifest.Valid.From, b.Book.Manifest.Valid.From), strings.Compare(a.Book.Manifest.ID, b.Book.Manifest.ID))
	})
	return next
}
