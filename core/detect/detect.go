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
	format.Told          // version and variant
	Country       string // upper case, empty when unknown
	Confidence    int    // 0..100
	Method        string
	CountrySource string
	Alternatives  []string              // countries that use the same format, when the document names none
	Specification string                // specification identifier (BT-24); empty in syntaxes of other standards
	Process       string                // business process (BT-23); empty where the document names none
	Customisation *format.Customisation // row of the catalogue; nil when nothing was found
}

// The confidences: of what the specification identifier names, of an identifier that goes on from that in a way that is not known, of
// one that is the standard's, of one that goes on from that, of a namespace that only one version of a format has, of a document element
// alone, of one with an identifier that nobody knows, and of a namespace of a version that nobody knows.
const (
	surelyNamed    = 100
	namedAndMore   = 90
	surelyStandard = 95
	standardMore   = 85
	surelyElement  = 90
	rootAlone      = 80
	rootAndUnknown = 70
	unknownVersion = 60
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
		if syntax.Text != nil {
			continue
		}
		if e, ok := syntax.Element(doc); ok {
			return identify(formats, doc, syntax, e, carrier)
		}
	}
	return Result{CountrySource: Unknown, Method: ByRootElement}
}

// Text gives the syntax of bytes that are lines of text; nil where they are of none.
func Text(formats *format.Catalogue, document []byte) *format.Syntax {
	for _, syntax := range formats.Syntaxes() {
		if syntax.Text != nil && syntax.Text.Like(document) {
			return syntax
		}
	}
	return nil
}

// Lifted tells what the XML is that was made of lines of text in a syntax.
func Lifted(formats *format.Catalogue, doc *xmltree.Document, syntax *format.Syntax) Result {
	e, ok := syntax.Element(doc)
	if !ok {
		return Result{CountrySource: Unknown, Method: ByHeuristic}
	}
	r := identify(formats, doc, syntax, e, "")
	r.Method, r.Version = ByHeuristic, syntax.Version(doc)
	return r
}

func identify(formats *format.Catalogue, doc *xmltree.Document, syntax *format.Syntax, e format.Element, carrier string) Result {
	r := Result{Syntax: syntax.Name, Customisation: formats.Detected(e.Detection)}
	seller, served := formats.Country(syntax.SellerCountry(doc))
	if len(syntax.Places.Specification) > 0 {
		r.refine(formats, syntax, doc, seller.Code)
		if row := formats.Carried(syntax, r.Specification, seller.Code, carrier); row != nil && !r.Customisation.Named() {
			r.Customisation = row
		}
	} else {
		r.byElement(doc, e)
	}
	row := r.Customisation
	r.Format, r.Token, r.Country = row.Detection, row.Token, row.Country
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

// byElement takes what the document element tells, in syntaxes whose documents name no specification.
func (r *Result) byElement(doc *xmltree.Document, e format.Element) {
	r.Method, r.Confidence, r.Version = ByNamespace, surelyElement, e.Version
	if doc.Namespace(doc.Root()) != e.Namespace {
		r.Confidence, r.Unknown = unknownVersion, strings.TrimPrefix(doc.Namespace(doc.Root()), e.Family)
	}
	if told := e.Told(doc); told != "" {
		r.Version = told
	}
}

// refine looks for the customisation that the specification identifier tells, else the business process.
func (r *Result) refine(formats *format.Catalogue, syntax *format.Syntax, doc *xmltree.Document, seller string) {
	r.Specification, r.Process = syntax.Specification(doc), syntax.Process(doc)
	row, by := formats.Identify(syntax, r.Specification, r.Process, seller)
	named := by == format.BySpecification || by == format.ByProfile
	if named {
		r.Customisation = row
	}
	r.Told = formats.Told(r.Customisation, r.Specification)
	standard := !named && slices.ContainsFunc(syntax.Cores, func(core string) bool { return strings.HasPrefix(strings.ToLower(r.Specification), core) })
	switch {
	case by == format.BySpecification:
		r.Method, r.Confidence = ByCustomizationID, r.sure(surelyNamed, namedAndMore)
	case by == format.ByProfile:
		r.Method, r.Confidence = ByProfileID, r.sure(surelyNamed, namedAndMore)
	case standard:
		r.Method, r.Confidence = ByCustomizationID, r.sure(surelyStandard, standardMore)
	case by == format.ByProcess:
		r.Customisation = row
		r.Method, r.Confidence = ByProfileID, r.sure(rootAlone, rootAndUnknown)
	default:
		r.Method, r.Confidence = ByNamespace, r.sure(rootAlone, rootAndUnknown)
	}
}

// sure gives the confidence of an identifier that is known, or of one with a part that nobody knows.
func (r *Result) sure(known, unknown int) int {
	if r.Unknown != "" {
		return unknown
	}
	return known
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
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) { // an archive, whatever is in it
		return LooksElse
	}
	if bytes.Contains(head, []byte("%PDF-")) {
		return LooksPDF
	}
	head = bytes.TrimLeft(head, "\xEF\xBB\xBF\xFF\xFE\x00 \t\r\n")
	if len(head) > 0 && head[0] == '<' {
		return LooksXML
	}
	return LooksElse
}
