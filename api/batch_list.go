package api

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// list is the operations of an array, or the one that was sent alone.
type list struct {
	orders   []job.Order
	metadata map[string]string
	single   bool
}

// operationText is an operation as it was sent. Its body is its own copy.
type operationText struct {
	method, path string
	body         []byte
	has          bool     // any of the three
	others       []string // further members, which are ignored
}

// operationMembers are those of an operation.
var operationMembers = []string{"method", "path", "body"}

// notice takes up what an operation has that resembles one of some members.
func (t *operationText) notice(c *call, known []string) {
	for _, name := range t.others {
		c.infos = resembled(c.infos, clip(name), name, known)
	}
}

// readList reads {operations: [{method, path, body}], metadata}, or {method, path, body, metadata}. It holds each body once.
// The decoder reads a bytes.Buffer in place, without a copy of the whole.
func (s *Server) readList(c *call, in *intake) (*list, error) {
	body, err := in.bytes()
	if err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(withoutMark(body)))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, notJSON(err, "The request body must be a JSON object")
	}
	l, alone, listed := &list{}, operationText{}, false
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, notJSON(err, "")
		}
		switch member := name.String(); member {
		case "operations":
			listed = true
			err = s.readOperations(c, in, dec, l)
		case "metadata":
			l.metadata, err = readPairs(dec)
		default:
			err = alone.member(dec, member)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := ends(dec); err != nil {
		return nil, err
	}
	alone.notice(c, append([]string{"operations", "metadata"}, operationMembers...))
	if listed && len(l.orders) == 0 || !listed && !alone.has {
		return nil, badField("operations", finding.MissingField, "operations: there are none; send operations, or one operation as method, path and body")
	}
	if !listed {
		l.single = true
		o, err := s.orderOfText(c, &alone)
		if err != nil {
			return nil, err
		}
		l.orders = append(l.orders, *o)
	}
	return l, checkMetadata(l.metadata)
}

// ends reads the end of the object, behind which nothing may follow.
func ends(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return notJSON(err, "")
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return notJSON(err, "Something follows the JSON object in the request body")
	}
	return nil
}

// readOperations reads the array.
func (s *Server) readOperations(c *call, in *intake, dec *jsontext.Decoder, l *list) error {
	if t, err := dec.ReadToken(); err != nil {
		return notJSON(err, "")
	} else if t.Kind() != '[' {
		return badField("operations", finding.InvalidType, "operations: must be an array")
	}
	for dec.PeekKind() != ']' {
		i := len(l.orders)
		if i == maxListed {
			return tooManyOperations(maxListed)
		}
		text, err := readOperation(dec)
		if err == nil {
			text.notice(c, operationMembers)
			var o *job.Order
			if o, err = s.orderOfText(c, text); err == nil {
				l.orders = append(l.orders, *o)
			}
		}
		if err != nil {
			return at(i, err)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return notJSON(err, "")
	}
	return nil
}

// readOperation reads one object {method, path, body}.
func readOperation(dec *jsontext.Decoder) (*operationText, error) {
	if t, err := dec.ReadToken(); err != nil {
		return nil, notJSON(err, "")
	} else if t.Kind() != '{' {
		return nil, badField("", finding.InvalidType, "an operation must be an object of method, path and body")
	}
	text := &operationText{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, notJSON(err, "")
		}
		if err := text.member(dec, name.String()); err != nil {
			return nil, err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(err, "")
	}
	return text, nil
}

// member reads the value of one member of an operation; others are passed over.
func (t *operationText) member(dec *jsontext.Decoder, name string) (err error) {
	switch name {
	case "method":
		t.method, err = readText(dec, name)
	case "path":
		t.path, err = readText(dec, name)
	case "body":
		var raw jsontext.Value
		if raw, err = dec.ReadValue(); err != nil {
			return notJSON(err, "")
		}
		t.body = bytes.Clone(raw)
	default:
		if err := dec.SkipValue(); err != nil {
			return notJSON(err, "")
		}
		if len(t.others) < infosListed {
			t.others = append(t.others, name)
		}
		return nil
	}
	t.has = true
	return err
}

// orderOfText checks an operation as if it had been sent alone.
func (s *Server) orderOfText(c *call, text *operationText) (*job.Order, error) {
	if text.path == "" {
		return nil, badField("path", finding.MissingField, "path: is missing")
	}
	if text.method == "" {
		return nil, badField("method", finding.MissingField, "method: is missing")
	}
	op, err := s.resolve(c, text.method, text.path)
	if err != nil {
		return nil, err
	}
	return s.orderFrom(op, text.body)
}

// readPairs reads metadata: an object of strings, or null.
func readPairs(dec *jsontext.Decoder) (map[string]string, error) {
	t, err := dec.ReadToken()
	switch {
	case err != nil:
		return nil, notJSON(err, "")
	case t.Kind() == 'n':
		return nil, nil
	case t.Kind() != '{':
		return nil, badField("metadata", finding.InvalidType, "metadata: must be an object of strings")
	}
	pairs := map[string]string{}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, notJSON(err, "")
		}
		name := token.String()
		if len(pairs) == ledger.MostPairs {
			return nil, badField("metadata", finding.InvalidValue, fmt.Sprintf("metadata: at most %d pairs are allowed", ledger.MostPairs))
		}
		if dec.PeekKind() != '"' {
			return nil, badField("metadata."+clip(name), finding.InvalidType, "metadata."+clip(name)+": must be a string")
		}
		if pairs[name], err = readText(dec, "metadata"); err != nil {
			return nil, err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(err, "")
	}
	return pairs, nil
}
