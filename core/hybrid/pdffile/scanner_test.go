package pdffile

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestObject has a row for each kind of object, and for the liberties that writers take.
func TestObject(t *testing.T) {
	for text, want := range map[string]Object{
		"true":          true,
		"null":          nil,
		"%comment\r-12": Integer(-12),
		"4.50":          Real("4.50"),
		"12 0 R":        Ref{12, 0},
		"/A#20B#":       Name("A B#"),
		"/":             Name(""),
		`(a\(b\)(c)\n\101\7\
d\q)`: String("a(b)(c)\nA\ad" + "q"),
		"(a\r\nb\rc)":                 String("a\nb\nc"),
		"(open":                       String("open"),
		"<48 656C6C6F7>":              String("Hellop"),
		"[1 2 0 R(x)[]]":              Array{Integer(1), Ref{2, 0}, String("x"), Array{}},
		"<</A 1/B<</C/D>>>>":          Dict{"A": Integer(1), "B": Dict{"C": Name("D")}},
		"<</A 1 0 R 0 R/B 2 stray>>":  Dict{"A": Ref{1, 0}, "B": Integer(2)},
		"[1 stray 2]":                 Array{Integer(1), Integer(2)},
		"[99999999 0 R]":              Array{Integer(99999999), Integer(0)},
		"99999999999999999999999999 ": Real("99999999999999999999999999"),
	} {
		if diff := cmp.Diff(want, object(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestObject_Refuses ensures that what is no object, has no end or is too deep is an error.
func TestObject_Refuses(t *testing.T) {
	for text, want := range map[string]error{
		"":                                 errSyntax,
		"endobj":                           errSyntax,
		"[1 2":                             errSyntax,
		"<</A 1 endobj":                    errSyntax,
		"<</A":                             errSyntax,
		"[)]":                              errSyntax,
		strings.Repeat("[", maxDepth+2):    errDeep,
		strings.Repeat("<</A", maxDepth+2): errDeep,
	} {
		s := &scanner{data: []byte(text), spend: func(int) error { return nil }}
		if o, err := s.object(0); !errors.Is(err, want) {
			t.Errorf("%.20s: %v, %v, want %v", text, o, err, want)
		}
	}
	s := &scanner{data: []byte("[1 2]"), spend: func(int) error { return ErrLimit }}
	if _, err := s.object(0); !errors.Is(err, ErrLimit) {
		t.Errorf("a spent budget: %v", err)
	}
}
