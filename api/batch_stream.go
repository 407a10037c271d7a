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
// operation {method, path, body}. Empty lines are passed over. No more than one is in memory.
func (s *Server) readLines(turn *tenure, in *intake, tpl *template) operations {
	return func(yield func(*job.Order, error) bool) {
		l := &lease{capacity: s.capacity, account: turn.c.key.AccountID}
		defer l.release()
		r := bufio.NewReaderSize(in.stream(), 64<<10)
		for {
			line, err := readLine(r, l, s.cfg.MaxBody)
			if err != nil && err != io.EOF {
				yield(nil, err)
				return
			}
			if line = bytes.TrimSpace(line); len(line) > 0 {
				o, err := s.orderOfLine(turn, line, tpl)
				if !yield(o, err) || err != nil {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// readLine reads a line of any length up to that of a request body, and has the lease cover it. The bytes are its own.
func readLine(r *bufio.Reader, l *lease, most int64) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); int64(len(line)) > most {
			return nil, tooLarge(most)
		}
		if err := l.grow(copies * int64(len(line))); err != nil {
			return nil, err
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// orderOfLine reads a line as soon as there is a processor for it.
func (s *Server) orderOfLine(turn *tenure, line []byte, tpl *template) (*job.Order, error) {
	if err := turn.begin(); err != nil {
		return nil, err
	}
	if tpl.op != nil {
		return s.orderFrom(tpl.op, line)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(line))
	text, err := readOperation(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, notJSON(err, "Something follows the JSON object in the line")
	}
	text.notice(turn.c, operationMembers)
	return s.orderOfText(turn.c, text)
}

// readArchive gives the operations of a ZIP of documents: what the template orders, with each entry.
func (s *Server) readArchive(turn *tenure, in *intake, tpl *template) operations {
	return func(yield func(*job.Order, error) bool) {
		inflated := &lease{capacity: s.capacity, account: turn.c.key.AccountID}
		defer inflated.release()
		body := in.stream()
		archive, err := openArchive(body, body.Size(), archiveLimits{entry: s.cfg.MaxBody, total: s.cfg.MaxBatchInflated}, inflated.grow)
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
				o, err = s.orderOfEntry(turn, tpl.op, e)
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// orderOfEntry is the order of one document, read as soon as there is a processor for it. What generate takes, and what is named .json, is a
// request body; other entries are documents.
func (s *Server) orderOfEntry(turn *tenure, op *call, e *entry) (*job.Order, error) {
	if err := turn.begin(); err != nil {
		return nil, err
	}
	o, err := s.orderOf(op)
	if err != nil {
		return nil, err
	}
	if _, generates := o.Parameters.(*kinds.GenerateParameters); generates || e.isJSON() {
		return s.orderFrom(op, e.data)
	}
	if len(e.data) == 0 {
		return nil, badField("", finding.MissingField, clip(e.name)+" is empty")
	}
	setDocument(&o, &upload{filename: e.base(), document: e.data})
	return &o, s.openJob(op, &o)
}
