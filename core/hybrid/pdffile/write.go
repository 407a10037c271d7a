package pdffile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// printer writes objects (ISO 32000-1 §7.3), with their strings encrypted where the file is.
type printer struct {
	bytes.Buffer
	way *cipherWay // of strings; nil leaves them as they are
	of  Ref        // the object that is written
}

// object writes one object. Dictionaries are written in the order of their keys, so that the same object has the same bytes.
func (p *printer) object(o Object) {
	switch o := o.(type) {
	case nil:
		p.WriteString("null")
	case bool:
		p.WriteString(strconv.FormatBool(o))
	case Integer:
		p.WriteString(strconv.FormatInt(int64(o), 10))
	case Real:
		p.WriteString(string(o))
	case String:
		p.text([]byte(o))
	case Name:
		p.name(o)
	case Array:
		p.array(o)
	case Dict:
		p.dict(o)
	case Ref:
		fmt.Fprintf(p, "%d %d R", o.Number, o.Generation)
	}
}

func (p *printer) array(list Array) {
	p.WriteByte('[')
	for i, o := range list {
		if i > 0 {
			p.WriteByte(' ')
		}
		p.object(o)
	}
	p.WriteByte(']')
}

func (p *printer) dict(dict Dict) {
	p.WriteString("<<")
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		p.name(key)
		p.WriteByte(' ')
		p.object(dict[key])
	}
	p.WriteString(">>")
}

// text writes a string: in parentheses where it is plain, else in hexadecimal digits.
func (p *printer) text(s []byte) {
	s = p.way.seal(s, p.of)
	for _, c := range s {
		if c < ' ' || c > '~' || bytes.IndexByte([]byte(`()\`), c) >= 0 {
			fmt.Fprintf(p, "<%X>", s)
			return
		}
	}
	fmt.Fprintf(p, "(%s)", s)
}

// name writes a name with what is no regular character as two hexadecimal digits (§7.3.5).
func (p *printer) name(name Name) {
	p.WriteByte('/')
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || c == '#' || isDelimiter(c) {
			fmt.Fprintf(p, "#%02X", c)
		} else {
			p.WriteByte(c)
		}
	}
}
