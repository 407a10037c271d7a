package format

import "strings"

// Token is what a path segment {format} stands for.
type Token struct {
	ID          string
	Name        string
	Description string
	MimeType    string
	Extension   string // without the dot
	Versions    []string
	Default     string // the version that counts where none is asked for and the document does not tell. Default: the last one
	Profiles    []string
	Writes      bool // generate works today
	Reads       bool // parse works today
	Validates   bool // validate works today
}

const xml = "application/xml"

// tokens is the contract's table of format path tokens.
var tokens = []Token{
	{ID: "pdf", Name: "PDF", Description: "Printable invoice", MimeType: "application/pdf", Extension: "pdf"},
	{ID: "ubl", Name: "UBL", Description: "UBL 2.1 in the country's customisation", MimeType: xml, Extension: "xml", Reads: true, Validates: true},
	{ID: "cii", Name: "CII", Description: "UN/CEFACT Cross Industry Invoice D16B, documents only", MimeType: xml, Extension: "xml", Validates: true},
	{ID: "xrechnung", Name: "XRechnung", Description: "German core invoice usage specification in UBL 2.1", MimeType: xml, Extension: "xml",
		Versions: []string{"3.0", "3.0.2"}, Writes: true, Reads: true, Validates: true},
	{ID: "zugferd", Name: "ZUGFeRD", Description: "PDF/A-3 with an embedded CII invoice", MimeType: "application/pdf", Extension: "pdf",
		Versions: []string{"2.3", "2.4", "2.5"}, Default: "2.4", Validates: true, Profiles: []string{"BASIC", "EN16931", "EXTENDED"}},
	{ID: "ebinterface", Name: "ebInterface", Description: "Austrian ebInterface 6.1", MimeType: xml, Extension: "xml", Versions: []string{"6.1"}},
	{ID: "facturx", Name: "Factur-X", Description: "PDF/A-3 with an embedded CII invoice", MimeType: "application/pdf", Extension: "pdf",
		Versions: []string{"1.0", "1.07", "1.08", "1.09"}, Default: "1.08", Validates: true, Profiles: []string{"BASIC", "EN16931", "EXTENDED"}},
	{ID: "fatturapa", Name: "FatturaPA", Description: "Italian FatturaPA 1.2.3", MimeType: xml, Extension: "xml", Versions: []string{"1.2.3"}},
	{ID: "facturae", Name: "Facturae", Description: "Spanish Facturae", MimeType: xml, Extension: "xml"},
	{ID: "isdoc", Name: "ISDOC", Description: "Czech ISDOC 6", MimeType: xml, Extension: "xml"},
	{ID: "nav", Name: "NAV", Description: "Hungarian Online Számla data", MimeType: xml, Extension: "xml"},
	{ID: "mydata", Name: "myDATA", Description: "Greek myDATA", MimeType: xml, Extension: "xml"},
	{ID: "ksef", Name: "KSeF", Description: "Polish KSeF FA(3)", MimeType: xml, Extension: "xml"},
	{ID: "peppol-ubl", Name: "Peppol BIS Billing", Description: "Peppol BIS Billing 3.0 in UBL 2.1", MimeType: xml, Extension: "xml", Reads: true, Validates: true},
	{ID: "hr-fisk", Name: "HR-FISK", Description: "Croatian HR-FISK 2.0, validate only", MimeType: xml, Extension: "xml"},
	{ID: "efactura", Name: "eFactura", Description: "Romanian CIUS-RO, parse only", MimeType: xml, Extension: "xml", Reads: true, Validates: true},
	{ID: "qr-bill", Name: "QR-bill", Description: "Swiss QR-bill payload", MimeType: "text/plain", Extension: "txt"},
}

// syntaxes are the syntaxes of the documents of tokens that share one, as package detect names them.
var syntaxes = map[string][]string{
	"xrechnung": {"ubl", "cii"}, "zugferd": {"cii"}, "facturx": {"cii"}, "peppol-ubl": {"ubl"}, "efactura": {"ubl"}, "hr-fisk": {"ubl"},
}

// Syntaxes lists the syntaxes that documents of the token have, as package detect names them.
func (t Token) Syntaxes() []string {
	if list := syntaxes[t.ID]; list != nil {
		return list
	}
	return []string{t.ID}
}

// Version is the version that counts where none is asked for; empty for formats without versions.
func (t Token) Version() string {
	if t.Default != "" || len(t.Versions) == 0 {
		return t.Default
	}
	return t.Versions[len(t.Versions)-1]
}

// FindToken gives a token by its id in any case.
func FindToken(id string) (Token, bool) {
	for _, t := range tokens {
		if strings.EqualFold(t.ID, id) {
			return t, true
		}
	}
	return Token{}, false
}
