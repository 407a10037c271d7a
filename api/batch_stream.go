package api

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
)

// readLines gives the operations of lines of JSON. With a template each line is the body of an operation, else it is an
// operation {method, path, body}. Empty lines are passed over.
func (s *Server) readLines(c *call, in *intake, tpl *template) operations {
	return func(yield func(*Order, error) bool) {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := readLine(r, in)
			if err != nil && err != io.EOF {
				yield(nil, in.cause(err))
				return
			}
			if line = bytes.TrimSpace(line); len(line) > 0 {
				o, err := s.orderOfLine(c, line, in.lease, tpl)
				if !yield(o, err) || err != nil {
					return
				}
			}
			in.drop()
			if err == io.EOF {
				return
			}
		}
	}
}

// readLine reads a line of any length up to that of a request body. The bytes are its own.
func readLine(r *bufio.Reader, in *intake) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); int64(len(line)) > in.cfg.MaxBody {
			return nil, tooLarge(in.cfg.MaxBody)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func (s *Server) orderOfLine(c *call, line []byte, l *lease, tpl *template) (*Order, error) {
	if tpl.op != nil {
		return s.orderFrom(tpl.op, line, l)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(line))
	text, err := readOperation(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, notJSON(err, "Something follows the JSON object in the line")
	}
	return s.orderOfText(c, text, l)
}

// readArchive gives the operations of a ZIP of documents: what the template orders, with each entry.
func (s *Server) readArchive(c *call, in *intake, tpl *template) operations {
	return func(yield func(*Order, error) bool) {
		inflated := &lease{gate: s.gate}
		defer inflated.release()
		archive := newArchive(in, archiveLimits{entry: s.cfg.MaxBody, total: s.cfg.MaxBatchInflated}, inflated.hold)
		for {
			e, err := archive.next()
			if err == io.EOF {
				return
			}
			var o *Order
			if err == nil {
				o, err = s.orderOfEntry(tpl.op, e, in.lease)
			}
			if !yield(o, in.cause(err)) || err != nil {
				return
			}
			in.drop()
		}
	}
}

// orderOfEntry is the order of one document. What generate takes, and what is named .json, is a request body; other entries are
// documents.
func (s *Server) orderOfEntry(op *call, e *entry, l *lease) (*Order, error) {
	o, err := s.orderOf(op)
	if err != nil {
		return nil, err
	}
	if o.Operation == opGenerate || e.isJSON() {
		return s.orderFrom(op, e.data, l)
	}
	if len(e.data) == 0 {
		return nil, badField("", finding.MissingField, clip(e.name)+" is empty")
	}
	o.Document, o.Filename, o.Body = o.Operation == opValidate, e.base(), e.data
	return &o, nil
}
