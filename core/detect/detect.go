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
	Alternatives  []string // countries that use the same format, when the document names none
	Specification string   // specification identifier (BT-24); empty in syntaxes of other standards
}

// Document detects a parsed document.
func Document(doc *xmltree.Document) Result {
	root := rootOf(doc)
	if k, known := kindOf(doc, root); known {
		return identify(doc, root, k)
	}
	return Result{CountrySource: Unknown, Method: ByRootElement}
}

// kindOf finds the kind of a document element.
func kindOf(doc *xmltree.Document, root xmltree.Node) (kind, bool) {
	for _, k := range kinds {
		if doc.Local(root) == k.root && strings.HasPrefix(doc.Namespace(root), k.namespace) {
			return k, true
		}
	}
	return kind{}, false
}

// further are the formats that are no XML documents of their own, with their tokens.
var further = map[string]string{"QR_BILL": "qr-bill"}

// TokenOf gives the path token under which documents of a detection id are parsed; false for an id that is none.
func TokenOf(format string) (string, bool) {
	for _, c := range customisations {
		if c.ubl == format || c.cii == format && format != "CII" {
			return c.token, true
		}
	}
	for _, k := range kinds {
		if k.format == format {
			return k.token, true
		}
	}
	for prefix, token := range hybrids {
		if strings.HasPrefix(format, prefix) {
			return token, true
		}
	}
	token, ok := further[format]
	return token, ok
}

// hybrids are the beginnings of the detection ids of PDFs with an invoice inside, which go on with the profile.
var hybrids = map[string]string{"ZUGFERD_": "zugferd", "FACTURX_": "facturx"}

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

// kind is a document element that the service knows.
type kind struct {
	root, namespace string
	syntax          string
	format          string
	token, country  string
}

// kinds are the document elements of the formats; of two that fit the first counts.
var kinds = []kind{
	{"Invoice", "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2", "ubl", "UBL", "ubl", ""},
	{"CreditNote", "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2", "ubl", "UBL", "ubl", ""},
	{"CrossIndustryInvoice", "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:", "cii", "CII", "cii", ""},
	{"Invoice", "http://www.ebinterface.at/schema/6p1/", "ebinterface", "EBINTERFACE_6_1", "ebinterface", "AT"},
	{"FatturaElettronica", "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/", "fatturapa", "FATTURAPA", "fatturapa", "IT"},
	{"Facturae", "http://www.facturae.", "facturae", "FACTURAE", "facturae", "ES"},
	{"Invoice", "http://isdoc.cz/namespace/", "isdoc", "ISDOC", "isdoc", "CZ"},
	{"InvoiceData", "http://schemas.nav.gov.hu/OSA/", "nav", "NAV", "nav", "HU"},
	{"InvoicesDoc", "http://www.aade.gr/myDATA/", "mydata", "MYDATA", "mydata", "GR"},
	{"Faktura", "http://crd.gov.pl/wzor/", "ksef", "KSEF_FA3", "ksef", "PL"},
}

// customisation is a specification identifier (BT-24) that tells a format; the first whose text it contains counts.
type customisation struct {
	contains string // lower case
	ubl, cii string // detection ids
	token    string
	country  string // the only one of the format; empty when several have it
}

var customisations = []customisation{
	{"xeinkauf.de:kosit:xrechnung", "XRECHNUNG_UBL", "XRECHNUNG_CII", "xrechnung", "DE"},
	{"xoev-de:kosit:standard:xrechnung", "XRECHNUNG_UBL", "XRECHNUNG_CII", "xrechnung", "DE"},
	{"urn:peppol:pint:billing-1@ae", "PINT_AE", "CII", "ubl", "AE"},
	{"urn:peppol:pint:selfbilling-1@ae", "PINT_AE", "CII", "ubl", "AE"},
	{"@aunz-1", "PINT_ANZ", "CII", "ubl", ""},
	{"@jp-1", "PINT_JP", "CII", "ubl", "JP"},
	{"@jp-ntr-1", "PINT_JP", "CII", "ubl", "JP"},
	{"@om-1", "PINT_OM", "CII", "ubl", "OM"},
	{"feap.gov.pt:cius-pt", "CIUS_PT", "CII", "ubl", "PT"},
	{"mfinante.ro:cius-ro", "CIUS_RO", "CII", "ubl", "RO"},
	{"fdc:nen.nl:nlcius", "CIUS_NL", "CII", "ubl", "NL"},
	{"mfin.gov.hr:cius", "HR_FISK", "CII", "hr-fisk", "HR"},
	{"cius-sk", "CIUS_SK", "CII", "ubl", "SK"},
	{"fdc:peppol.eu:2017:poacc:billing", "PEPPOL_BIS_UBL", "CII", "ubl", ""},
	{"fdc:peppol.eu:2017:poacc:selfbilling", "PEPPOL_BIS_UBL", "CII", "ubl", ""},
}

// peppolProcess begins the business process (BT-23) of Peppol BIS Billing.
const peppolProcess = "urn:fdc:peppol.eu:2017:poacc:billing:"

// CoreSpecification is the specification identifier (BT-24) of EN 16931 itself; those of its customisations begin with it.
const CoreSpecification = "urn:cen.eu:en16931:2017"

func identify(doc *xmltree.Document, root xmltree.Node, k kind) Result {
	r := Result{Format: k.format, Syntax: k.syntax, Token: k.token, Country: k.country, Confidence: 90, Method: ByNamespace, CountrySource: Unknown}
	if k.syntax == "ubl" || k.syntax == "cii" {
		r.Specification = specification(doc, root, k.syntax)
		refine(&r, r.Specification)
	}
	if profile, ok := hybridProfile(r.Specification); ok && k.syntax == "cii" {
		r.Token, r.Method, r.Confidence = brandOf(sellerCountry(doc, root, k.syntax)), ByProfileID, 100
		r.Format = strings.ToUpper(r.Token) + "_" + profile
	}
	if k.syntax == "ubl" && r.Method == ByNamespace && strings.HasPrefix(process(doc, root, k.syntax), peppolProcess) {
		r.Format, r.Method = "PEPPOL_BIS_UBL", ByProfileID
	}
	if r.Country != "" {
		r.CountrySource = FromFormat
	} else if seller, served := format.Find(sellerCountry(doc, root, k.syntax)); served {
		r.Country, r.CountrySource = seller.Code, FromDocument
	} else if r.Format == "PINT_ANZ" {
		r.Alternatives = []string{"AU", "NZ"}
	}
	if country, served := format.Find(r.Country); served && r.Syntax == "cii" && !slices.Contains(country.Tokens, r.Token) {
		r.Token = "cii"
	}
	return r
}

// guidelines begin the specification identifiers of Factur-X and ZUGFeRD 2, or the last part of them, which goes on with the profile.
var guidelines = []string{"urn:factur-x.eu:1p0:", "urn:zugferd.de:2p0:"}

// hybridProfiles are the profiles of Factur-X and ZUGFeRD as their identifiers and the detection ids name them. That of EN 16931 has
// the identifier of the standard, which any CII invoice may have.
var hybridProfiles = map[string]string{"minimum": "MINIMUM", "basicwl": "BASIC_WL", "basic": "BASIC", "en16931": "EN16931", "extended": "EXTENDED"}

// hybridProfile is the profile that a specification identifier names.
func hybridProfile(specification string) (profile string, ok bool) {
	lower := strings.ToLower(specification)
	for _, g := range guidelines {
		if _, last, found := strings.Cut(lower, g); found {
			profile, ok = hybridProfiles[last]
			return profile, ok
		}
	}
	return "", false
}

// brandOf is the token of a hybrid by its seller's country: the same identifiers are Factur-X in France and Belgium.
func brandOf(seller string) string {
	if seller == "FR" || seller == "BE" {
		return "facturx"
	}
	return "zugferd"
}

// refine looks at the specification identifier.
func refine(r *Result, specification string) {
	r.Confidence = 80
	lower := strings.ToLower(specification)
	for _, c := range customisations {
		if !strings.Contains(lower, c.contains) {
			continue
		}
		r.Format, r.Token, r.Country = c.ubl, c.token, c.country
		if r.Syntax == "cii" {
			r.Format = c.cii
		}
		if r.Format == "CII" {
			r.Token = "cii"
		}
		r.Confidence, r.Method, r.Version = 100, ByCustomizationID, version(specification)
		return
	}
	begins := func(core string) bool { return strings.HasPrefix(lower, core) }
	if begins(CoreSpecification) || slices.ContainsFunc(guidelines, begins) {
		r.Confidence, r.Method = 95, ByCustomizationID
	}
}

// version is the version that an XRechnung identifier ends in, e.g. 3.0.
func version(specification string) string {
	_, after, found := strings.Cut(specification, "xrechnung_")
	if !found {
		return ""
	}
	end := strings.IndexFunc(after, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		after = after[:end]
	}
	return after
}
