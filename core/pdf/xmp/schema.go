package xmp

// namespace is one of the schemas of XMP, with the prefix that it is written with.
type namespace struct{ prefix, uri string }

// The namespaces (ISO 16684-1 §8, ISO 19005-3 §6.6, ISO 14289-1 §5, Factur-X 1.0 §6).
var (
	dublinCore   = namespace{"dc", "http://purl.org/dc/elements/1.1/"}
	adobePDF     = namespace{"pdf", "http://ns.adobe.com/pdf/1.3/"}
	xmpBasic     = namespace{"xmp", "http://ns.adobe.com/xap/1.0/"}
	pdfaid       = namespace{"pdfaid", "http://www.aiim.org/pdfa/ns/id/"}
	pdfuaid      = namespace{"pdfuaid", "http://www.aiim.org/pdfua/ns/id/"}
	extension    = namespace{"pdfaExtension", "http://www.aiim.org/pdfa/ns/extension/"}
	pdfaSchema   = namespace{"pdfaSchema", "http://www.aiim.org/pdfa/ns/schema#"}
	pdfaProperty = namespace{"pdfaProperty", "http://www.aiim.org/pdfa/ns/property#"}
	facturX      = namespace{"fx", "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"}
)

const (
	rdfNamespace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xmlNamespace = "http://www.w3.org/XML/1998/namespace"
)

// invoiceNamespaces are the beginnings of the namespaces in which the editions of Factur-X and ZUGFeRD describe the invoice.
var invoiceNamespaces = []string{"urn:factur-x:pdfa:", "urn:zugferd:pdfa:", "urn:ferd:pdfa:"}

// schema describes properties that ISO 19005-3 does not know (§6.6.2.3): each has to be described in the file.
type schema struct {
	namespace
	description string
	properties  []property
}

type property struct {
	name, valueType string
	category        string // internal, or external where a person says it
	description     string
}

// facturXSchema is the extension schema of Factur-X.
var facturXSchema = schema{facturX, "Factur-X: the invoice that is embedded in this file", []property{
	{"DocumentFileName", "Text", "external", "Name of the embedded file that is the invoice in XML"},
	{"DocumentType", "Text", "external", "Kind of the embedded document"},
	{"Version", "Text", "external", "Version of the schema that the embedded document follows"},
	{"ConformanceLevel", "Text", "external", "Profile that the embedded document follows"},
}}

// uaSchema is the extension schema of the identification of PDF/UA (ISO 14289-1 §5), which ISO 19005-3 does not know.
var uaSchema = schema{pdfuaid, "Identification of PDF/UA", []property{
	{"part", "Integer", "internal", "Part of ISO 14289 that this file follows"},
}}
