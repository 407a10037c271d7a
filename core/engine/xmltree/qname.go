package xmltree

import (
	"fmt"
	"strings"
)

// QName is a qualified name made ready for writing. Names are made once and used by pointer.
type QName struct {
	raw    string
	prefix string // empty for none
	local  string
	open   string // "<p:local"
	close  string // "</p:local>"
	attr   string // ` p:local="`
}

// NewQName makes a name from its written form, "cbc:ID" or "Invoice"; anything that is no QName (Namespaces in XML 1.0 clause
// 4), or has the prefix xmlns, is an error.
func NewQName(raw string) (*QName, error) {
	prefix, local, prefixed := strings.Cut(raw, ":")
	if !prefixed {
		prefix, local = "", raw
	}
	if prefixed && !isWritableName(prefix) || !isWritableName(local) || prefix == "xmlns" {
		return nil, fmt.Errorf("%q is not a qualified name", raw)
	}
	return &QName{raw: raw, prefix: prefix, local: local, open: "<" + raw, close: "</" + raw + ">", attr: " " + raw + `="`}, nil
}

// MustQName is NewQName for names written in the program; it panics on an error.
func MustQName(raw string) *QName {
	q, err := NewQName(raw)
	if err != nil {
		panic(err)
	}
	return q
}

// String is the written form.
func (q *QName) String() string { return q.raw }

// Local is the name without its prefix.
func (q *QName) Local() string { return q.local }

// isWritableName refuses invalid UTF-8, too, which ranging over a string shows as U+FFFD, a name character.
func isWritableName(s string) bool {
	return isNCName(s) && firstIllegal([]byte(s)) < 0
}
