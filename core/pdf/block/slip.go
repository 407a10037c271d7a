package block

import "github.com/einvoiced/einvoiced/core/pdf"

// Slip is a part of a document that stands at the foot of its last page, at the edge of the paper, such as the payment part of a Swiss QR-bill.
// Lengths are in points.
type Slip interface {
	Width() float64
	Height() float64
	// Draw draws it with its upper edge at top; what it says is in elements below the parent.
	Draw(doc *pdf.Document, page *pdf.Page, parent *pdf.Element, top float64)
}

// aboveSlip is the room between a slip and what stands above it.
const aboveSlip = 14.0

// slip draws the slip of the document: on the last page where that has room for it, else on a page of its own. A page that is less wide, or too
// low, has A4 behind it.
func (r *rendering) slip() {
	s := r.attached
	if s == nil || len(r.faults.faults) > 0 {
		return
	}
	p := &r.t.page
	free := p.height - s.Height() - aboveSlip
	page := r.pages[len(r.pages)-1]
	if p.width < s.Width()-slack || free < p.margins.top+r.above+r.below {
		page, r.slipPage = r.doc.AddPage(s.Width(), s.Width()*sqrt2), true
		r.pages = append(r.pages, page)
	} else if p.margins.top+r.above+r.used+r.below > free {
		page = r.doc.AddPage(p.width, p.height)
		r.pages = append(r.pages, page)
		r.background(page)
	}
	s.Draw(r.doc, page, r.slipped, page.Height-s.Height())
	page.Flush()
}

// sqrt2 is the ratio of the sides of paper of ISO 216.
const sqrt2 = 297.0 / 210

// footAt is where a footer begins: above the slip on its page.
func (r *rendering) footAt(last bool) float64 {
	p := &r.t.page
	at := p.height - p.margins.bottom - r.below
	if last && r.attached != nil && !r.slipPage {
		at = min(at, p.height-r.attached.Height()-aboveSlip-r.below)
	}
	return at
}

// ownPages are those on the paper of the template.
func (r *rendering) ownPages() []*pdf.Page {
	if r.slipPage {
		return r.pages[:len(r.pages)-1]
	}
	return r.pages
}
