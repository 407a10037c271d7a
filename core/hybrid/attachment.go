package hybrid

import (
	"cmp"
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
	maxNameShown   = 100      // characters
	maxName        = 4 << 10  // bytes that are looked at
	maxText        = 64 << 10 // bytes of any other text
)

// attachment is an embedded file and its file specification (ISO 32000-1 §7.11.3, table 44 and 45).
type attachment struct {
	name         string
	mime         string
	relationship pdffile.Name // AFRelationship (ISO 32000-2 §7.11.3)
	associated   bool         // an AF entry refers to it
	likely       int          // the rank of its name and type
	at           pdffile.Ref  // the stream
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
	if a.associated {
		return 2 * a.likely
	}
	return 2*a.likely + 1
}

// likelihood is the rank of a file by its name and type.
func (a attachment) likelihood() int {
	rank := slices.IndexFunc(invoiceNames, func(name string) bool { return strings.EqualFold(name, a.name) })
	if rank < 0 {
		if !strings.HasSuffix(strings.ToLower(a.name), ".xml") && a.mime != "text/xml" && a.mime != "application/xml" {
			return notXML
		}
		rank = len(invoiceNames)
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
		d.add(names[1], d.text(names[0], maxName), false)
	}
	for _, kid := range d.file.Array(dict["Kids"]) {
		d.node(kid, seen, depth+1)
	}
}

// fromAssociated takes an array of associated files, or the one that stands alone.
func (d *Document) fromAssociated(o pdffile.Object) {
	for _, spec := range d.associated(o) {
		d.add(spec, "", true)
	}
}

func (d *Document) associated(o pdffile.Object) pdffile.Array {
	if list := d.file.Array(o); list != nil || o == nil {
		return list
	}
	return pdffile.Array{o}
}

// add takes a file specification.
func (d *Document) add(o pdffile.Object, name string, associated bool) {
	if len(d.found) < maxAttachments {
		d.take(d.attachment(o, name, associated))
	}
}

// take enters an attachment. One that is there already may become associated.
func (d *Document) take(a attachment) {
	if a.at == (pdffile.Ref{}) || len(d.found) >= maxAttachments {
		return
	}
	if i, known := d.places[a.at]; known {
		d.found[i].associated = d.found[i].associated || a.associated
		return
	}
	d.places[a.at] = len(d.found)
	d.found = append(d.found, a)
}

// attachment reads a file specification; at nothing where it is none. Of the file nothing is kept but what stands here.
func (d *Document) attachment(o pdffile.Object, name string, associated bool) attachment {
	spec := d.file.Dict(o)
	files := d.file.Dict(spec["EF"])
	at, isRef := cmp.Or(files["F"], files["UF"]).(pdffile.Ref) // streams stand on their own
	stream := d.file.Stream(at)
	if !isRef || stream == nil {
		return attachment{}
	}
	for _, key := range []pdffile.Name{"F", "UF"} {
		if text := d.text(spec[key], maxName); text != "" {
			name = text
		}
	}
	a := attachment{name: name, mime: strings.ToLower(d.name(stream.Dict["Subtype"])), relationship: pdffile.Name(d.name(spec["AFRelationship"])),
		associated: associated, at: at}
	a.likely = a.likelihood()
	return a
}

// name gives a name; empty where it is longer than any is that means something here.
func (d *Document) name(o pdffile.Object) string {
	const longest = 127 // bytes (ISO 32000-1 annex C.2)
	if name := d.file.Name(o); len(name) <= longest {
		return strings.Clone(string(name))
	}
	return ""
}

// text gives a text string (§7.9.2.2): UTF-16 or UTF-8 with a byte order mark, else bytes that are taken as Latin-1, from which
// PDFDocEncoding differs only in signs that no name of an invoice has. What stands behind so many bytes is left out.
func (d *Document) text(o pdffile.Object, most int) string {
	s, _ := d.file.Resolve(o).(pdffile.String)
	text := cut(string(s), most)
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

// cut gives the begin of a text, up to a whole character of UTF-8 where the text is that.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	if utf8.ValidString(text[:end]) {
		return strings.Clone(text[:end])
	}
	return strings.Clone(text[:most])
}

func fromUTF16(text string) string {
	units := make([]uint16, 0, len(text)/2)
	for ; len(text) >= 2; text = text[2:] {
		units = append(units, uint16(text[0])<<8|uint16(text[1]))
	}
	return string(utf16.Decode(units))
}
