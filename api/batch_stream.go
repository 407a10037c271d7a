package api

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
)

// readLines gives the operations of lines of JSON. With a template each line is the body of an operation, else it is an
// operation {method, path, body}. Empty lines are passed over.
func (s *Server) readLines(c *call, in *intake, tpl *template) operations {
	return func(yield func(*job.Order, error) bool) {
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

func (s *Server) orderOfLine(c *call, line []byte, l *lease, tpl *template) (*job.Order, error) {
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
	text.notice(c, operationMembers)
	return s.orderOfText(c, text, l)
}

// readArchive gives the operations of a ZIP of documents: what the template orders, with each entry.
func (s *Server) readArchive(c *call, in *intake, tpl *template) operations {
	return func(yield func(*job.Order, error) bool) {
		inflated := &lease{capacity: s.capacity}
		defer inflated.release()
		body, err := in.spoolAll()
		if err != nil {
			yield(nil, err)
			return
		}
		defer body.Close()
		archive, err := openArchive(body, body.size, archiveLimits{entry: s.cfg.MaxBody, total: s.cfg.MaxBatchInflated}, inflated.hold)
		if err != nil {
			yield(nil, err)
			return
		}
		for {
			e, err := archive.next()
			if err == io.EOF {
				return
			}
			var o *job.Order
			if err == nil {
				o, err = s.orderOfEntry(tpl.op, e, in.lease)
			}
			if !yield(o, err) || err != nil {
				return
			}
			in.drop()
		}
	}
}

// orderOfEntry is the order of one document. What generate takes, and what is named .json, is a request body; other entries are
// documents.
func (s *Server) orderOfEntry(op *call, e *entry, l *lease) (*job.Order, error) {
	o, err := s.orderOf(op)
	if err != nil {
		return nil, err
	}
	if _, generates := o.Parameters.(*kinds.GenerateParameters); generates || e.isJSON() {
		return s.orderFrom(op, e.data, l)
	}
	if len(e.data) == 0 {
		return nil, badField("", finding.MissingField, clip(e.name)+" is empty")
	}
	setDocument(&o, &upload{filename: e.base(), document: e.data})
	return &o, s.openJob(op, &o)
}
