package catalogue

import "github.com/einvoiced/einvoiced/core/format"

const (
	xml = "application/xml"
	pdf = "application/pdf"
)

// hybridProfiles are the profiles of ZUGFeRD and Factur-X that can be asked for.
var hybridProfiles = []string{"BASIC", "EN16931", "EXTENDED"}

// tokens is the contract's table of format path tokens.
var tokens = []format.Token{
	{ID: "pdf", Name: "PDF", Description: "Printable invoice", MimeType: pdf, Extension: "pdf", Carries: true},
	{ID: "ubl", Name: "UBL", Description: "UBL 2.1 in the country's customisation", MimeType: xml, Extension: "xml"},
	{ID: "cii", Name: "CII", Description: "UN/CEFACT Cross Industry Invoice D16B, documents only", MimeType: xml, Extension: "xml"},
	{ID: "xrechnung", Name: "XRechnung", Description: "German core invoice usage specification in UBL 2.1", MimeType: xml, Extension: "xml",
		Versions: []string{"3.0", "3.0.2"}},
	{ID: "zugferd", Name: "ZUGFeRD", Description: "PDF/A-3 with an embedded CII invoice", MimeType: pdf, Extension: "pdf",
		Versions: []string{"2.3", "2.4", "2.5"}, Default: "2.4", Profiles: hybridProfiles, Profile: "EN16931"},
	{ID: "ebinterface", Name: "ebInterface", Description: "Austrian ebInterface 6.1", MimeType: xml, Extension: "xml", Versions: []string{"6.1"}},
	{ID: "facturx", Name: "Factur-X", Description: "PDF/A-3 with an embedded CII invoice", MimeType: pdf, Extension: "pdf",
		Versions: []string{"1.0", "1.07", "1.08", "1.09"}, Default: "1.08", Profiles: hybridProfiles, Profile: "EN16931"},
	{ID: "fatturapa", Name: "FatturaPA", Description: "Italian FatturaPA 1.2.3", MimeType: xml, Extension: "xml", Versions: []string{"1.2.3"}},
	{ID: "facturae", Name: "Facturae", Description: "Spanish Facturae", MimeType: xml, Extension: "xml",
		Versions: []string{"3.2", "3.2.1", "3.2.2"}, Default: "3.2.2"},
	{ID: "isdoc", Name: "ISDOC", Description: "Czech ISDOC 6", MimeType: xml, Extension: "xml"},
	{ID: "nav", Name: "NAV", Description: "Hungarian Online Számla data", MimeType: xml, Extension: "xml"},
	{ID: "mydata", Name: "myDATA", Description: "Greek myDATA", MimeType: xml, Extension: "xml", Versions: []string{"1.0.10", "2.0.1"}, Default: "2.0.1"},
	{ID: "ksef", Name: "KSeF", Description: "Polish KSeF FA(3)", MimeType: xml, Extension: "xml"},
	{ID: "peppol-ubl", Name: "Peppol BIS Billing", Description: "Peppol BIS Billing 3.0 in UBL 2.1", MimeType: xml, Extension: "xml"},
	{ID: "hr-fisk", Name: "HR-FISK", Description: "Croatian HR-FISK 2.0, validate only", MimeType: xml, Extension: "xml", JudgedOnly: true},
	{ID: "efactura", Name: "eFactura", Description: "Romanian CIUS-RO, parse only", MimeType: xml, Extension: "xml"},
	{ID: "qr-bill", Name: "QR-bill", Description: "Swiss QR-bill payload", MimeType: "text/plain", Extension: "txt"},
}
