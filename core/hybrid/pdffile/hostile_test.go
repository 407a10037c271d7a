package pdffile_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// TestOpen_LengthsThatLeadOnAndOn ensures that a stream whose length is a stream whose length is a stream, and so on through the file, is read
// up to its end, and not by a call in a call for each of them.
func TestOpen_LengthsThatLeadOnAndOn(t *testing.T) {
	const streams, first = 50_000, 10
	defer debug.SetMaxStack(debug.SetMaxStack(8 << 20)) // a stack that grows with the file ends the program
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 10 0 R>>endobj\n")
	for i := range streams {
		fmt.Fprintf(&file, "%d 0 obj<</Length %d 0 R>>stream\nx\nendstream\n", first+i, first+i+1)
	}
	fmt.Fprintf(&file, "%d 0 obj 0 endobj\ntrailer<</Root 1 0 R>>\n", first+streams)
	f, err := pdffile.Open(t.Context(), file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	stream := f.Stream(pdffile.Ref{Number: first})
	if stream == nil {
		t.Fatal("there is no stream")
	}
	if data, err := f.Decode(stream, 10); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestResolve_NumbersThatAreNotWhereTheyShouldBe ensures that objects which cross-reference data places wrongly in their stream are found, and that
// many of them take no more than a look at each.
func TestResolve_NumbersThatAreNotWhereTheyShouldBe(t *testing.T) {
	const objects, first = 100_000, 10
	var heads, bodies, rows bytes.Buffer
	for i := range objects {
		fmt.Fprintf(&heads, "%d %d ", first+i, bodies.Len())
		fmt.Fprintf(&bodies, "%d ", i)
		rows.Write([]byte{2, 0, 0, 2, 0, 0}) // each is said to be the first of the stream 2
	}
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
	at := file.Len()
	fmt.Fprintf(&file, "2 0 obj<</Type/ObjStm/N %d/First %d/Length %d>>stream\n%s%s\nendstream endobj\n", objects, heads.Len(), heads.Len()+bodies.Len(), &heads, &bodies)
	table := file.Len()
	catalog := []byte{1, 0, 0, 9, 0, 0}
	pack := []byte{1, byte(at >> 16), byte(at >> 8), byte(at), 0, 0}
	fmt.Fprintf(&file, "3 0 obj<</Type/XRef/Size %d/W[1 3 2]/Index[1 2 %d %d]/Root 1 0 R/Length %d>>stream\n%s%s%s\nendstream endobj\nstartxref\n%d\n%%%%EOF",
		first+objects, first, objects, len(catalog)+len(pack)+rows.Len(), catalog, pack, &rows, table)
	f, err := pdffile.Open(t.Context(), file.Bytes())
	if err != nil || f.Rebuilt() {
		t.Fatal(f.Rebuilt(), err)
	}
	for i := range objects {
		if got := f.Resolve(pdffile.Ref{Number: first + i}); got != pdffile.Integer(i) {
			t.Fatalf("object %d is %v, want %d; %v", first+i, got, i, f.Err())
		}
	}
}

// TestResolve_NumbersTooLargeToCount ensures that an index and offsets that no computer has a place for lead to nothing, or to the object that is meant.
func TestResolve_NumbersTooLargeToCount(t *testing.T) {
	for name, c := range map[string]struct {
		index       [8]byte
		head, first string
		want        pdffile.Object
	}{
		"an index":               {index: [8]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE}, head: "10 0 ", first: "5", want: pdffile.Integer(7)},
		"an offset":              {head: "10 9223372036854775807 ", first: "5"},
		"an offset of the first": {head: "10 9 ", first: "9223372036854775807"},
	} {
		var file bytes.Buffer
		file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
		at := file.Len()
		fmt.Fprintf(&file, "2 0 obj<</Type/ObjStm/N 1/First %s/Length %d>>stream\n%s7 \nendstream endobj\n", c.first, len(c.head)+2, c.head)
		table := file.Len()
		rows := append([]byte{1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, byte(at), 0, 0, 0, 0, 0, 0, 0, 0, 2, 2}, c.index[:]...)
		fmt.Fprintf(&file, "3 0 obj<</Type/XRef/Size 11/W[1 1 8]/Index[1 2 10 1]/Root 1 0 R/Length %d>>stream\n%s\nendstream endobj\nstartxref\n%d\n%%%%EOF",
			len(rows), rows, table)
		f, err := pdffile.Open(t.Context(), file.Bytes())
		if err != nil || f.Rebuilt() {
			t.Fatal(name, f.Rebuilt(), err)
		}
		if got := f.Resolve(pdffile.Ref{Number: 10}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestOpen_StreamsWithoutAnEnd ensures that streams which do not end are looked through as long as the limit allows, and not one by one after it
// was met.
func TestOpen_StreamsWithoutAnEnd(t *testing.T) {
	const streams, first = 100_000, 10
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 10 0 R>>endobj\n")
	for i := range streams {
		fmt.Fprintf(&file, "%d 0 obj<</Length %d 0 R>>stream\n", first+i, first+i+1)
	}
	fmt.Fprintf(&file, "%d 0 obj 0 endobj\ntrailer<</Root 1 0 R>>\n", first+streams)
	f, err := pdffile.Open(t.Context(), file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i := range streams {
		f.Stream(pdffile.Ref{Number: first + i})
	}
	if !errors.Is(f.Err(), pdffile.ErrLimit) {
		t.Errorf("%v, want the limit", f.Err())
	}
}

// TestResolve_WhiteSpaceIsWork ensures that white space before an object, within its head and behind its data counts as often as it is read.
func TestResolve_WhiteSpaceIsWork(t *testing.T) {
	space := strings.Repeat(" ", 1<<20)
	for name, object := range map[string]string{
		"before":  space + "2 0 obj 7 endobj",
		"within":  "2 0" + space + "obj 7 endobj",
		"comment": "2 0%" + space + "\nobj 7 endobj",
		"behind":  "2 0 obj<</Length 1>>stream\nx" + space + "endstream endobj",
	} {
		var file bytes.Buffer
		file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
		at := file.Len()
		fmt.Fprintf(&file, "%s\n", object)
		table := file.Len()
		fmt.Fprintf(&file, "xref\n1 2\n%010d 00000 n \n%010d 00000 n \ntrailer<</Root 1 0 R>>\nstartxref\n%d\n%%%%EOF", 9, at, table)
		f, err := pdffile.Open(t.Context(), file.Bytes())
		if err != nil || f.Rebuilt() {
			t.Fatal(name, f.Rebuilt(), err)
		}
		if f.Resolve(pdffile.Ref{Number: 2}) == nil {
			t.Errorf("%s: the object is not read once", name)
		}
		for range 1000 {
			f.Resolve(pdffile.Ref{Number: 2})
		}
		if !errors.Is(f.Err(), pdffile.ErrLimit) {
			t.Errorf("%s: %v, want the limit", name, f.Err())
		}
	}
}
