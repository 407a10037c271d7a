package qrbill

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Namespace is that of the XML that a payload is between reading and writing. It is our own: no such document is sent.
const Namespace = "urn:einvoiced:qr-bill"

// largest is how many bytes of a text are looked at. A payload has at most 997 characters (implementation guidelines, §4.2.1).
const largest = 16 << 10

// The elements of the lines, in their order, by the names of the guidelines' table of elements (§4.2.2).
var elements = append(append(append(append(append(
	[]string{"Header/QRType", "Header/Version", "Header/Coding", "CdtrInf/IBAN"},
	address("CdtrInf/Cdtr/")...), address("UltmtCdtr/")...),
	"CcyAmt/Amt", "CcyAmt/Ccy"), address("UltmtDbtr/")...),
	"RmtInf/Tp", "RmtInf/Ref", "RmtInf/AddInf/Ustrd", "RmtInf/AddInf/Trailer", "RmtInf/AddInf/StrdBkgInf", "AltPmtInf/AltPmt1", "AltPmtInf/AltPmt2")

func address(below string) []string {
	return []string{below + "AdrTp", below + "Name", below + street, below + number, below + "PstCd", below + "TwnNm", below + "Ctry"}
}

// The elements of street and house number in a structured address, and what the same lines are in a combined one.
const (
	street = "StrtNmOrAdrLine1"
	number = "BldgNbOrAdrLine2"
	line1  = "AdrLine1"
	line2  = "AdrLine2"
)

// further is the element of a line behind the last.
const further = "Line"

// mandatory is how many lines a payload has at least: the last of them is the trailer.
const mandatory = 31

// like tells payloads by their type and version, or by one of them and the trailer where that belongs.
func like(document []byte) bool {
	lines := split(document[:min(len(document), largest)])
	if len(lines) < 2 {
		return false
	}
	signs := 0
	for _, sign := range []bool{
		lines[0] == "SPC",
		len(lines[1]) == 4 && strings.HasPrefix(lines[1], "02"),
		len(lines) >= mandatory && lines[mandatory-1] == "EPD",
	} {
		if sign {
			signs++
		}
	}
	return signs >= 2
}

// split takes a text apart: its lines end in LF, or in CR and LF.
func split(document []byte) []string {
	text := strings.TrimPrefix(string(document), "\uFEFF")
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// lift gives the XML of a payload. An element for each line stands on the line of the same number.
func lift(document []byte) ([]byte, error) {
	if len(document) > largest {
		return nil, fmt.Errorf("the text has %d bytes; a QR-bill has at most 997 characters", len(document))
	}
	lines := split(document)
	if last := len(lines) - 1; lines[last] == "" && last >= mandatory && last < len(elements) {
		lines = lines[:last] // the file ends in a separator
	}
	var b bytes.Buffer
	b.WriteString(`<QRBill xmlns="` + Namespace + `">`)
	var open []string
	for i, text := range lines {
		path := further
		if i < len(elements) {
			path = named(elements[i], lines)
		}
		if at := firstIllegal(text); at >= 0 {
			return nil, fmt.Errorf("line %d has a character at byte %d that no text has", i+1, at)
		}
		steps := strings.Split(path, "/")
		open = turn(&b, open, steps[:len(steps)-1])
		name := steps[len(steps)-1]
		b.WriteString("<" + name + ">" + escape.Replace(text) + "</" + name + ">")
		if i < len(lines)-1 {
			b.WriteByte('\n')
		}
	}
	turn(&b, open, nil)
	b.WriteString("</QRBill>")
	return b.Bytes(), nil
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// named is the element of a line: those of a combined address have other names.
func named(path string, lines []string) string {
	for _, party := range []struct {
		below string
		typed int // index of the line with the type of the address
	}{{"CdtrInf/Cdtr/", 4}, {"UltmtCdtr/", 11}, {"UltmtDbtr/", 20}} {
		if strings.HasPrefix(path, party.below) && party.typed < len(lines) && lines[party.typed] == "K" {
			return strings.Replace(strings.Replace(path, street, line1, 1), number, line2, 1)
		}
	}
	return path
}

// turn closes the elements that are open and not among those wanted, and opens the others.
func turn(b *bytes.Buffer, open, wanted []string) []string {
	same := 0
	for same < len(open) && same < len(wanted) && open[same] == wanted[same] {
		same++
	}
	for i := len(open) - 1; i >= same; i-- {
		b.WriteString("</" + open[i] + ">")
	}
	for _, name := range wanted[same:] {
		b.WriteString("<" + name + ">")
	}
	return wanted
}

// firstIllegal is the offset of the first byte that is no text: control characters, and what is no UTF-8; -1 where there is none.
func firstIllegal(text string) int {
	for i, r := range text {
		if r < ' ' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return i
		}
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return i
		}
	}
	return -1
}

// lower gives the payload of a tree: its lines joined by LF, without one at the end. Lines behind the trailer stand there as far as the
// last of them that says something.
func lower(doc *xmltree.Document) []byte {
	texts := make([]string, len(elements))
	var more []string
	collect(doc, doc.Root(), "", func(path, text string) {
		for i, of := range elements {
			if of == path {
				texts[i] = plain(text)
			}
		}
		if path == further {
			more = append(more, plain(text))
		}
	})
	texts = append(texts, more...)
	for len(texts) > mandatory && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	return []byte(strings.Join(texts, "\n"))
}

// plain is a text in one line.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// collect tells the paths and texts of the elements with nothing but a text.
func collect(doc *xmltree.Document, at xmltree.Node, below string, tell func(path, text string)) {
	for c, end := doc.Children(at); c < end; c = doc.End(c) {
		if doc.Kind(c) != xmltree.KindElement {
			continue
		}
		path := below + doc.Local(c)
		if text, is := doc.TextOf(c); is {
			tell(path, string(text))
			continue
		}
		collect(doc, c, path+"/", tell)
	}
}
