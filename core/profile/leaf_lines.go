package profile

import (
	"cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// leafLines: national formats have no groups of lines. The lines that count are written, those for information are not.
var leafLines = Step{
	Name: "lines without groups",
	Derive: func(d *Draft) {
		inv := d.Invoice
		if !hasGroups(inv) {
			return // as nearly always: lines are large, and copying them takes time
		}
		var flat []invoice.Item
		grouped := ""
		var walk func(items []invoice.Item, path string)
		walk = func(items []invoice.Item, path string) {
			for i := range items {
				it := items[i]
				at := entry(path, i)()
				if uncounted(&it) || len(it.SubItems) > 0 {
					grouped = cmp.Or(grouped, at)
				}
				if len(it.SubItems) > 0 {
					walk(it.SubItems, at+".subItems")
					continue
				}
				if uncounted(&it) {
					continue
				}
				it.LineSubtype, it.ParentLineID = "", ""
				flat = append(flat, it)
			}
		}
		walk(inv.Items, "items")
		if grouped != "" {
			d.warn(finding.GroupNotRepresentable, grouped, "%s: %s has no groups of lines; the lines that count are written one after the other, those for information are not",
				grouped, d.Profile.Token)
			inv.Items = flat
		}
	},
}

// hasGroups tells whether an invoice has lines within lines, or lines that do not count.
func hasGroups(inv *invoice.Invoice) bool {
	for i := range inv.Items {
		if it := &inv.Items[i]; uncounted(it) || len(it.SubItems) > 0 {
			return true
		}
	}
	return false
}

// uncounted tells whether a line is one of those that the sums do not count.
func uncounted(it *invoice.Item) bool {
	return it.LineSubtype == invoice.LineGroup || it.LineSubtype == invoice.LineInformation
}
