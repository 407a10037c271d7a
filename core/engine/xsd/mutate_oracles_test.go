//go:build oracles

package xsd

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// span is where an element stands in a document: its start tag from start to open, its end tag from shut to end.
type span struct{ start, open, shut, end int }

// spans lists the elements of a document in order.
func spans(t *testing.T, data []byte) []span {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var all []span
	var open []int
	for {
		before := int(d.InputOffset())
		token, err := d.RawToken()
		after := int(d.InputOffset())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token.(type) {
		case xml.StartElement:
			open = append(open, len(all))
			all = append(all, span{start: before, open: after})
		case xml.EndElement:
			s := &all[open[len(open)-1]]
			s.shut, s.end = before, after
			open = open[:len(open)-1]
		}
	}
}

// texts and attributes are what mutations write.
var (
	mutantTexts = []string{"", " ", "x", "-1.50", "1e3", "true", "1", "2024-02-29", "2023-02-29", "2024-02-29Z", "12:30:00", "2024-02-29T12:30:00",
		"QUJD", "=", " padded  twice ", "urn:x y", "%zz", "ÄÖ"}
	mutantAttributes = []string{`schemeID="x"`, `currencyID="EUR"`, `currencyID=""`, `unitCode="C62"`, `unitCode="TOOLONG"`, `listID="6"`, `listAgencyID="6"`,
		`listAgencyID=" 6 "`, `languageID="de"`, `languageID="not a language"`, `format="102"`, `mimeCode="text/plain"`, `filename="f"`, `uri="%zz"`,
		`Id="i1"`, `unknown="1"`, `xml:lang="de"`, `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"`,
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2" xsi:type="t:NoteType"`,
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:t="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100" xsi:type="t:TextType"`}
)

// mutation changes a document at one of its elements.
type mutation func(r *rand.Rand, data []byte, all []span, at span) []byte

// mutations by what they do to the order and number of elements, to values and to attributes.
var mutations = map[string]mutation{
	"remove": func(_ *rand.Rand, data []byte, _ []span, at span) []byte { return splice(data, at.start, at.end, "") },
	"double": func(_ *rand.Rand, data []byte, _ []span, at span) []byte {
		return splice(data, at.end, at.end, string(data[at.start:at.end]))
	},
	"move":   moveElement,
	"swap":   swapElements,
	"rename": renameElement,
	"text": func(r *rand.Rand, data []byte, _ []span, at span) []byte {
		return splice(data, at.open, at.shut, pick(r, mutantTexts))
	},
	"blend": func(r *rand.Rand, data []byte, _ []span, at span) []byte {
		return splice(data, at.open, at.open, pick(r, mutantTexts))
	},
	"attribute": addAttribute,
	"bare":      bareElement,
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func splice(data []byte, from, to int, text string) []byte {
	return slices.Concat(data[:from], []byte(text), data[to:])
}

// moveElement puts a copy of another element before this one.
func moveElement(r *rand.Rand, data []byte, all []span, at span) []byte {
	other := all[r.IntN(len(all))]
	return splice(data, at.start, at.start, string(data[other.start:other.end]))
}

// swapElements exchanges an element and its next sibling.
func swapElements(_ *rand.Rand, data []byte, all []span, at span) []byte {
	for _, next := range all {
		if next.start >= at.end && len(bytes.TrimSpace(data[at.end:next.start])) == 0 {
			return slices.Concat(data[:at.start], data[next.start:next.end], data[at.start:at.end], data[next.end:])
		}
	}
	return data
}

// renameElement gives an element the name of another.
func renameElement(r *rand.Rand, data []byte, all []span, at span) []byte {
	if at.shut == at.end { // an empty-element tag
		return data
	}
	other := all[r.IntN(len(all))]
	old, name := tagName(data, at), tagName(data, other)
	data = splice(data, at.shut, at.end, "</"+name+">")
	return splice(data, at.start+1, at.start+1+len(old), name)
}

func tagName(data []byte, at span) string {
	name := string(data[at.start+1 : at.open])
	return name[:strings.IndexAny(name, " \t\r\n/>")]
}

func addAttribute(r *rand.Rand, data []byte, _ []span, at span) []byte {
	place := at.start + 1 + len(tagName(data, at))
	return splice(data, place, place, " "+pick(r, mutantAttributes))
}

// bareElement takes away the attributes of an element.
func bareElement(_ *rand.Rand, data []byte, _ []span, at span) []byte {
	if at.shut == at.end {
		return data
	}
	return splice(data, at.start+1+len(tagName(data, at)), at.open-1, "")
}
