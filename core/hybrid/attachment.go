package hybrid

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// Limits on the embedded files.
const (
	maxAttachments = 10_000
	maxTreeDepth   = 32
	maxNameShown   = 100 // characters
)

// attachment is an embedded file and its file specification (ISO 32000-1 §7.11.3, table 44 and 45).
type attachment struct {
	name         string
	mime         string
	relationship pdffile.Name // AFRelationship (ISO 32000-2 §7.11.3)
	associated   bool         // an AF entry refers to it
	at           pdffile.Object
	stream       *pdffile.Stream
}

// shown is the name without what has no place in a message.
func (a attachment) shown() string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, a.name)
	if runes := []rune(clean); len(runes) > maxNameShown {
		clean = string(runes[:maxNameShown]) + "…"
	}
	return clean
}

// notXML is the rank of what is no invoice by its name and type.
const notXML = 1_000

// rank tells how likely a file is the invoice; the least is the likeliest.
func (a attachment) rank() int {
	rank := slices.IndexFunc(invoiceNames, func(name string) bool { return strings.EqualFold(name, a.name) })
	if rank < 0 {
		if !strings.HasSuffix(strings.ToLower(a.name), ".xml") && a.mime != "text/xml" && a.mime != "application/xml" {
			return notXML
		}
		rank = len(invoiceNames)
	}
	rank *= 2
	if !a.associated {
		rank++
	}
	return rank
}

// fromTree takes the name tree of embedded files (§7.7.4, §7.9.6).
func (d *Document) fromTree() {
	d.node(d.file.Dict(d.catalog["Names"])["EmbeddedFiles"], map[pdffile.Object]bool{}, 0)
}

func (d *Document) node(o pdffile.Object, seen map[pdffile.Object]bool, depth int) {
	if ref, ok := o.(pdffile.Ref); ok {
		if seen[ref] {
			return
		}
		seen[ref] = true
	}
	dict := d.file.Dict(o)
	if dict == nil || depth > maxTreeDepth {
		return
	}
	names := d.file.Array(dict["Names"])
	for ; len(names) >= 2; names = names[2:] {
		d.add(names[1], d.text(names[0]), false)
	}
	for _, kid := range d.file.Array(dict["Kids"]) {
		d.node(kid, seen, depth+1)
	}
}

// fromAssociated takes an array of associated files, or the one that stands alone.
func (d *Document) fromAssociated(o pdffile.Object) {
	list := d.file.Array(o)
	if list == nil {
		list = pdffile.Array{o}
	}
	for _, spec := range list {
		d.add(spec, "", true)
	}
}

// add takes a file specification. One that is there already may become associated.
func (d *Document) add(o pdffile.Object, name string, associated bool) {
	spec := d.file.Dict(o)
	files := d.file.Dict(spec["EF"])
	if files == nil || len(d.found) >= maxAttachments {
		return
	}
	at := files["F"]
	if at == nil {
		at = files["UF"]
	}
	stream := d.file.Stream(at)
	if stream == nil {
		return
	}
	for i := range d.found {
		if ref, ok := at.(pdffile.Ref); ok && d.found[i].at == ref {
			d.found[i].associated = d.found[i].associated || associated
			return
		}
	}
	for _, key := range []pdffile.Name{"F", "UF"} {
		if text := d.text(spec[key]); text != "" {
			name = text
		}
	}
	d.found = append(d.found, attachment{name: name, mime: strings.ToLower(string(d.file.Name(stream.Dict["Subtype"]))),
		relationship: d.file.Name(spec["AFRelationship"]), associated: associated, at: at, stream: stream})
}

// text gives a text string (§7.9.2.2): UTF-16 or UTF-8 with a byte order mark, else bytes that are taken as Latin-1, from which
// PDFDocEncoding differs only in signs that no name of an invoice has.
func (d *Document) text(o pdffile.Object) string {
	s, _ := d.file.Resolve(o).(pdffile.String)
	text := string(s)
	switch {
	case strings.HasPrefix(text, "\xFE\xFF"):
		return fromUTF16(text[2:])
	case strings.HasPrefix(text, "\xEF\xBB\xBF"):
		return text[3:]
	case utf8.ValidString(text):
		return text
	}
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

func fromUTF16(text string) string {
	units := make([]uint16, 0, len(text)/2)
	for ; len(text) >= 2; text = text[2:] {
		units = append(units, uint16(text[0])<<8|uint16(text[1]))
	}
	return string(utf16.Decode(units))
}
