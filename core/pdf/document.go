// Package pdf writes PDF 1.7 files (ISO 32000-1) that are PDF/A-3b (ISO 19005-3) and PDF/UA-1 (ISO 14289-1) by the way they are made:
// fonts are embedded as subsets with a way back to the text, colours have an output intent, the content stands in a structure tree, and
// the metadata says so. The same calls give the same bytes.
package pdf

import (
	"crypto/md5" // the checksum of embedded files (ISO 32000-1 §7.11.4.1), which protects nothing
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/einvoiced/einvoiced/core/pdf/srgb"
	"github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
	"github.com/einvoiced/einvoiced/core/pdf/xmp"
)

// Producer is what the metadata names as the maker of the file.
const Producer = "einvoiced"

// About is what a document says of itself.
type About struct {
	Title    string
	Author   string
	Subject  string
	Keywords string
	Language string    // a tag of RFC 5646
	Created  time.Time // by the document's content, never by the clock
	FacturX  *xmp.FacturX
}

// Attachment is an embedded file.
type Attachment struct {
	Name         string
	MIMEType     string
	Description  string
	Relationship string // of ISO 19005-3 annex E: Alternative, Data, Source, Supplement or Unspecified
	Data         []byte
}

// Document is a file in the making. It is not safe for concurrent use.
type Document struct {
	Text      *text.Setter
	w         *writer
	about     About
	root      *Element
	pages     []*Page
	fonts     map[*typeface.Loaded]*embedded
	fontOrder []*embedded
	images    map[string]*Image
	attached  []Attachment
	names     map[string]int // of the embedded files, with the last number that was added to one
}

// New begins a document that takes its faces from the library.
func New(about About, library *typeface.Library) *Document {
	return &Document{Text: text.NewSetter(library), w: newWriter(), about: about, root: &Element{Role: RoleDocument},
		fonts: map[*typeface.Loaded]*embedded{}, images: map[string]*Image{}, names: map[string]int{}}
}

// Root is the element that all others are in.
func (d *Document) Root() *Element { return d.root }

// Describe sets what the document says of itself anew, once its content is known.
func (d *Document) Describe(about About) { d.about = about }

// Attach embeds a file. Its name is one that every system takes, and of two with the same name the second gets another.
func (d *Document) Attach(a Attachment) {
	a.Name = fileName(a.Name)
	base, extension := a.Name, path.Ext(a.Name)
	base = strings.TrimSuffix(base, extension)
	for d.names[a.Name] > 0 {
		d.names[base+extension]++
		a.Name = fmt.Sprintf("%s-%d%s", base, d.names[base+extension], extension)
	}
	d.names[a.Name] = 1
	d.attached = append(d.attached, a)
}

// longestName is how many bytes of UTF-8 most file systems take as a name.
const longestName = 255

// fileName is a name without folders, as viewers save a file by it (ISO 32000-1 §7.11.2), and without what cannot be shown.
func fileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, name)
	extension := path.Ext(name)
	if most := longestName - len(extension) - len("-99999"); len(extension) < 32 && len(name)-len(extension) > most {
		name = strings.ToValidUTF8(name[:most], "") + extension
	} else if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	if strings.Trim(name, ".") == "" {
		return "attachment"
	}
	return name
}

// AddPage appends a page.
func (d *Document) AddPage(width, height float64) *Page {
	p := &Page{Width: width, Height: height, doc: d, self: d.w.reserve()}
	d.pages = append(d.pages, p)
	return p
}

// Bytes finishes the file. Nothing can be drawn afterwards.
func (d *Document) Bytes() []byte {
	w := d.w
	tree := w.reserve()
	resources := d.writeResources
	var kids strings.Builder
	for i, p := range d.pages {
		p.Flush()
		fmt.Fprintf(&kids, "%v ", p.self)
		w.putf(p.self, "<</Type/Page/Parent %v/MediaBox[0 0 %s %s]/Resources<<%s>>/Contents%v/StructParents %d"+
			"/Group<</S/Transparency/CS/DeviceRGB>>>>", tree, number(p.Width), number(p.Height), resources(p), p.parts, i)
	}
	d.writeFonts()
	w.putf(tree, "<</Type/Pages/Count %d/Kids[%s]>>", len(d.pages), kids.String())
	catalog := d.writeCatalog(tree, d.writeStructure())
	return w.finish(catalog, d.writeInfo())
}

// writeResources names what a page uses. Fonts are named on each page, whether it uses them or not, since names are those of the document.
func (d *Document) writeResources(p *Page) string {
	var out strings.Builder
	if len(d.fontOrder) > 0 {
		out.WriteString("/Font<<")
		for _, f := range d.fontOrder {
			fmt.Fprintf(&out, "/%s %v", f.name, f.self)
		}
		out.WriteString(">>")
	}
	if len(p.images) > 0 {
		out.WriteString("/XObject<<")
		for _, i := range p.images {
			fmt.Fprintf(&out, "/%s %v", i.name, i.self)
		}
		out.WriteString(">>")
	}
	if len(p.shades) > 0 {
		out.WriteString("/ExtGState<<")
		for i, opacity := range p.shades {
			fmt.Fprintf(&out, "/G%d<</ca %s>>", i, number(opacity))
		}
		out.WriteString(">>")
	}
	return out.String()
}

// writeCatalog writes the root of the objects, with the colours that the document is made for (§14.11.5) and its metadata.
func (d *Document) writeCatalog(pages, structure ref) ref {
	w := d.w
	profile, metadata := w.reserve(), w.reserve()
	w.stream(profile, fmt.Sprintf("/N %d", srgb.Components), srgb.Profile())
	intent := w.add("<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(%s)/Info(%s)/DestOutputProfile %v>>", srgb.Condition, srgb.Condition, profile)
	w.raw(metadata, "/Type/Metadata/Subtype/XML", d.packet().Bytes())
	return w.add("<</Type/Catalog/Version/1.7/Pages %v/Lang(%s)/MarkInfo<</Marked true>>/StructTreeRoot %v/ViewerPreferences<</DisplayDocTitle true>>"+
		"/Metadata %v/OutputIntents[%v]%s>>", pages, d.about.Language, structure, metadata, intent, d.writeAttachments())
}

func (d *Document) packet() xmp.Packet {
	a := d.about
	packet := xmp.Packet{Part: 3, Conformance: "B", UA: 1, Title: a.Title, Description: a.Subject, Language: a.Language, Keywords: a.Keywords,
		Producer: Producer, Created: a.Created, Modified: a.Created, FacturX: a.FacturX}
	if a.Author != "" {
		packet.Creators = []string{a.Author}
	}
	return packet
}

// writeInfo writes the information dictionary (§14.3.3), which says the same as the metadata.
func (d *Document) writeInfo() ref {
	var out strings.Builder
	for _, entry := range []struct{ key, value string }{{"Title", d.about.Title}, {"Author", d.about.Author}, {"Subject", d.about.Subject},
		{"Keywords", d.about.Keywords}, {"Producer", Producer}} {
		if entry.value != "" {
			out.WriteString("/" + entry.key + textString(entry.value))
		}
	}
	if !d.about.Created.IsZero() {
		fmt.Fprintf(&out, "/CreationDate(%s)/ModDate(%[1]s)", date(d.about.Created))
	}
	return d.w.add("<<%s>>", out.String())
}

// date writes a date (§7.9.4) in universal time.
func date(t time.Time) string { return t.UTC().Format("D:20060102150405") + "Z" }

// writeAttachments embeds the files, and gives what the catalog says of them (§7.11.4; ISO 19005-3 §6.8).
func (d *Document) writeAttachments() string {
	if len(d.attached) == 0 {
		return ""
	}
	slices.SortStableFunc(d.attached, func(a, b Attachment) int { return strings.Compare(textString(a.Name), textString(b.Name)) })
	var names, list strings.Builder
	for _, a := range d.attached {
		data := d.w.reserve()
		params := fmt.Sprintf("/Size %d/CheckSum<%x>", len(a.Data), md5.Sum(a.Data))
		if !d.about.Created.IsZero() {
			params += fmt.Sprintf("/CreationDate(%s)/ModDate(%[1]s)", date(d.about.Created))
		}
		d.w.stream(data, fmt.Sprintf("/Type/EmbeddedFile/Subtype%s/Params<<%s>>", name(a.MIMEType), params), a.Data)
		description := ""
		if a.Description != "" {
			description = "/Desc" + textString(a.Description)
		}
		spec := d.w.add("<</Type/Filespec/F%s/UF%[1]s/AFRelationship%s%s/EF<</F %v/UF %[4]v>>>>", textString(a.Name), name(a.Relationship), description, data)
		fmt.Fprintf(&names, "%s %v ", textString(a.Name), spec)
		fmt.Fprintf(&list, "%v ", spec)
	}
	return fmt.Sprintf("/Names<</EmbeddedFiles<</Names[%s]>>>>/AF[%s]", names.String(), list.String())
}
