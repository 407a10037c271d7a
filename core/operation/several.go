package operation

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// maxInvoices is how many invoices a file may have, and maxRepeated what of it all of them may repeat, in bytes: each is read with what
// the file has before them.
const (
	maxInvoices = 10_000
	maxRepeated = 256 << 20
)

// several is a file with several invoices. Each is read as a document of its own: what stands before the first of them with its element.
type several struct {
	source  []byte
	head    []byte         // what stands before the invoices, without what is stated of all of them
	differs []mapping.Leaf // what is stated of all invoices otherwise than they come to
	entries []span
	tail    string // closes the elements around the invoices
	depth   int    // elements around each of them
	at      int    // whose document is open, from 0
	shift   int    // lines that are left out before it
}

// span is an element in the source.
type span struct{ from, to int }

// severalIn finds the invoices of a document; nil where it has one. The Refusal is that of a file with too many.
func severalIn(doc *xmltree.Document, syntax *format.Syntax) (*several, error) {
	nodes := syntax.Invoices(doc)
	if len(nodes) < 2 {
		return nil, nil
	}
	head := doc.Offset(nodes[0])
	if len(nodes) > maxInvoices || len(nodes)*head > maxRepeated {
		return nil, unprocessable(fmt.Sprintf("data: the file has %d invoices, which are too many to be read at once; send it in parts", len(nodes)), nil)
	}
	s := &several{source: bytes.Clone(doc.Source()), depth: len(syntax.Places.Invoices)}
	for _, n := range nodes {
		from := doc.Offset(n)
		to, err := endOf(s.source, from)
		if err != nil {
			return nil, fmt.Errorf("find the invoices of the file: %w", err)
		}
		s.entries = append(s.entries, span{from, to})
	}
	if err := s.compare(doc, syntax); err != nil {
		return nil, err
	}
	for n := doc.Parent(nodes[0]); n != xmltree.None && doc.Kind(n) == xmltree.KindElement; n = doc.Parent(n) {
		s.tail += "</" + string(doc.QName(n)) + ">"
	}
	return s, nil
}

// compare holds what the file states of all its invoices against them, and leaves it out of what each of them has before it.
func (s *several) compare(doc *xmltree.Document, syntax *format.Syntax) error {
	places := xmltree.NewLocator(doc)
	s.head = bytes.Clone(s.source[:s.entries[0].from])
	for n, text := range syntax.StatedOfAll(doc) {
		from := doc.Offset(n)
		to, err := endOf(s.source, from)
		if err != nil {
			return fmt.Errorf("find what the file states of all invoices: %w", err)
		}
		if to > len(s.head) {
			continue
		}
		blank(s.head[from:to])
		if !sameText(strings.TrimSpace(doc.String(n)), text) {
			s.differs = append(s.differs, mapping.LeafAt(doc, places, n, "the invoices of the file come to "+text))
		}
	}
	return nil
}

// blank leaves the lines of a text. So the lines of what follows stay as they are in the file.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// sameText tells whether two texts are the same, as numbers by their value.
func sameText(a, b string) bool {
	x, errX := decimal.Parse(a)
	y, errY := decimal.Parse(b)
	return a == b || errX == nil && errY == nil && x.Equal(y)
}

// endOf is the offset after the element that begins at an offset of a well-formed text.
func endOf(source []byte, from int) (int, error) {
	d := xml.NewDecoder(bytes.NewReader(source[from:]))
	for depth := 0; ; {
		token, err := d.RawToken()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if depth == 0 {
			return from + int(d.InputOffset()), nil
		}
	}
}

// document is the text of the invoice at an index: the first has what follows the last of them as well, so that nothing of the file is
// left out.
func (s *several) document(index int) []byte {
	head, e := s.head, s.entries[index]
	if at := bytes.Index(head, []byte("?>")); at >= 0 && bytes.HasPrefix(bytes.TrimLeft(head, "\uFEFF"), []byte("<?xml")) {
		blank := bytes.Repeat([]byte("\n"), bytes.Count(head[:at], []byte("\n"))) // the text is in UTF-8, whatever its declaration says
		head = append(blank, head[at+2:]...)
	}
	tail := []byte(s.tail)
	if index == 0 {
		tail = s.source[s.entries[len(s.entries)-1].to:]
	}
	s.at, s.shift = index, bytes.Count(s.source[s.entries[0].from:e.from], []byte("\n"))
	return bytes.Join([][]byte{head, s.source[e.from:e.to], tail}, nil)
}

// turnTo opens the document of the invoice at an index of the file.
func (s *Service) turnTo(o *Opened, index int) error {
	o.Release()
	doc, err := s.parser.Parse(o.several.document(index))
	if err != nil {
		return fmt.Errorf("read the invoice %d of the file: %w", index, err)
	}
	o.doc = doc
	return nil
}

// place is the path of a leaf in the file; false where it is not within the invoice. In a document of its own an invoice is
// the only one of its name and has no position, which the file's path needs.
func (s *several) place(path string) (string, bool) {
	steps := strings.Split(path, "/")
	if len(steps) < s.depth+2 {
		return path, false
	}
	for i, step := range steps[1:] { // predicates may have slashes
		if i == s.depth && !strings.HasSuffix(step, "]") {
			steps[i+1] = step + "[" + strconv.Itoa(s.at+1) + "]"
			return strings.Join(steps, "/"), true
		}
	}
	return path, true
}

// inFile gives the account of an invoice with paths and lines as the file has them. Of the invoices after the first, what the file has
// around them was told already.
func (s *several) inFile(account mapping.Account) mapping.Account {
	var leaves []mapping.Leaf
	left := account.Reported - len(account.Leaves)
	if s.at == 0 {
		leaves = append(leaves, s.differs...)
	}
	for _, leaf := range account.Leaves {
		path, within := s.place(leaf.Path)
		if within {
			leaf.Path, leaf.Line = path, leaf.Line+s.shift
		}
		if within || s.at == 0 {
			leaves = append(leaves, leaf)
		}
	}
	account.Leaves, account.Reported = leaves, len(leaves)+left
	return account
}

// parseAll reads the further invoices of a file, after the first one.
func (s *Service) parseAll(ctx context.Context, o *Opened, answer *ParseAnswer) error {
	answer.Invoices = append(answer.Invoices, answer.Invoice)
	for i := 1; i < len(o.several.entries); i++ {
		if err := s.turnTo(o, i); err != nil {
			return err
		}
		reading, err := s.read(ctx, o)
		if err != nil {
			return err
		}
		for _, w := range notMapped(reading.Account) {
			if len(answer.Warnings) <= warningLimit {
				answer.Warnings = append(answer.Warnings, w)
			}
		}
		restore(o.found, reading)
		answer.Invoices = append(answer.Invoices, reading.Invoice)
	}
	return nil
}

// chooseInvoice opens the invoice that a conversion asks for. The Refusal is that of an index which is missing, or beyond the file.
func (s *Service) chooseInvoice(o *Opened, index *int) error {
	count := 1
	if o.several != nil {
		count = len(o.several.entries)
	}
	switch {
	case index == nil && count > 1:
		return refusedEntry(finding.MissingField, "index", fmt.Sprintf("index is required: the document has %d invoices, which have the indexes 0 to %d", count, count-1))
	case index == nil:
		return nil
	case (*index < 0 || *index >= count) && count == 1:
		return refusedEntry(finding.OutOfRange, "index", fmt.Sprintf("index is %d, but the document has one invoice, which has the index 0", *index))
	case *index < 0 || *index >= count:
		return refusedEntry(finding.OutOfRange, "index", fmt.Sprintf("index is %d, but the document has %d invoices, which have the indexes 0 to %d", *index, count, count-1))
	case *index == 0:
		return nil
	}
	return s.turnTo(o, *index)
}
