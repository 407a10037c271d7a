package inspect

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// roles that elements may have, and those within which they may stand; nothing for anywhere.
var parents = map[string]string{"TR": "Table THead TBody", "TH": "TR", "TD": "TR", "THead": "Table", "TBody": "Table"}

// treeWalker follows the structure tree.
type treeWalker struct {
	*inspector
	text    []string
	seen    map[pdffile.Ref]map[int]bool // marked contents that elements have
	heading int
	columns int // of the table, by its first row
	cells   int
}

// structure looks at the tree (ISO 14289-1 §7.1), and whether it has each marked content once.
func (in *inspector) structure(catalog pdffile.Dict) {
	root := in.Dict(catalog["StructTreeRoot"])
	if root == nil {
		in.fault("there is no structure tree")
		return
	}
	w := &treeWalker{inspector: in, seen: map[pdffile.Ref]map[int]bool{}}
	w.element(root["K"], "", 0)
	for i, p := range in.pages {
		for mark := range p.marked {
			in.check(w.seen[p.ref][mark], "marked content %d of page %d is in no element", mark, i+1)
		}
		in.check(len(w.seen[p.ref]) == len(p.marked), "elements have content of page %d that it does not have", i+1)
	}
	in.parentTree(in.Dict(root["ParentTree"]))
	in.report.Text = strings.Join(w.text, "\n")
}

// parentTree looks whether each page has a list of the elements of its marked contents.
func (in *inspector) parentTree(tree pdffile.Dict) {
	list := in.Array(tree["Nums"])
	in.check(len(list) == 2*len(in.pages), "the parent tree has %d entries for %d pages", len(list)/2, len(in.pages))
	for i := 1; i < len(list) && i/2 < len(in.pages); i += 2 {
		elements := in.Array(list[i])
		in.check(len(elements) == len(in.pages[i/2].marked), "the parent tree has %d elements for page %d, which has %d", len(elements), i/2+1, len(in.pages[i/2].marked))
	}
}

func (w *treeWalker) element(o pdffile.Object, parent string, depth int) {
	e := w.Dict(o)
	role := string(w.Name(e["S"]))
	if depth > 50 || role == "" {
		w.fault("an element has no role, or nests too deep")
		return
	}
	if allowed := parents[role]; allowed != "" {
		w.check(strings.Contains(" "+allowed+" ", " "+parent+" "), "%s within %s", role, parent)
	}
	w.rules(role, e)
	start := len(w.text)
	var own strings.Builder
	for _, kid := range w.Array(e["K"]) {
		w.kid(kid, e, role, depth, &own)
	}
	if own.Len() > 0 || role == "TD" || role == "TH" {
		w.text = append(w.text[:start:start], append([]string{own.String()}, w.text[start:]...)...)
	}
	w.after(role)
}

func (w *treeWalker) kid(kid pdffile.Object, e pdffile.Dict, role string, depth int, own *strings.Builder) {
	page, mark := e["Pg"], -1
	switch k := w.Resolve(kid).(type) {
	case pdffile.Integer:
		mark = int(k)
	case pdffile.Dict:
		if w.Name(k["Type"]) != "MCR" {
			w.element(kid, role, depth+1)
			return
		}
		page, mark = k["Pg"], w.Integer(k["MCID"])
	}
	ref, _ := page.(pdffile.Ref)
	for i := range w.pages {
		if w.pages[i].ref == ref {
			text, ok := w.pages[i].marked[mark]
			w.check(ok, "%s has content that is not on its page", role)
			own.WriteString(text)
		}
	}
	if w.seen[ref] == nil {
		w.seen[ref] = map[int]bool{}
	}
	w.check(!w.seen[ref][mark], "two elements have the same content")
	w.seen[ref][mark] = true
}

// rules holds what PDF/UA asks of an element by its role.
func (w *treeWalker) rules(role string, e pdffile.Dict) {
	switch role {
	case "Figure":
		alt, _ := w.Resolve(e["Alt"]).(pdffile.String)
		w.check(alt != "", "a figure has no alternative text")
		w.report.Alts = append(w.report.Alts, utf16Text(string(alt)))
	case "Table":
		w.report.Tables++
		w.columns = 0
	case "TR":
		w.cells = 0
	case "TH", "TD":
		w.cells++
		scope := w.Name(w.Dict(e["A"])["Scope"])
		w.check(role == "TD" || scope == "Row" || scope == "Column", "a header of a table has no scope")
	case "H1", "H2", "H3":
		level := int(role[1] - '0')
		w.check(level <= w.heading+1, "the heading %s follows one of level %d", role, w.heading)
		w.heading = level
	}
}

func (w *treeWalker) after(role string) {
	if role != "TR" {
		return
	}
	w.check(w.columns == 0 || w.cells == w.columns, "a row has %d cells, the first has %d", w.cells, w.columns)
	w.columns = w.cells
}
