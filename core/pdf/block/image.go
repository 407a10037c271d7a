package block

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/pdf"
)

// Fetcher gets images from other places. It decides which places those may be.
type Fetcher interface {
	// Fetch gives the bytes of an image, of at most so many bytes. The error is told to nobody but the log.
	Fetch(ctx context.Context, url string, most int64) ([]byte, error)
}

// MaxImages is how many images a document may have, and MaxImageBytesInAll and MaxImagePixelsInAll how many bytes and pixels they may have together.
const (
	MaxImages           = 100
	MaxImageBytesInAll  = 20 << 20
	MaxImagePixelsInAll = 100_000_000
)

// images are those of one document, by source.
type images struct {
	fetch Fetcher
	doc   *pdf.Document
	known map[string]*pdf.Image

	bytes, pixels int
}

// errSource is told with the forms that a source may have.
var errSource = errors.New("must be a data URI of a PNG or JPEG (data:image/png;base64,…) or an https:// URL")

// get gives the image of a source. The error is for whoever wrote the template.
func (i *images) get(ctx context.Context, source string) (*pdf.Image, error) {
	if img := i.known[source]; img != nil {
		return img, nil
	}
	if len(i.known) == MaxImages {
		return nil, fmt.Errorf("is one image more than the %d that a document may have", MaxImages)
	}
	data, err := i.load(ctx, source)
	if err != nil {
		return nil, err
	}
	if i.bytes += len(data); i.bytes > MaxImageBytesInAll {
		return nil, errors.New("makes the images of the document larger than 20 MiB")
	}
	img, err := i.doc.Image(data)
	if err != nil {
		return nil, fmt.Errorf("cannot be shown: %w", err)
	}
	if i.pixels += img.Width * img.Height; i.pixels > MaxImagePixelsInAll {
		return nil, errors.New("makes the images of the document have more than 100 million pixels")
	}
	i.known[source] = img
	return img, nil
}

func (i *images) load(ctx context.Context, source string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(source, "data:"); ok {
		return decodeDataURI(rest)
	}
	if !strings.HasPrefix(source, "https://") {
		return nil, errSource
	}
	if i.fetch == nil {
		return nil, errors.New("is a URL, and images are not fetched here; send it as a data URI")
	}
	data, err := i.fetch.Fetch(ctx, source, pdf.MaxImageBytes)
	if err != nil {
		return nil, &FetchError{source, err}
	}
	return data, nil
}

// FetchError is an image that could not be fetched. Its text is for whoever sent the template; Cause is for the log alone.
type FetchError struct {
	URL   string
	Cause error
}

// Error says it without the cause.
func (e *FetchError) Error() string { return "could not be fetched as a PNG or JPEG of at most 5 MiB" }

// Unwrap gives the cause.
func (e *FetchError) Unwrap() error { return e.Cause }

// decodeDataURI reads what follows data: (RFC 2397), in base64.
func decodeDataURI(rest string) ([]byte, error) {
	kind, encoded, ok := strings.Cut(rest, ",")
	if !ok || !strings.HasSuffix(kind, ";base64") {
		return nil, errSource
	}
	if len(encoded) > pdf.MaxImageBytes/3*4+8 {
		return nil, fmt.Errorf("cannot be shown: %w", pdf.ErrImageBytes)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, errors.New("has data that is no base64")
	}
	return data, nil
}

// imageBlock is the block image.
type imageBlock struct {
	source        content
	width, height float64 // zero for as the image is
	fit           string
	alignment     string
	alt           string
	margin        edges
}

func (p *parser) image(o *object) shower {
	b := &imageBlock{source: p.content(o.at("src"), o.wantText("src")), width: o.number("width", 0, 1, 5000), height: o.number("height", 0, 1, 5000)}
	b.fit = o.choice("fit", "contain", "cover", "fill", "none")
	b.alignment = o.choice("alignment", "left", "center", "right")
	b.alt = o.text("alt")
	b.margin = o.margin("margin", edges{}, -mostMargin)
	return b
}

func (b *imageBlock) layOut(l *layouter, width float64, parent *pdf.Element) box {
	f := l.bind(b.source, format{places: -1})
	l.require(b.source, f)
	source := strings.TrimSpace(f.text)
	if source == "" {
		return nil
	}
	img, err := l.images.get(l.ctx, source)
	if err != nil {
		l.imageFault(b.source.path, err)
		return nil
	}
	inner := b.margin.inner(width)
	frame := b.frame(img, inner, l.tallest)
	alt := b.alt
	if alt == "" {
		alt = l.words.Image
	}
	e := parent.New(pdf.RoleFigure)
	e.Alt = alt
	return within(b.margin, figure(e, inner, b.alignment, frame[0], frame[1], func(c *canvas, x, y float64) { b.show(c, img, x, y, frame) }))
}

func (l *layouter) imageFault(path string, err error) {
	var fetch *FetchError
	if errors.As(err, &fetch) {
		l.fetchErrors = append(l.fetchErrors, fetch)
	}
	l.faults.fault(path, "%s", err.Error())
}

// frame is the size of the place of an image: what the block says, in the proportions of the image where it says one side or none, and never
// wider than the column or higher than a page.
func (b *imageBlock) frame(img *pdf.Image, most, tallest float64) [2]float64 {
	const pixel = 0.75 // points at 96 pixels an inch
	ratio := float64(img.Height) / float64(img.Width)
	w, h := b.width, b.height
	switch {
	case w == 0 && h == 0:
		w = float64(img.Width) * pixel
		h = w * ratio
	case w == 0:
		w = h / ratio
	case h == 0:
		h = w * ratio
	}
	if w > most {
		w, h = most, h*most/w
	}
	if h > tallest {
		w, h = w*tallest/h, tallest
	}
	return [2]float64{w, h}
}

// show draws an image into its frame.
func (b *imageBlock) show(c *canvas, img *pdf.Image, x, y float64, frame [2]float64) {
	w, h := frame[0], frame[1]
	scale := min(w/float64(img.Width), h/float64(img.Height))
	switch b.fit {
	case "fill":
		c.Image(img, x, y, w, h, 1)
		return
	case "cover", "none":
		if b.fit == "cover" {
			scale = max(w/float64(img.Width), h/float64(img.Height))
		} else {
			scale = 0.75
		}
		c.Clip(x, y, w, h)
		defer c.Unclip()
	}
	iw, ih := float64(img.Width)*scale, float64(img.Height)*scale
	c.Image(img, x+(w-iw)*share[b.alignment], y+(h-ih)/2, iw, ih, 1)
}

// share is which part of free room is at the left.
var share = map[string]float64{"left": 0, "center": 0.5, "right": 1}

// figure is a box with something drawn, which an alternative text tells.
func figure(e *pdf.Element, inner float64, alignment string, w, h float64, show func(c *canvas, x, y float64)) box {
	return drawn{h, func(c *canvas, x, y float64) {
		x += (inner - w) * share[alignment]
		e.Box = [4]float64{x, c.Height - y - h, x + w, c.Height - y}
		c.in(e, func() { show(c, x, y) })
	}}
}
