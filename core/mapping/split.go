package mapping

import (
	"cmp"
	"errors"
	"reflect"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// splitting is a member that several elements are pieces of.
type splitting struct {
	split *Split
	leaf  *field
	term  string
	size  int
	at    *node // at whose end the pieces are put together
}

// part is the place of a piece.
type part struct {
	of    *splitting
	index int
}

// in gives the piece of a text; empty where there is none.
func (p *part) in(text string) string {
	if parts := p.of.split.Parts(text); p.index < len(parts) {
		return parts[p.index]
	}
	return ""
}

var (
	errSplit = errors.New("a split field has rows with paths for its pieces, and nothing else")
	errWhen  = errors.New("a split field without an element of its own cannot have a condition: its pieces stand in an element that is written anyway")
	errPiece = errors.New("a piece of a split field has a path and attributes, and neither a field nor documents of its own")
)

// addSplit makes the rows below an element the pieces of a member.
func (p *plan) addSplit(n, owner *node, r *row) error {
	if len(r.rows) == 0 || r.total != nil || r.codec != nil || r.computed != nil || r.constant != "" || r.convert != nil || r.fill != "" {
		return errSplit
	}
	if r.path == self && r.when != nil {
		return errWhen
	}
	leaf, err := p.syntax.newLeaf(owner.struc, r.field)
	if err != nil {
		return err
	}
	if leaf.typ.Kind() != reflect.String {
		return errSplit
	}
	of := &splitting{split: r.split, leaf: leaf, term: r.term, size: len(r.rows), at: n}
	n.splits, n.settles = append(n.splits, of), true
	if r.path != self {
		n.split = of
	}
	if err := p.addAttrs(n, owner, r.attrs); err != nil {
		return err
	}
	direct := p.addDirect(leaf, owner)
	for i := range r.rows {
		piece := &r.rows[i]
		piece.held = true
		if err := p.addPiece(n, owner, piece, &part{of, i}, direct); err != nil {
			return piece.fault(err)
		}
	}
	return nil
}

func (p *plan) addPiece(n, owner *node, r *row, of *part, direct int) error {
	own := r.field != "" || r.total != nil || r.codec != nil || r.constant != "" || r.split != nil || r.convert != nil || len(r.rows) > 0
	if own || r.on != "" || r.in != "" || r.when != nil || r.again || r.path == self {
		return errPiece
	}
	c, err := p.way(n, r.path, false)
	if err != nil {
		return err
	}
	if c.row != nil {
		return errTaken
	}
	c.row, c.leaf, c.part, c.direct, c.term = r, of.of.leaf, of, direct, r.term
	if c.term == "" {
		c.term = of.of.term
	}
	return p.addAttrs(c, owner, r.attrs)
}

// waiting is a text that is read at the end of an element around it: a piece of a member, or one that a codec reads after the other
// rows of its group.
type waiting struct {
	n      *node
	text   string
	pieces []xmltree.Node
	el     xmltree.Node // whose attributes wait as well; none for those that have been read
}

// wait keeps a text for the end of an element around it.
func (r *reading) wait(n *node, text string) conflict {
	r.waiting = append(r.waiting, waiting{n, trimmed(text), append([]xmltree.Node(nil), r.pieces...), xmltree.None})
	return taken
}

// waits tells whether an element is read after others of its group.
func (n *node) waits() bool { return n.row != nil && n.row.last }

// settler tells at the end of which element a text is read.
func (w *waiting) settler() *node {
	if w.n.part != nil {
		return w.n.part.of.at
	}
	return w.n.settler
}

// settleElement reads what has waited for the end of an element since a mark: pieces first, and in the end what is computed of the others.
func (r *reading) settleElement(n *node, mark int, scope reflect.Value) {
	var mine []waiting
	kept := r.waiting[:mark]
	for _, w := range r.waiting[mark:] {
		if w.settler() == n {
			mine = append(mine, w)
		} else {
			kept = append(kept, w)
		}
	}
	r.waiting = kept
	for _, of := range n.splits {
		r.join(of, mine, scope)
	}
	given := map[*node]string{} // what is computed, for elements that stand again and again while the invoice stays as it is
	for i := range mine {
		if w := &mine[i]; !w.compares() && r.late(w, scope, given) {
			clear(given)
		}
	}
	for i := range mine {
		if w := &mine[i]; w.compares() {
			r.compare(w, r.compute(w.n, scope, given))
		}
	}
}

// compares tells whether a text is only held against what is computed.
func (w *waiting) compares() bool {
	c := w.n.row.computed
	return w.n.part == nil && c != nil && c.take == nil
}

// late reads a text that has waited for others of its group, and tells whether the invoice may have changed.
func (r *reading) late(w *waiting, scope reflect.Value, given map[*node]string) bool {
	switch row := w.n.row; {
	case w.n.part != nil:
		return false
	case w.n.waits():
		why := r.store(w.n.leaf, w.n.convert, w.n.term, w.text, scope, w.pieces)
		r.attributes(w.n, w.el, scope, why)
	case row.codec != nil:
		row.codec.Parse(w.text, scope.Addr().Interface())
		r.account.Mapped += len(w.pieces)
	default:
		return r.takeComputed(w, scope, given)
	}
	return true
}

// takeComputed reads a text that the invoice takes where it gives none, and tells whether it was offered one.
func (r *reading) takeComputed(w *waiting, scope reflect.Value, given map[*node]string) bool {
	want := r.compute(w.n, scope, given)
	if want != "" {
		r.compare(w, want)
		return false
	}
	said := w.n.row.computed.take(w.text, r.spot(scope))
	if said {
		want = w.n.row.computed.text(r.spot(scope))
	}
	if said && (want == "" || agrees(w.text, want)) {
		r.account.Mapped += len(w.pieces)
	} else {
		r.compare(w, want)
	}
	return true
}

// compute gives what the invoice and the group compute for a text.
func (r *reading) compute(n *node, scope reflect.Value, given map[*node]string) string {
	text, known := given[n]
	if !known {
		text = n.row.computed.text(r.spot(scope))
		given[n] = text
	}
	return text
}

func (r *reading) spot(scope reflect.Value) spot {
	return spot{inv: r.inv, group: scope.Addr().Interface(), index: r.index, element: r.plan.element.Name, edition: r.plan.edition.Name, once: r.once}
}

// compare holds a text against what is computed for it.
func (r *reading) compare(w *waiting, want string) {
	if want != "" && agrees(w.text, want) {
		r.account.Derived += len(w.pieces)
		return
	}
	r.reportEach(w.pieces, w.n.term, givesReason+cmp.Or(want, "nothing"))
}

// once gives what find does: while a document is read, the invoice changes.
func (r *reading) once(_ string, find func() int) int { return find() }

// agrees tells whether a document states what is computed: the same text, or the same number as far as the document has digits, of which
// it has two at least.
func agrees(stated, computed string) bool {
	if sameConstant(stated, computed) {
		return true
	}
	a, errA := decimal.Parse(stated)
	b, errB := decimal.Parse(computed)
	return errA == nil && errB == nil && a.Cmp(b.Round(max(a.Scale(), 2), decimal.HalfUp)) == 0
}

// join puts the pieces of a member together. Another text for the same piece is reported.
func (r *reading) join(of *splitting, found []waiting, scope reflect.Value) {
	parts := make([]string, of.size)
	var pieces []xmltree.Node
	for i := range found {
		w := &found[i]
		if w.n.part == nil || w.n.part.of != of {
			continue
		}
		at := &parts[w.n.part.index]
		if *at != "" && *at != w.text {
			r.reportEach(w.pieces, w.n.term, string(duplicate))
			continue
		}
		*at = w.text
		pieces = append(pieces, w.pieces...)
	}
	if len(pieces) == 0 {
		return
	}
	if text, ok := of.split.Join(parts); ok {
		r.store(of.leaf, nil, of.term, text, scope, pieces)
	} else {
		r.reportEach(pieces, of.term, string(unjoined))
	}
}
