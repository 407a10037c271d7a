package mapping

import (
	"slices"
	"strings"
)

// Use is where a syntax has a business term or group.
type Use struct {
	Term        string
	Field       string // member of the invoice, with [] for lists
	Path        string // elements from the document element on, names as the table writes them
	Cardinality string // as the standard writes it, in its parent
}

// Uses lists where the syntax has a term, for each document element where they differ.
func (c *compiled) Uses(term string) []Use {
	var list []Use
	for _, p := range c.plans {
		for _, r := range p.routes()[term] {
			if use := r.use(term); !slices.Contains(list, use) {
				list = append(list, use)
			}
		}
	}
	return list
}

// use describes the end of a route.
func (r route) use(term string) Use {
	u := Use{Term: term}
	var names []string
	prefix := ""
	for _, n := range r.rows {
		names = append(names, n.qname)
		if n.scope != nil {
			prefix = n.scope.below(prefix)
			u.Field = prefix
		}
		if member := n.place(prefix); member != "" {
			u.Field = member
		}
	}
	u.Path = "/" + strings.Join(names, "/")
	if r.attr != nil {
		u.Field, u.Path = r.attr.leaf.below(prefix), u.Path+"/@"+r.attr.qname
		return u
	}
	if row := r.rows[len(r.rows)-1].row; row != nil {
		u.Cardinality = row.card.String()
	}
	return u
}
