package block

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/pdf"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
	"github.com/einvoiced/einvoiced/core/pdf/xmp"
)

// Words are what a document says by itself, in its language.
type Words struct {
	Image string // the alternative text of images that have none
	Code  string // of QR codes
}

// Input is what a template is filled with.
type Input struct {
	Data        Value
	Library     *typeface.Library
	Fetcher     Fetcher       // nil where images of URLs are refused
	Language    string        // of the document, RFC 5646
	Locale      locale.Locale // of numbers and dates; zero for that of the language
	Currency    string        // of amounts, ISO 4217
	Title       string
	Author      string
	Subject     string
	Created     time.Time // by the content, never by the clock
	FacturX     *xmp.FacturX
	Attachments []pdf.Attachment
	Words       Words
	Slip        Slip // what stands at the foot of the last page. Default: nothing
}

// Output is a finished document.
type Output struct {
	PDF     []byte
	Pages   int
	Missing []rune   // characters that no face has
	Faces   []string // faces that could not be used, and why
	Fetches []*FetchError
}

// MaxPages is how many pages a document may have.
const MaxPages = 3000

// errPages is why a document is refused.
var errPages = fmt.Errorf("the document has more than %d pages", MaxPages)

// Render lays out the template with its data. The error is Faults where the template and the data do not fit together, and that of the
// context when it ends.
func (t *Template) Render(ctx context.Context, in Input) (*Output, error) {
	r := t.begin(ctx, in)
	if err := r.body(); err != nil {
		return nil, err
	}
	r.slip()
	r.repeated()
	if err := ctx.Err(); err != nil { // before faults: texts that there was no time for look as if they were missing
		return nil, fmt.Errorf("lay out: %w", err)
	}
	if len(r.faults.faults) > 0 {
		return &Output{Fetches: r.fetchErrors}, r.faults.faults
	}
	for _, a := range in.Attachments {
		r.doc.Attach(a)
	}
	out := &Output{Pages: len(r.pages), Missing: r.doc.Text.Missing(), Faces: r.doc.Text.Unusable()}
	out.PDF = r.doc.Bytes()
	return out, nil
}

// rendering is a document in the making.
type rendering struct {
	*layouter
	t         *Template
	pages     []*pdf.Page
	top, foot *pdf.Element // of headers and footers
	main      *pdf.Element
	above     float64 // the height of headers
	below     float64
	used      float64 // of the body's room on the last page
	attached  Slip
	slipped   *pdf.Element
	slipPage  bool // the last page is the slip's alone, on paper of another size
}

func (t *Template) begin(ctx context.Context, in Input) *rendering {
	title := in.Title
	if title == "" {
		title = t.Name
	}
	doc := pdf.New(pdf.About{Title: title, Author: in.Author, Subject: in.Subject, Language: in.Language, Created: in.Created, FacturX: in.FacturX}, in.Library)
	l := in.Locale
	if l.Tag == "" {
		l, _ = locale.Of(in.Language)
	}
	words := in.Words
	if words.Image == "" {
		words.Image = "Image"
	}
	if words.Code == "" {
		words.Code = "QR"
	}
	b := &binder{ctx: ctx, data: in.Data, currency: in.Currency, locale: l, faults: &reader{}}
	doc.Text.Until(func() bool { return b.shown > maxShown || ctx.Err() != nil })
	r := &rendering{t: t, layouter: &layouter{scope: scope{binder: b}, doc: doc, words: words, codes: codes{},
		base: style{font: t.page.font, size: 10, role: pdf.RoleParagraph}, images: &images{fetch: in.Fetcher, doc: doc, known: map[string]*pdf.Image{}}}}
	r.top, r.main, r.foot = doc.Root().New(pdf.RoleDivision), doc.Root().New(pdf.RoleDivision), doc.Root().New(pdf.RoleDivision)
	r.attached, r.slipped = in.Slip, doc.Root().New(pdf.RoleDivision)
	return r
}

// wide is the width between the margins.
func (r *rendering) wide() float64 { return r.t.page.margins.inner(r.t.page.width) }

// measure lays out a header or footer for its height alone.
func (r *rendering) measure(s *section) float64 {
	if s == nil {
		return 0
	}
	r.binder.pages, r.page, r.total = true, 888, 888
	r.plain = true
	defer func() { r.binder.pages, r.plain = false, false }()
	return max(r.blocks(s.blocks, r.wide(), &pdf.Element{Role: pdf.RoleDivision}).height(), s.high)
}

// body lays out the body page by page. A header or footer that is not repeated stands on the last page alone; room is kept for it on all,
// since which page is the last is known at the end.
func (r *rendering) body() error {
	p := &r.t.page
	r.tallest = p.height - p.margins.top - p.margins.bottom
	r.above, r.below = r.measure(r.t.header), r.measure(r.t.footer)
	room := p.height - p.margins.top - p.margins.bottom - r.above - r.below
	if room < 36 {
		r.faults.fault("page", "has no room between its header and footer")
		return r.faults.faults
	}
	r.tallest = room
	var rest box = r.blocks(r.t.body, r.wide(), r.main)
	if len(r.faults.faults) > 0 {
		return r.failed()
	}
	for rest != nil && !isNothing(rest) || len(r.pages) == 0 {
		if len(r.pages) == MaxPages {
			return Faults{{"", errPages.Error()}}
		}
		if err := r.ctx.Err(); err != nil {
			return fmt.Errorf("lay out: %w", err)
		}
		page := r.doc.AddPage(p.width, p.height)
		r.pages = append(r.pages, page)
		r.background(page)
		head, tail := rest.split(room, false)
		if head == nil {
			head, tail = rest.split(room, true)
		}
		if head == nil {
			r.faults.fault("body", "has a block that no page has room for")
			return r.faults.faults
		}
		r.used = head.height()
		head.draw(&canvas{Page: page}, p.margins.left, p.margins.top+r.above)
		page.Flush()
		rest = tail
	}
	if len(r.faults.faults) > 0 {
		return r.failed()
	}
	return nil
}

// failed is the error of faults, or of images that could not be fetched, or that of the context, without which there may be no fault.
func (r *rendering) failed() error {
	if err := r.ctx.Err(); err != nil {
		return fmt.Errorf("lay out: %w", err)
	}
	if len(r.fetchErrors) > 0 {
		causes := make([]error, len(r.fetchErrors))
		for i, e := range r.fetchErrors {
			causes[i] = fmt.Errorf("%s: %w", e.URL, e.Cause)
		}
		return &imageError{r.faults.faults, errors.Join(causes...)}
	}
	return r.faults.faults
}

// imageError is Faults with causes that are for the log alone.
type imageError struct {
	Faults
	cause error
}

func (e *imageError) Unwrap() []error { return []error{e.Faults, e.cause} }

// isNothing tells whether a box is an empty stack, or room alone.
func isNothing(b box) bool {
	s, ok := b.(*stack)
	if !ok {
		return false
	}
	for _, b := range s.boxes {
		if !isSpace(b) {
			return false
		}
	}
	return true
}

// repeated draws headers and footers, when the number of pages is known. Each is content once, and an artifact on other pages: a header on
// the first page that has it, a footer on the last.
func (r *rendering) repeated() {
	r.binder.pages, r.plain, r.total = true, true, len(r.pages)
	pages := r.ownPages()
	last := len(pages) - 1
	for i, page := range pages {
		r.page = i + 1
		p := &r.t.page
		r.section(page, r.t.header, r.top, p.margins.top, i == last, i == 0 || !r.t.header.repeats())
		r.section(page, r.t.footer, r.foot, r.footAt(i == last), i == last, i == last)
	}
}

func (s *section) repeats() bool { return s != nil && s.repeat }

func (r *rendering) section(page *pdf.Page, s *section, parent *pdf.Element, y float64, last, content bool) {
	if s == nil || !s.repeat && !last {
		return
	}
	draw := func(c *canvas) { r.blocks(s.blocks, r.wide(), parent).draw(c, r.t.page.margins.left, y) }
	if content {
		draw(&canvas{Page: page})
	} else {
		parent = &pdf.Element{Role: pdf.RoleDivision}
		page.Artifact(true, func() { draw(&canvas{page, true}) })
	}
	page.Flush()
}

// background draws the image behind a page.
func (r *rendering) background(page *pdf.Page) {
	b := r.t.page.background
	if b == nil {
		return
	}
	f := r.bind(b.image, format{places: -1})
	r.require(b.image, f)
	source := strings.TrimSpace(f.text)
	if source == "" {
		return
	}
	img, err := r.images.get(r.ctx, source)
	if err != nil {
		r.imageFault(b.path, err)
		return
	}
	page.Artifact(false, func() { b.draw(page, img) })
}

// most is how many times a tile is drawn on a page at most; smaller tiles are made larger.
const most = 400

func (b *background) draw(page *pdf.Page, img *pdf.Image) {
	w, h := float64(img.Width)*0.75, float64(img.Height)*0.75
	switch b.position {
	case "stretch":
		page.Image(img, 0, 0, page.Width, page.Height, b.opacity)
	case "center":
		if scale := min(page.Width/w, page.Height/h); scale < 1 {
			w, h = w*scale, h*scale
		}
		page.Image(img, (page.Width-w)/2, (page.Height-h)/2, w, h, b.opacity)
	case "tile":
		for page.Width/w*(page.Height/h) > most {
			w, h = w*2, h*2
		}
		for y := 0.0; y < page.Height; y += h {
			for x := 0.0; x < page.Width; x += w {
				page.Image(img, x, y, w, h, b.opacity)
			}
		}
	}
}
