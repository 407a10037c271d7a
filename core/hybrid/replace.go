package hybrid

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// named is an entry of a name tree.
type named struct {
	key   pdffile.String
	value pdffile.Object
}

// names puts the invoice into the name tree of embedded files, which becomes one list in the order of the names (ISO 32000-1 §7.9.6).
func (e *embedder) names(name string, spec pdffile.Ref) error {
	names := maps.Clone(e.file.Dict(e.catalog["Names"]))
	if names == nil {
		names = pdffile.Dict{}
	}
	tree := &treeWalk{Document: e.Document, seen: map[pdffile.Ref]bool{}}
	tree.node(names["EmbeddedFiles"], 0)
	if len(tree.list) >= maxAttachments || tree.deep { // with the invoice they are as many as are read
		return fmt.Errorf("its tree of embedded files is too large: %w", pdffile.ErrLimit)
	}
	list := slices.DeleteFunc(tree.list, func(n named) bool {
		return (e.isInvoice(n.value) || isInvoiceName(e.text(n.key, maxName))) && e.replace(n.value)
	})
	list = append(list, named{pdffile.String(name), spec})
	slices.SortStableFunc(list, func(a, b named) int { return cmp.Compare(a.key, b.key) })
	var flat pdffile.Array
	for _, n := range list {
		flat = append(flat, n.key, n.value)
	}
	names["EmbeddedFiles"] = e.update.Add(pdffile.Dict{"Names": flat})
	e.catalog["Names"] = names
	return nil
}

// treeWalk gathers the entries of a name tree.
type treeWalk struct {
	*Document
	seen map[pdffile.Ref]bool
	list []named
	deep bool // it goes deeper than trees do
}

// node gathers the entries below a node. One that was seen is passed over, since a damaged tree may lead back to itself.
func (w *treeWalk) node(o pdffile.Object, depth int) {
	if ref, ok := o.(pdffile.Ref); ok {
		if w.seen[ref] {
			return
		}
		w.seen[ref] = true
	}
	dict := w.file.Dict(o)
	if w.deep = w.deep || depth > maxTreeDepth; dict == nil || w.deep || len(w.list) > maxAttachments {
		return
	}
	names := w.file.Array(dict["Names"])
	for ; len(names) >= 2; names = names[2:] {
		if key, ok := w.file.Resolve(names[0]).(pdffile.String); ok && w.file.Dict(names[1]) != nil {
			w.list = append(w.list, named{key, names[1]})
		}
	}
	for _, kid := range w.file.Array(dict["Kids"]) {
		w.node(kid, depth+1)
	}
}

// isInvoiceName tells whether a file has a name that specifications give the invoice.
func isInvoiceName(name string) bool {
	return slices.ContainsFunc(invoiceNames, func(known string) bool { return strings.EqualFold(known, name) })
}

// isInvoice tells whether a file specification is of an invoice, by its name.
func (d *Document) isInvoice(o pdffile.Object) bool {
	spec := d.file.Dict(o)
	return isInvoiceName(d.text(spec["F"], maxName)) || isInvoiceName(d.text(spec["UF"], maxName))
}

// replace notes that a file specification is no more.
func (e *embedder) replace(o pdffile.Object) bool {
	if ref, ok := o.(pdffile.Ref); ok {
		e.replaced[ref] = true
	}
	return true
}

// forget leaves nothing of the file specifications that are no more: every one in the file has to be associated with something (ISO 19005-3
// §6.8).
func (e *embedder) forget() {
	for _, ref := range slices.SortedFunc(maps.Keys(e.replaced), func(a, b pdffile.Ref) int { return a.Number - b.Number }) {
		e.update.Replace(ref, nil)
	}
}

// without gives a list of file specifications, or the one that stands alone, without those of invoices, and tells whether there were any.
func (e *embedder) without(o pdffile.Object) (kept pdffile.Array, removed bool) {
	list := e.file.Array(o)
	if list == nil && e.file.Dict(o) != nil {
		list = pdffile.Array{o}
	}
	kept = slices.DeleteFunc(slices.Clone(list), func(o pdffile.Object) bool { return e.isInvoice(o) && e.replace(o) })
	return kept, len(kept) < len(list)
}

// cleanPages removes the invoices that pages are associated with, and those of annotations (§12.5.6.15).
func (e *embedder) cleanPages() {
	if !e.file.MayHave("FileAttachment") && !e.file.MayHave("AF") {
		return
	}
	seen := map[pdffile.Ref]bool{}
	var walk func(o pdffile.Object, depth int)
	walk = func(o pdffile.Object, depth int) {
		ref, ok := o.(pdffile.Ref)
		if !ok || seen[ref] || depth > maxPageDepth {
			return
		}
		seen[ref] = true
		dict := e.file.Dict(ref)
		for _, kid := range e.file.Array(dict["Kids"]) {
			walk(kid, depth+1)
		}
		if dict["AF"] != nil || dict["Annots"] != nil {
			e.cleanPage(ref, dict)
		}
	}
	walk(e.catalog["Pages"], 0)
}

// cleanPage writes a page anew where it has an invoice.
func (e *embedder) cleanPage(ref pdffile.Ref, page pdffile.Dict) {
	files, unfiled := e.without(page["AF"])
	annotations, unpinned := e.withoutAnnotations(e.file.Array(page["Annots"]))
	if !unfiled && !unpinned {
		return
	}
	clean := maps.Clone(page)
	for key, list := range map[pdffile.Name]pdffile.Array{"AF": files, "Annots": annotations} {
		if delete(clean, key); len(list) > 0 {
			clean[key] = list
		}
	}
	e.update.Replace(ref, clean)
}

// withoutAnnotations leaves out the annotations of invoices, and the windows that belong to them (§12.5.6.14).
func (e *embedder) withoutAnnotations(list pdffile.Array) (kept pdffile.Array, removed bool) {
	windows := map[pdffile.Object]bool{}
	kept = slices.DeleteFunc(slices.Clone(list), func(o pdffile.Object) bool {
		annotation := e.file.Dict(o)
		gone := e.file.Name(annotation["Subtype"]) == "FileAttachment" && e.isInvoice(annotation["FS"]) && e.replace(annotation["FS"])
		if window, ok := annotation["Popup"].(pdffile.Ref); ok && gone {
			windows[window] = true
		}
		return gone
	})
	kept = slices.DeleteFunc(kept, func(o pdffile.Object) bool {
		ref, ok := o.(pdffile.Ref)
		return ok && windows[ref]
	})
	return kept, len(kept) < len(list)
}
