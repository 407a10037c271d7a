// Package pdfmaker makes small PDF files with embedded files, in the forms that PDF files have, for tests.
package pdfmaker

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"
)

// Form is how a file says where its objects are (ISO 32000-1 §7.5).
type Form int

// The forms: a table, a cross-reference stream with streams of objects, and a table whose hidden objects are in a stream.
const (
	Table Form = iota
	Streams
	HybridReference
)

// Place is where the embedded files are referred to.
type Place int

// The places: the name tree and the associated files, as Factur-X has it; the name tree alone, in two levels; the associated files
// alone; an annotation on the page.
const (
	Everywhere Place = iota
	Tree
	Associated
	Annotation
)

// File is an embedded file.
type File struct {
	Name string
	Data []byte
}

// PDF is a file to be made: one page with a font that is not embedded.
type PDF struct {
	Form   Form
	Place  Place
	Files  []File
	Before string // junk before the header
	After  string // junk after the end
	Extra  string // entries of the catalog
}

// first is the number of the first object beside the catalog and the pages, which a table never hides.
const first = 10

// writer writes objects and remembers where they are.
type writer struct {
	bytes.Buffer
	form    Form
	offsets map[int]int    // of objects in the file
	packed  map[int]string // objects for the stream of objects
	next    int
}

func (w *writer) object(body string) int {
	number := w.next
	w.next++
	w.put(number, body)
	return number
}

// put writes an object; those that are no streams go into a stream of objects where the form has one.
func (w *writer) put(number int, body string) {
	if w.form == Table || strings.HasSuffix(body, "endstream") || w.form == HybridReference && number < first {
		w.offsets[number] = w.Len()
		fmt.Fprintf(w, "%d 0 obj\n%s\nendobj\n", number, body)
		return
	}
	w.packed[number] = body
}

// stream is a compressed stream with entries in its dictionary.
func stream(entries string, data []byte) string {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // a buffer takes everything
	_ = z.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", entries, packed.Len(), &packed)
}

// Bytes makes the file.
func (p PDF) Bytes() []byte {
	w := &writer{form: p.Form, offsets: map[int]int{}, packed: map[int]string{}, next: first}
	w.WriteString(p.Before + "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	specs := p.files(w)
	font := w.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	page := fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Resources<</Font<</F %d 0 R>>>>", font)
	catalog := "<</Type/Catalog/Pages 2 0 R" + p.Extra
	switch list := references(specs, ""); p.Place {
	case Everywhere:
		catalog += fmt.Sprintf("/AF[%s]/Names<</EmbeddedFiles<</Names[%s]>>>>", list, references(specs, "(%d) "))
	case Tree:
		leaf := w.object(fmt.Sprintf("<</Limits[(0)(9)]/Names[%s]>>", references(specs, "(%d) ")))
		catalog += fmt.Sprintf("/Names<</EmbeddedFiles<</Kids[%d 0 R]>>>>", leaf)
	case Associated:
		catalog += fmt.Sprintf("/AF[%s]", list)
	case Annotation:
		var annotations string
		for _, spec := range specs {
			annotations += fmt.Sprintf("<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS %d 0 R>>", spec)
		}
		page += "/Annots[" + annotations + "]"
	}
	w.put(1, catalog+">>")
	w.put(2, "<</Type/Pages/Count 1/Kids[3 0 R]>>")
	w.put(3, page+">>")
	w.end(len(p.Before))
	return append(w.Buffer.Bytes(), p.After...)
}

// files writes the embedded files and their specifications.
func (p PDF) files(w *writer) (specs []int) {
	for _, f := range p.Files {
		at := w.object(stream("/Type/EmbeddedFile/Subtype/text#2Fxml", f.Data))
		specs = append(specs, w.object(fmt.Sprintf("<</Type/Filespec/F(%s)/UF(%[1]s)/AFRelationship/Alternative/EF<</F %d 0 R/UF %[2]d 0 R>>>>", f.Name, at)))
	}
	return specs
}

// references lists objects, each after its place in the list where key has a verb for it.
func references(numbers []int, key string) string {
	var list string
	for i, number := range numbers {
		if key != "" {
			list += fmt.Sprintf(key, i)
		}
		list += fmt.Sprintf("%d 0 R ", number)
	}
	return list
}

// end writes the streams of objects, the cross-reference data and the trailer. Offsets count from base, the begin of the header.
func (w *writer) end(base int) {
	const trailer = "/Root 1 0 R/ID[<01><01>]"
	switch w.form {
	case Table:
		w.table(base, trailer)
	case Streams:
		at := w.Len() - base + w.pack()
		w.xrefStream(base, w.next, trailer)
		fmt.Fprintf(w, "startxref\n%d\n%%%%EOF\n", at)
	case HybridReference:
		at := w.Len() - base + w.pack()
		w.xrefStream(base, w.next, trailer)
		w.next++
		w.table(base, trailer+fmt.Sprintf("/XRefStm %d", at))
	}
}

// pack writes the stream of objects and gives its length.
func (w *writer) pack() int {
	before := w.Len()
	var head, body string
	for number := range w.next {
		if text, ok := w.packed[number]; ok {
			head += fmt.Sprintf("%d %d ", number, len(body))
			body += text + " "
		}
	}
	number := w.next
	w.next++
	w.put(number, stream(fmt.Sprintf("/Type/ObjStm/N %d/First %d", len(w.packed), len(head)), []byte(head+body)))
	return w.Len() - before
}

// xrefStream writes the rows of all objects, with the predictor that writers use.
func (w *writer) xrefStream(base, number int, trailer string) {
	w.offsets[number] = w.Len()
	index := 0
	const width = 1 + 4 + 2
	above := make([]byte, width)
	var rows []byte
	for n := range number + 1 {
		row := make([]byte, width)
		if _, ok := w.packed[n]; ok {
			row[0] = 2
			binary.BigEndian.PutUint32(row[1:], uint32(number-1))
			binary.BigEndian.PutUint16(row[5:], uint16(index))
			index++
		} else if offset, ok := w.offsets[n]; ok {
			row[0] = 1
			binary.BigEndian.PutUint32(row[1:], uint32(offset-base))
		}
		rows = append(rows, 2)
		for i := range row {
			rows = append(rows, row[i]-above[i])
		}
		above = row
	}
	body := stream(fmt.Sprintf("/Type/XRef/W[1 4 2]/DecodeParms<</Predictor 12/Columns %d>>/Size %d%s", width, number+1, trailer), rows)
	fmt.Fprintf(w, "%d 0 obj\n%s\nendobj\n", number, body)
}

// table writes a cross-reference table, in which the objects of streams are free.
func (w *writer) table(base int, trailer string) {
	at := w.Len() - base
	fmt.Fprintf(w, "xref\n0 %d\n", w.next)
	for number := range w.next {
		if offset, ok := w.offsets[number]; ok {
			fmt.Fprintf(w, "%010d 00000 n \n", offset-base)
		} else {
			w.WriteString("0000000000 65535 f \n")
		}
	}
	fmt.Fprintf(w, "trailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n", w.next, trailer, at)
}
