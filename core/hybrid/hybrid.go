// Package hybrid reads PDF invoices that carry themselves as XML (ZUGFeRD, Factur-X and their kin): it finds the invoice among the embedded
// files, and tells how the PDF stands to PDF/A-3 and to what Factur-X asks of the carrier.
//
// A Document stands on package pdffile, which reads the objects. Invoice gives the XML, Carrier what was found about the PDF,
// and Embed what is to stand behind its bytes for it to carry another invoice: an incremental update, which leaves the bytes
// that are there as they are.
package hybrid

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// ErrNoInvoice is of a PDF that can be read and has no invoice inside. The text is for whoever sent it.
var ErrNoInvoice = errors.New("it has no invoice in XML inside")

// maxInvoice is how many bytes the XML may have: more than the longest invoice that is taken.
const maxInvoice = 128 << 20

// Document is an open PDF. It is not safe for concurrent use.
type Document struct {
	file    *pdffile.File
	catalog pdffile.Dict
	found   []attachment
	places  map[pdffile.Ref]int // of the streams in found
	pages   *pages              // nil until they were walked
}

// Invoice is the XML inside a PDF.
type Invoice struct {
	Name  string // of the embedded file, e.g. factur-x.xml
	XML   []byte
	Other []string // names of the other embedded files that look like an invoice as much
}

// Open opens a PDF. Errors wrap those of pdffile, whose texts are for whoever sent the file, or that of the context.
func Open(ctx context.Context, data []byte) (*Document, error) {
	file, err := pdffile.Open(ctx, data)
	if err != nil {
		return nil, err
	}
	return &Document{file: file, catalog: file.Dict(file.Trailer["Root"])}, nil
}

// Encrypted tells whether the PDF is encrypted, with the empty user password.
func (d *Document) Encrypted() bool { return d.file.Encrypted() }

// invoiceNames are the names that specifications give the XML, in the order in which they count: Factur-X and ZUGFeRD 2.1 and later,
// XRechnung in ZUGFeRD, ZUGFeRD 1.0 and 2.0.
var invoiceNames = []string{"factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml"}

// Invoice finds the invoice: by its name among the embedded files, else the first XML file that is one by its name or type. Embedded
// files are looked for in the name tree of the document, in its associated files, and where none of these is an invoice on the pages
// (ISO 32000-1 §7.11.4 and §12.5.6.15, ISO 32000-2 §14.13). Errors wrap ErrNoInvoice or those of pdffile.
func (d *Document) Invoice() (*Invoice, error) {
	d.found, d.places = nil, map[pdffile.Ref]int{}
	d.fromTree()
	d.fromAssociated(d.catalog["AF"])
	if len(d.candidates()) == 0 {
		d.fromPages()
	}
	candidates := d.candidates()
	if len(candidates) == 0 {
		return nil, d.none()
	}
	best := candidates[0]
	stream := d.file.Stream(best.at)
	if stream == nil { // a limit was met meanwhile
		return nil, cmp.Or(d.file.Err(), ErrNoInvoice)
	}
	data, err := d.file.DecodeEmbedded(stream, maxInvoice)
	if err != nil {
		return nil, fmt.Errorf("its embedded file %s cannot be read: %w", best.shown(), err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%w: the embedded file %s is empty", ErrNoInvoice, best.shown())
	}
	invoice := &Invoice{Name: best.shown(), XML: data}
	for _, other := range candidates[1:] {
		invoice.Other = append(invoice.Other, other.shown())
	}
	return invoice, nil
}

// none says what there is in place of an invoice.
func (d *Document) none() error {
	if err := d.file.Err(); err != nil {
		return err
	}
	if len(d.found) == 0 {
		return fmt.Errorf("%w; no file is embedded in it", ErrNoInvoice)
	}
	const shown = 5
	var names []string
	for _, a := range d.found[:min(len(d.found), shown)] {
		names = append(names, a.shown())
	}
	if rest := len(d.found) - shown; rest > 0 {
		names = append(names, fmt.Sprintf("and %d others", rest))
	}
	return fmt.Errorf("%w; embedded in it: %s", ErrNoInvoice, strings.Join(names, ", "))
}

// candidates are the embedded files that may be the invoice, the likeliest first.
func (d *Document) candidates() []attachment {
	var list []attachment
	for _, a := range d.found {
		if a.rank() < notXML {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b attachment) int { return a.rank() - b.rank() })
	return list
}
