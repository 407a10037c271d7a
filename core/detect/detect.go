// Package detect tells which format, version and country a document is, with a confidence. It looks at the document element,
// the specification identifier and the parties, never at whether the document is right.
package detect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
)

// The ways to know a format (contract supplement §2, formatMethod).
const (
	ByNamespace       = "NAMESPACE"
	ByRootElement     = "ROOT_ELEMENT"
	ByCustomizationID = "CUSTOMIZATION_ID"
	ByProfileID       = "PROFILE_ID"
	ByHeuristic       = "HEURISTIC"
)

// The sources of the country (supplement §2, countrySource).
const (
	FromDocument = "DOCUMENT"
	FromFormat   = "FORMAT_MAPPING"
	Unknown      = "UNKNOWN"
)

// Sure is the confidence from which a format counts as detected.
const Sure = 50

// Result is what a document was found to be.
type Result struct {
	Format        string // detection id, e.g. XRECHNUNG_UBL; empty when nothing was found
	Syntax        string // ubl, cii or another path token whose documents have this element
	Token         string // path token under which the country has the format
	Version       string // empty when the document does not tell
	Country       string // upper case, empty when unknown
	Confidence    int    // 0..100
	Method        string
	CountrySource string
	Alternatives  []string              // countries that use the same format, when the document names none
	Specification string                // specification identifier (BT-24); empty in syntaxes of other standards
	Customisation *format.Customisation // row of the catalogue; nil when nothing was found
}

// The confidences: of what the specification identifier names, of an identifier that goes on from that in a way that is not known, of
// one that is the standard's, of one that goes on from that, of a document element that only one format has, of a document element alone.
const (
	surelyNamed    = 100
	namedAndMore   = 90
	surelyStandard = 95
	standardMore   = 85
	surelyElement  = 90
	rootAlone      = 80
)

// Document detects a parsed document among the formats of a catalogue.
func Document(formats *format.Catalogue, doc *xmltree.Document) Result {
	return within(formats, doc, "")
}

// Carried detects a parsed document that a file of another format carries, which the path token names. Where the specification
// identifier is that of the standard alone, the carrier tells that it is the profile of a hybrid that has this identifier.
func Carried(formats *format.Catalogue, doc *xmltree.Document, carrier string) Result {
	return within(formats, doc, carrier)
}

func within(formats *format.Catalogue, doc *xmltree.Document, carrier string) Result {
	for _, syntax := range formats.Syntaxes() {
		if e, ok := syntax.Element(doc); ok {
			return identify(formats, doc, syntax, e, carrier)
		}
	}
	return Result{CountrySource: Unknown, Method: ByRootElement}
}

func identify(formats *format.Catalogue, doc *xmltree.Document, syntax *format.Syntax, e format.Element, carrier string) Result {
	r := Result{Syntax: syntax.Name, Confidence: surelyElement, Method: ByNamespace, Customisation: formats.Detected(e.Detection)}
	seller, served := formats.Country(syntax.SellerCountry(doc))
	if len(syntax.Places.Specification) > 0 {
		r.Confidence = rootAlone
		r.refine(formats, syntax, doc, seller.Code)
		if row := formats.Carried(syntax, r.Specification, seller.Code, carrier); row != nil && !r.Customisation.Named() {
			r.Customisation = row
		}
	}
	row := r.Customisation
	r.Format, r.Token, r.Country, r.Version = row.Detection, row.Token, row.Country, row.VersionOf(r.Specification)
	switch {
	case r.Country != "":
		r.CountrySource = FromFormat
	case served:
		r.Country, r.CountrySource = seller.Code, FromDocument
	default:
		r.CountrySource, r.Alternatives = Unknown, slices.Clone(row.Alternatives)
	}
	if country, ok := formats.Country(r.Country); ok && !country.Has(r.Token) {
		r.Token = formats.Detected(e.Detection).Token
	}
	return r
}

// refine looks for the customisation that the specification identifier tells, else the business process.
func (r *Result) refine(formats *format.Catalogue, syntax *format.Syntax, doc *xmltree.Document, seller string) {
	r.Specification = syntax.Specification(doc)
	row, by := formats.Identify(syntax, r.Specification, syntax.Process(doc), seller)
	lower := strings.ToLower(r.Specification)
	core := slices.ContainsFunc(syntax.Cores, func(core string) bool { return strings.HasPrefix(lower, core) })
	switch {
	case by == format.BySpecification:
		r.Confidence, r.Method, r.Customisation = surelyNamed, ByCustomizationID, row
		if goesOn(lower, row) {
			r.Confidence = namedAndMore
		}
	case by == format.ByProfile:
		r.Confidence, r.Method, r.Customisation = surelyNamed, ByProfileID, row
	case core:
		r.Confidence, r.Method = standardMore, ByCustomizationID
		if slices.Contains(syntax.Cores, lower) {
			r.Confidence = surelyStandard
		}
	case by == format.ByProcess:
		r.Method, r.Customisation = ByProfileID, row
	}
}

// goesOn tells whether an identifier, in lower case, begins with that of the customisation and has a suffix that nobody knows.
func goesOn(lower string, row *format.Customisation) bool {
	own := strings.ToLower(row.Specification)
	if own == "" || lower == own || row.Steps != nil && lower == strings.ToLower(row.Steps.Extension) {
		return false
	}
	return strings.HasPrefix(lower, own)
}

// The kinds of bytes that Sniff tells apart.
const (
	LooksXML  = "XML"
	LooksPDF  = "PDF"
	LooksElse = ""
)

// Sniff tells what bytes look like, before anything is parsed: XML begins with "<" after a byte order mark and white space, in
// whichever encoding; PDF has its mark within the first kilobyte (ISO 32000-1 annex H.3.4.1).
func Sniff(data []byte) string {
	head := data[:min(len(data), 1024)]
	if bytes.Contains(head, []byte("%PDF-")) {
		return LooksPDF
	}
	head = bytes.TrimLeft(head, "\xEF\xBB\xBF\xFF\xFE\x00 \t\r\n")
	if len(head) > 0 && head[0] == '<' {
		return LooksXML
	}
	return LooksElse
}
