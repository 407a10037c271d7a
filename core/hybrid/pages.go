package hybrid

import "github.com/einvoiced/einvoiced/core/hybrid/pdffile"

// Limits on what is looked at of the pages.
const (
	maxPageDepth = 64
	maxFormDepth = 16
)

// pages is what the pages are made of.
type pages struct {
	count    int
	files    []attachment // of pages and annotations
	broken   bool         // the tree of pages cannot be walked to its end
	scripts  bool
	fonts    map[string]bool // that are used; true for those that are embedded
	isolated bool            // transparency is used, and a group of it names no colour space
}

// walkPages goes through the tree of pages (ISO 32000-1 §7.7.3) once.
func (d *Document) walkPages() *pages {
	if d.pages == nil {
		d.pages = &pages{fonts: map[string]bool{}}
		w := &pageWalk{Document: d, seen: map[pdffile.Ref]bool{}}
		w.node(d.catalog["Pages"], &inherited{}, 0)
		d.pages.broken = d.pages.broken || d.pages.count == 0 || d.file.Err() != nil
	}
	return d.pages
}

// Pages is how many pages the PDF has, as far as they can be read.
func (d *Document) Pages() int { return d.walkPages().count }

// pageWalk is one walk, which enters each object once.
type pageWalk struct {
	*Document
	seen map[pdffile.Ref]bool
}

// enter tells whether an object is to be looked at.
func (w *pageWalk) enter(o pdffile.Object) bool {
	ref, ok := o.(pdffile.Ref)
	if ok && w.seen[ref] {
		return false
	}
	if ok {
		w.seen[ref] = true
	}
	return true
}

// inherited are resources of pages. They are looked at once, however many pages have them.
type inherited struct {
	object pdffile.Object
	seen   bool
}

// node takes a page, or pages with the resources that they inherit.
func (w *pageWalk) node(o pdffile.Object, resources *inherited, depth int) {
	if !w.enter(o) || depth > maxPageDepth {
		w.pages.broken = true
		return
	}
	dict := w.file.Dict(o)
	if own, ok := dict["Resources"]; ok {
		resources = &inherited{object: own}
	}
	if kids := w.file.Array(dict["Kids"]); kids != nil {
		for _, kid := range kids {
			w.node(kid, resources, depth+1)
		}
		return
	}
	if dict == nil {
		w.pages.broken = true
		return
	}
	w.pages.count++
	w.page(dict, resources)
}

func (w *pageWalk) page(page pdffile.Dict, resources *inherited) {
	w.group(page)
	if !resources.seen {
		resources.seen = true
		w.resources(resources.object, 0)
	}
	w.actions(page)
	for _, spec := range w.Document.associated(page["AF"]) {
		w.attached(spec, true)
	}
	if !w.enter(page["Annots"]) {
		return
	}
	for _, o := range w.file.Array(page["Annots"]) {
		if w.enter(o) {
			w.annotation(w.file.Dict(o))
		}
	}
}

func (w *pageWalk) annotation(annotation pdffile.Dict) {
	w.actions(annotation)
	w.appearance(w.file.Dict(annotation["AP"])["N"])
	if w.file.Name(annotation["Subtype"]) == "FileAttachment" {
		w.attached(annotation["FS"], false)
	}
}

// attached notes a file of a page or an annotation.
func (w *pageWalk) attached(spec pdffile.Object, associated bool) {
	if a := w.attachment(spec, "", associated); a.at != (pdffile.Ref{}) && len(w.pages.files) < maxAttachments {
		w.pages.files = append(w.pages.files, a)
	}
}

// appearance takes the looks of an annotation (§12.5.5): one form, or one for each state.
func (w *pageWalk) appearance(o pdffile.Object) {
	if w.file.Stream(o) != nil {
		w.form(o, 0)
		return
	}
	for _, state := range w.file.Dict(o) {
		w.form(state, 0)
	}
}

// actions looks for scripts (§12.6.4.16).
func (w *pageWalk) actions(dict pdffile.Dict) {
	w.action(dict["A"])
	for _, o := range w.file.Dict(dict["AA"]) {
		w.action(o)
	}
}

func (w *pageWalk) action(o pdffile.Object) {
	if w.file.Name(w.file.Dict(o)["S"]) == "JavaScript" {
		w.pages.scripts = true
	}
}

// resources looks at fonts and forms (§7.8.3).
func (w *pageWalk) resources(o pdffile.Object, depth int) {
	if o == nil || !w.enter(o) || depth > maxFormDepth {
		return
	}
	dict := w.file.Dict(o)
	for _, font := range w.file.Dict(dict["Font"]) {
		if w.enter(font) {
			w.font(w.file.Dict(font))
		}
	}
	for _, kind := range []pdffile.Name{"XObject", "Pattern"} {
		for _, form := range w.file.Dict(dict[kind]) {
			w.form(form, depth+1)
		}
	}
}

func (w *pageWalk) form(o pdffile.Object, depth int) {
	if !w.enter(o) {
		return
	}
	dict := w.file.Dict(o)
	w.group(dict)
	w.resources(dict["Resources"], depth)
}

// group looks at a group of transparency (§11.6.6), of a page or a form.
func (w *pageWalk) group(dict pdffile.Dict) {
	group := w.file.Dict(dict["Group"])
	if w.file.Name(group["S"]) == "Transparency" && group["CS"] == nil {
		w.pages.isolated = true
	}
}

// font tells whether a font has its program inside (§9.9); those of type 3 are drawings and always have.
func (w *pageWalk) font(font pdffile.Dict) {
	if font == nil {
		return
	}
	name := string(w.file.Name(font["BaseFont"]))
	embedded := false
	switch w.file.Name(font["Subtype"]) {
	case "Type3":
		embedded = true
		w.resources(font["Resources"], maxFormDepth)
	case "Type0":
		for _, descendant := range w.file.Array(font["DescendantFonts"]) {
			embedded = w.hasProgram(w.file.Dict(descendant))
		}
	default:
		embedded = w.hasProgram(font)
	}
	if before, ok := w.pages.fonts[name]; !ok || before {
		w.pages.fonts[name] = embedded
	}
}

func (w *pageWalk) hasProgram(font pdffile.Dict) bool {
	descriptor := w.file.Dict(font["FontDescriptor"])
	for _, key := range []pdffile.Name{"FontFile", "FontFile2", "FontFile3"} {
		if w.file.Stream(descriptor[key]) != nil {
			return true
		}
	}
	return false
}

// fromPages takes the files of annotations, and those that pages are associated with.
func (d *Document) fromPages() {
	for _, a := range d.walkPages().files {
		d.take(a)
	}
}
