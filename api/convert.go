package api

import (
	"bytes"
	"context"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
)

// convertQuery are the options of a conversion. A request has them as members of JSON, as parts of a multipart body, or in the query,
// where the body is the document itself; what the body says wins.
var convertQuery = []string{"sourceCountry", "sourceFormat", "targetCountry", "targetFormat", "templateId", "formatOptions", "validate", "index", "attachSource"}

// textOptions are those of them that are texts in JSON.
var textOptions = convertQuery[:5]

// conversionMembers are what the body of convert may have as JSON.
var conversionMembers = slices.Concat([]string{"data", "xml", "filename"}, convertQuery)

// readConversion takes the document of a conversion with its options.
func (s *Server) readConversion(c *call, in *intake, o *job.Order) error {
	up := &upload{known: conversionMembers, options: map[string]jsontext.Value{}}
	read := up.readConversionJSON
	switch t := mediaType(c.r.Header); {
	case t == "multipart/form-data":
		read = up.readConversionParts
	case isDocument(t):
		read = readBare
	case acceptJSON(c.r) != nil:
		return unsupported(t, append([]string{typeJSON, "multipart/form-data with a part file"}, documentTypes...)...)
	}
	file, err := uploaded(in, c.r, read)
	if err != nil {
		return err
	}
	p := o.Parameters.(*kinds.ConvertParameters)
	if err := addOptions(p, up.options); err != nil {
		return err
	}
	setDocument(o, file)
	return nil
}

// readConversionQuery takes the options that the query has.
func readConversionQuery(p *kinds.ConvertParameters, query url.Values) error {
	options := map[string]jsontext.Value{}
	for _, name := range convertQuery {
		if query.Has(name) {
			options[name] = optionOf(name, query.Get(name))
		}
	}
	return addOptions(p, options)
}

// optionOf is an option that was sent as a text as JSON has it. What is none there is told as such.
func optionOf(name, text string) jsontext.Value {
	if slices.Contains(textOptions, name) || !jsontext.Value(text).IsValid() {
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return jsontext.Value(`""`)
		}
		return quoted
	}
	return jsontext.Value(text)
}

// addOptions reads options into the parameters of an order.
func addOptions(p *kinds.ConvertParameters, options map[string]jsontext.Value) error {
	if len(options) == 0 {
		return nil
	}
	var text bytes.Buffer
	for i, name := range slices.Sorted(maps.Keys(options)) {
		text.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		text.WriteString(`"` + name + `":`)
		text.Write(options[name])
	}
	text.WriteByte('}')
	body, errs, err := invoice.DecodeConvert(text.Bytes(), invoice.Options{
		Unknown: func(place, known string) { p.Infos = resembled(p.Infos, place, known, []string{known}) }})
	if err == nil {
		err = invoice.Refuse(errs)
	}
	if err == nil {
		p.Options = overlaid(p.Options, *body)
	}
	return err
}

// overlaid are options with those of the body in place of those of the query.
func overlaid(query, body invoice.ConvertBody) invoice.ConvertBody {
	over(&query.SourceCountry, body.SourceCountry)
	over(&query.SourceFormat, body.SourceFormat)
	over(&query.TargetCountry, body.TargetCountry)
	over(&query.TargetFormat, body.TargetFormat)
	over(&query.TemplateID, body.TemplateID)
	over(&query.FormatOptions, body.FormatOptions)
	over(&query.Validate, body.Validate)
	over(&query.Index, body.Index)
	over(&query.AttachSource, body.AttachSource)
	return query
}

func over[T comparable](to *T, given T) {
	var none T
	if given != none {
		*to = given
	}
}

// readConversionJSON takes the document and the options from JSON.
func (up *upload) readConversionJSON(r *http.Request, body []byte) (*upload, error) {
	if looksLikeDocument(body[:min(len(body), sniffed)]) {
		return readBare(r, body)
	}
	return up, up.readJSON(r.Context(), body, up.conversionMember)
}

// conversionMember reads one member of the body of convert.
func (up *upload) conversionMember(ctx context.Context, dec *jsontext.Decoder, name string) (err error) {
	switch {
	case name == "xml":
		up.document, err = readString(dec, name)
	case slices.Contains(convertQuery, name):
		var raw jsontext.Value
		if raw, err = dec.ReadValue(); err != nil {
			return notJSON(err, "")
		}
		up.options[name] = raw.Clone()
	default:
		return up.member(ctx, dec, name)
	}
	return err
}

// readConversionParts takes the part file and those that are options.
func (up *upload) readConversionParts(r *http.Request, body []byte) (*upload, error) {
	return readParts(r, body, maxParts+len(convertQuery), func(part *multipart.Part) error {
		name := part.FormName()
		if !slices.Contains(convertQuery, name) {
			_, err := io.Copy(io.Discard, part)
			return err
		}
		text, err := io.ReadAll(io.LimitReader(part, maxOption+1))
		if err == nil && len(text) > maxOption {
			return badField(name, finding.StringTooLong, name+": is too long")
		}
		up.options[name] = optionOf(name, string(text))
		return err
	})
}

// maxOption is the most bytes of an option in a part of its own.
const maxOption = 1 << 20
