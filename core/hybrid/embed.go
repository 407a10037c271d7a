package hybrid

import (
	"crypto/md5"
	"fmt"
	"maps"
	"time"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/core/pdf/srgb"
	"github.com/einvoiced/einvoiced/core/pdf/xmp"
)

// Attachment is an invoice that is to be embedded.
type Attachment struct {
	XML          []byte
	Name         string    // of the embedded file, e.g. factur-x.xml
	Description  string    // for people
	Relationship string    // AFRelationship: Alternative where the XML says what the pages say, else Data
	Modified     time.Time // the date that the embedded file bears
	Metadata     xmp.FacturX
}

// Embed embeds an invoice by an incremental update, and gives what is to stand behind the bytes of the PDF. An invoice that is there
// already is replaced: in the name tree of embedded files, among the associated files of the document and of pages, and among the
// annotations. The metadata says what the file is then; colours get a meaning where none is declared. The same PDF and invoice give the
// same bytes.
//
// Errors wrap those of pdffile, ErrCrossReferences where only a repair helps.
func (d *Document) Embed(a Attachment) ([]byte, error) { return d.embed(a, (*pdffile.File).Update) }

// EmbedDamaged is Embed for a PDF whose cross-reference data is broken: what is appended has new for all objects that were found.
func (d *Document) EmbedDamaged(a Attachment) ([]byte, error) {
	return d.embed(a, (*pdffile.File).UpdateDamaged)
}

func (d *Document) embed(a Attachment, begin func(*pdffile.File) (*pdffile.Update, error)) ([]byte, error) {
	u, err := begin(d.file)
	if err != nil {
		return nil, fmt.Errorf("update the PDF: %w", err)
	}
	root, ok := d.file.Trailer["Root"].(pdffile.Ref)
	if !ok {
		return nil, fmt.Errorf("update the PDF: %w", pdffile.ErrCrossReferences)
	}
	e := &embedder{Document: d, update: u, catalog: maps.Clone(d.catalog), replaced: map[pdffile.Ref]bool{}}
	spec := e.invoice(a)
	if err := e.names(a.Name, spec); err != nil {
		return nil, err
	}
	files, _ := e.without(e.catalog["AF"])
	e.catalog["AF"] = append(files, spec)
	e.cleanPages()
	e.forget()
	e.describe(a)
	e.intend()
	e.catalog["Type"] = pdffile.Name("Catalog")
	if d.file.Version() < oldest && d.file.Name(e.catalog["Version"]) < oldest {
		e.catalog["Version"] = pdffile.Name(oldest)
	}
	u.Replace(root, e.catalog)
	added, err := u.Finish()
	if err != nil {
		return nil, fmt.Errorf("update the PDF: %w", err)
	}
	return added, nil
}

// oldest is the least version of PDF that the result declares: that of ISO 32000-1, on which PDF/A-3 stands.
const oldest = "1.7"

// embedder is one embedding in the making.
type embedder struct {
	*Document
	update  *pdffile.Update
	catalog pdffile.Dict // of the result

	replaced map[pdffile.Ref]bool // file specifications of invoices that were there
}

// invoice adds the embedded file (ISO 32000-1 §7.11.4, ISO 19005-3 §6.8) and gives its file specification.
func (e *embedder) invoice(a Attachment) pdffile.Ref {
	sum := md5.Sum(a.XML)
	stream := e.update.AddEmbedded(pdffile.Dict{
		"Type": pdffile.Name("EmbeddedFile"), "Subtype": pdffile.Name("text/xml"),
		"Params": pdffile.Dict{
			"ModDate": pdffile.String(a.Modified.UTC().Format("D:20060102150405Z")), "Size": pdffile.Integer(len(a.XML)),
			"CheckSum": pdffile.String(sum[:]),
		},
	}, a.XML)
	return e.update.Add(pdffile.Dict{
		"Type": pdffile.Name("Filespec"), "F": pdffile.String(a.Name), "UF": pdffile.String(a.Name), "Desc": pdffile.String(a.Description),
		"AFRelationship": pdffile.Name(a.Relationship), "EF": pdffile.Dict{"F": stream, "UF": stream},
	})
}

// describe writes the metadata: that which is there with what the embedding changes, or new one where there is none that can be read.
func (e *embedder) describe(a Attachment) {
	var data []byte
	var err error
	dict := pdffile.Dict{"Type": pdffile.Name("Metadata"), "Subtype": pdffile.Name("XML")}
	if stream := e.file.Stream(e.catalog["Metadata"]); stream != nil {
		if data, err = e.file.Decode(stream, maxMetadata); err == nil {
			data, err = xmp.Merge(data, a.Metadata)
		}
		if e.file.Plain(stream) {
			dict["Filter"], dict["DecodeParms"] = stream.Dict["Filter"], stream.Dict["DecodeParms"]
		}
	}
	if data == nil || err != nil {
		packet := e.information()
		packet.Part, packet.Conformance, packet.FacturX = 3, "B", &a.Metadata
		data = packet.Bytes()
	}
	e.catalog["Metadata"] = e.update.AddMetadata(dict, data)
}

// information is what the document information dictionary says (§14.3.3): the metadata has to say the same.
func (e *embedder) information() xmp.Packet {
	info := e.file.Dict(e.file.Trailer["Info"])
	text := func(key pdffile.Name) string { return e.text(info[key], maxText) }
	packet := xmp.Packet{Title: text("Title"), Description: text("Subject"), Keywords: text("Keywords"), CreatorTool: text("Creator"),
		Producer: text("Producer"), Created: date(text("CreationDate")), Modified: date(text("ModDate"))}
	if author := text("Author"); author != "" {
		packet.Creators = []string{author}
	}
	return packet
}

// intend adds an output intent (§14.11.5) where there is none.
func (e *embedder) intend() {
	if len(e.file.Array(e.catalog["OutputIntents"])) > 0 {
		return
	}
	profile := e.update.AddStream(pdffile.Dict{"N": pdffile.Integer(srgb.Components)}, srgb.Profile())
	e.catalog["OutputIntents"] = pdffile.Array{e.update.Add(pdffile.Dict{
		"Type": pdffile.Name("OutputIntent"), "S": pdffile.Name("GTS_PDFA1"), "DestOutputProfile": profile,
		"OutputConditionIdentifier": pdffile.String(srgb.Condition), "Info": pdffile.String(srgb.Condition),
	})}
}
