// Package inspect holds a PDF file against what PDF/A-3b (ISO 19005-3), PDF/UA-1 (ISO 14289-1) and Factur-X ask of the structure of a
// file, as far as the writer of core/pdf makes it, and reads its text in the order of its structure. It says less than a validator does.
package inspect

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// Report is what was found.
type Report struct {
	Faults []string // what is not as it should be
	Pages  int
	Text   string // in the order of the structure tree: paragraphs and cells a line each
	Tables int
	Alts   []string // alternative texts of figures
}

const (
	mostMarkedDepth = 28 // nested q (ISO 19005-3 §6.1.13)
	mostStream      = 256 << 20
)

// inspector looks at one file.
type inspector struct {
	*pdffile.File
	report Report
	pages  []page
	fonts  map[pdffile.Ref]*fontInfo
}

type page struct {
	ref    pdffile.Ref
	marked map[int]string // the text of each marked content
}

// Inspect looks at a file. The error says why it cannot be read at all.
func Inspect(ctx context.Context, data []byte) (*Report, error) {
	f, err := pdffile.Open(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	in := &inspector{File: f, fonts: map[pdffile.Ref]*fontInfo{}}
	in.file(data)
	catalog := f.Dict(f.Trailer["Root"])
	in.catalog(catalog)
	in.pageTree(catalog["Pages"], 0)
	in.report.Pages = len(in.pages)
	in.structure(catalog)
	in.attachments(catalog)
	return &in.report, f.Err()
}

func (in *inspector) fault(format string, args ...any) {
	in.report.Faults = append(in.report.Faults, fmt.Sprintf(format, args...))
}

// check notes a fault unless a condition holds.
func (in *inspector) check(holds bool, format string, args ...any) {
	if !holds {
		in.fault(format, args...)
	}
}

// file looks at the header and the trailer (ISO 19005-3 §6.1.2 and §6.1.3).
func (in *inspector) file(data []byte) {
	in.check(bytes.HasPrefix(data, []byte("%PDF-1.7\n%")) && len(data) > 14 && data[10] > 127 && data[11] > 127 && data[12] > 127 && data[13] > 127,
		"the file does not begin with %%PDF-1.7 and a comment of four bytes above 127")
	in.check(!in.Rebuilt(), "the cross-reference data is damaged")
	in.check(in.Trailer["Encrypt"] == nil, "the file is encrypted")
	in.check(len(in.Array(in.Trailer["ID"])) == 2, "the trailer has no ID")
	in.check(bytes.HasSuffix(data, []byte("%%EOF\n")), "something follows the end of the file")
	in.check(bytes.Count(data, []byte("endstream")) == bytes.Count(data, []byte("\nendstream\n")), "endstream does not stand on a line of its own")
}

// catalog looks at what the root of the objects says.
func (in *inspector) catalog(c pdffile.Dict) {
	in.check(in.Dict(c["MarkInfo"])["Marked"] == true, "MarkInfo does not say that the file is tagged")
	in.check(in.Dict(c["ViewerPreferences"])["DisplayDocTitle"] == true, "the title is not to be displayed")
	language, _ := in.Resolve(c["Lang"]).(pdffile.String)
	in.check(language != "", "the document has no language")
	for _, forbidden := range []string{"AcroForm", "OpenAction", "AA", "OCProperties"} {
		in.check(c[pdffile.Name(forbidden)] == nil, "the catalog has %s", forbidden)
	}
	intents := in.Array(c["OutputIntents"])
	in.check(len(intents) == 1, "there are %d output intents", len(intents))
	for _, i := range intents {
		intent := in.Dict(i)
		profile := in.Stream(intent["DestOutputProfile"])
		in.check(in.Name(intent["S"]) == "GTS_PDFA1" && profile != nil && in.Integer(profile.Dict["N"]) == 3, "the output intent is none of PDF/A for red, green and blue")
	}
	in.metadata(c)
}

// metadata looks at the XMP, and whether the information dictionary says the same (ISO 19005-3 §6.6).
func (in *inspector) metadata(c pdffile.Dict) {
	stream := in.Stream(c["Metadata"])
	if stream == nil {
		in.fault("there is no metadata")
		return
	}
	in.check(stream.Dict["Filter"] == nil, "the metadata is compressed")
	data, err := in.Decode(stream, mostStream)
	in.check(err == nil, "the metadata cannot be read: %v", err)
	text := string(data)
	for _, part := range []string{"pdfaid:part>3<", "pdfaid:conformance>B<", "pdfuaid:part>1<"} {
		in.check(strings.Contains(text, part), "the metadata does not have %s", part)
	}
	head, _, _ := strings.Cut(text, "?>")
	in.check(!strings.Contains(head, "bytes=") && !strings.Contains(head, "encoding="), "the header of the metadata has bytes or encoding")
	for _, key := range []pdffile.Name{"Title", "Author", "Subject"} {
		if s, ok := in.Resolve(in.Dict(in.Trailer["Info"])[key]).(pdffile.String); ok {
			in.check(strings.Contains(text, escaped(utf16Text(string(s)))), "%s is not the same in the metadata", key)
		}
	}
}

func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// pageTree walks the pages.
func (in *inspector) pageTree(o pdffile.Object, depth int) {
	node := in.Dict(o)
	for _, kid := range in.Array(node["Kids"]) {
		ref, _ := kid.(pdffile.Ref)
		if in.Dict(kid)["Kids"] != nil && depth < 30 {
			in.pageTree(kid, depth+1)
			continue
		}
		in.page(ref, in.Dict(kid))
	}
}

// page looks at what a page draws and collects the text of its marked contents.
func (in *inspector) page(ref pdffile.Ref, p pdffile.Dict) {
	in.check(p["StructParents"] != nil, "a page has no StructParents")
	resources := in.Dict(p["Resources"])
	var data []byte
	for _, part := range in.Array(p["Contents"]) {
		stream, err := in.Decode(in.Stream(part), mostStream)
		in.check(err == nil, "a content stream cannot be read: %v", err)
		data = append(append(data, stream...), '\n')
	}
	list, err := operations(data)
	in.check(err == nil, "%v", err)
	w := &walker{inspector: in, resources: resources, page: page{ref, map[int]string{}}}
	for _, op := range list {
		w.take(op)
	}
	in.check(len(w.open) == 0 && w.saved == 0, "a page leaves marked content or a graphics state open")
	in.pages = append(in.pages, w.page)
	in.resources(resources)
}

// resources looks at fonts and images.
func (in *inspector) resources(r pdffile.Dict) {
	for name, o := range in.Dict(r["XObject"]) {
		img := in.Stream(o)
		in.check(img != nil && in.Name(img.Dict["Subtype"]) == "Image" && img.Dict["Interpolate"] != true, "%s is no image, or is interpolated", name)
		if img != nil {
			in.check(in.Name(img.Dict["Filter"]) != "LZWDecode", "%s is compressed by LZW", name)
		}
	}
	in.check(r["Pattern"] == nil && r["Shading"] == nil, "a page has patterns or shadings, which the writer does not make")
}

// attachments looks at embedded files (ISO 19005-3 §6.8).
func (in *inspector) attachments(c pdffile.Dict) {
	named := in.Array(in.Dict(in.Dict(c["Names"])["EmbeddedFiles"])["Names"])
	associated := in.Array(c["AF"])
	in.check(len(named) == 2*len(associated), "%d embedded files have names, %d are associated with the document", len(named)/2, len(associated))
	for _, o := range associated {
		spec := in.Dict(o)
		in.check(spec["F"] != nil && spec["UF"] != nil && in.Name(spec["AFRelationship"]) != "", "a file specification lacks F, UF or AFRelationship")
		file := in.Stream(in.Dict(spec["EF"])["F"])
		in.check(file != nil && strings.Contains(string(in.Name(file.Dict["Subtype"])), "/"), "an embedded file has no MIME type")
	}
}
