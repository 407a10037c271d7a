package hybrid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Carrier is what was found about a PDF that carries an invoice (contract, result object carrier).
type Carrier struct {
	PDFA3Declared bool      `json:"pdfA3Declared"` // the metadata says PDF/A-3; no proof of conformance
	Checks        []Check   `json:"checks"`
	Warnings      []Warning `json:"warnings"`
}

// Check is one thing that was looked at.
type Check struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // of a check that did not pass: warning or error
	Passed   bool   `json:"passed"`
	Message  string `json:"message"` // what was found
}

// Warning is something that whoever made the PDF should know.
type Warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The severities of checks (contract).
const (
	severityWarning = "warning"
	severityError   = "error"
)

// carrierFacts is what the checks look at.
type carrierFacts struct {
	*Document
	*pages
	metadata metadata
	invoice  attachment
}

// checks is what is looked at: the rules of PDF/A-3 (ISO 19005-3) and Factur-X (1.0, part PDF/A-3) that a reader of the structure can tell.
// A message says what is wrong; empty is nothing.
var checks = []struct {
	code, severity, good string
	wrong                func(*carrierFacts) string
}{
	{"CARRIER_PDFA3_DECLARED", severityWarning, "the metadata declares PDF/A-3", func(c *carrierFacts) string {
		return unless(c.metadata.part == "3", "the metadata does not declare PDF/A-3 (pdfaid:part is 3)")
	}},
	{"CARRIER_CROSS_REFERENCES", severityWarning, "all objects are where the cross-reference data says", func(c *carrierFacts) string {
		return unless(!c.file.Rebuilt(), "the cross-reference data is broken; the objects were found by looking through the file")
	}},
	{"CARRIER_ENCRYPTION", severityError, "the file is not encrypted", func(c *carrierFacts) string {
		return unless(!c.file.Encrypted(), "the file is encrypted, which PDF/A does not allow")
	}},
	{"CARRIER_FILE_ID", severityWarning, "the trailer has a file identifier", func(c *carrierFacts) string {
		return unless(len(c.file.Array(c.file.Trailer["ID"])) == 2, "the trailer has no file identifier (ID)")
	}},
	{"CARRIER_FONTS", severityError, "all fonts are embedded", (*carrierFacts).fontsMissing},
	{"CARRIER_OUTPUT_INTENT", severityWarning, "an output intent says what colours mean", func(c *carrierFacts) string {
		return unless(c.intended(), "there is no output intent with a colour profile")
	}},
	{"CARRIER_TRANSPARENCY", severityWarning, "transparency, where there is any, has a colour space", func(c *carrierFacts) string {
		return unless(!c.isolated || c.intended(), "transparency is used without a colour space or an output intent")
	}},
	{"CARRIER_JAVASCRIPT", severityError, "there are no scripts", func(c *carrierFacts) string {
		return unless(!c.scripted(), "the file has scripts, which PDF/A does not allow")
	}},
	{"CARRIER_ASSOCIATED_FILE", severityWarning, "the invoice is an associated file of the document", (*carrierFacts).notAssociated},
	{"CARRIER_INVOICE_METADATA", severityWarning, "the metadata names the invoice", func(c *carrierFacts) string {
		return unless(strings.EqualFold(c.metadata.invoice, c.invoice.name), "the metadata does not name the embedded invoice (DocumentFileName)")
	}},
}

func unless(good bool, wrong string) string {
	if good {
		return ""
	}
	return wrong
}

// Carrier tells how the PDF stands, with the invoice that Invoice has found.
func (d *Document) Carrier() Carrier {
	facts := &carrierFacts{Document: d, pages: d.walkPages(), metadata: d.metadata()}
	if candidates := d.candidates(); len(candidates) > 0 {
		facts.invoice = candidates[0]
	}
	c := Carrier{PDFA3Declared: facts.metadata.part == "3", Warnings: facts.warnings()}
	for _, check := range checks {
		wrong := check.wrong(facts)
		said := Check{Code: check.code, Severity: check.severity, Passed: wrong == "", Message: check.good}
		if wrong != "" {
			said.Message = wrong
		}
		c.Checks = append(c.Checks, said)
	}
	return c
}

// warnings are those of the contract.
func (c *carrierFacts) warnings() []Warning {
	missing := c.fontsMissing()
	switch {
	case c.broken:
		return []Warning{{finding.CarrierFontsNotChecked, missing}}
	case missing != "":
		return []Warning{{finding.CarrierFontsNotEmbedded, missing}}
	}
	return []Warning{}
}

// fontsMissing names the fonts that have no program inside.
func (c *carrierFacts) fontsMissing() string {
	if c.broken {
		return "the pages cannot be read to their end, so the fonts could not be checked"
	}
	var names []string
	for name, embedded := range c.fonts {
		if !embedded {
			names = append(names, attachment{name: name}.shown())
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	const shown = 10
	if rest := len(names) - shown; rest > 0 {
		names = append(names[:shown], fmt.Sprintf("and %d others", rest))
	}
	return "not embedded: " + strings.Join(names, ", ")
}

// intended tells whether an output intent has a colour profile (ISO 32000-1 §14.11.5).
func (c *carrierFacts) intended() bool {
	for _, o := range c.file.Array(c.catalog["OutputIntents"]) {
		if c.file.Stream(c.file.Dict(o)["DestOutputProfile"]) != nil {
			return true
		}
	}
	return false
}

// scripted tells whether the document or its pages have scripts.
func (c *carrierFacts) scripted() bool {
	w := &pageWalk{Document: c.Document}
	w.action(c.catalog["OpenAction"])
	w.actions(c.catalog)
	return c.scripts || c.file.Dict(c.catalog["Names"])["JavaScript"] != nil
}

// notAssociated says what the file specification of the invoice lacks.
func (c *carrierFacts) notAssociated() string {
	switch {
	case !c.invoice.associated:
		return "no AF entry refers to the embedded invoice"
	case !slices.Contains(relationships, string(c.invoice.relationship)):
		return "the embedded invoice does not say how it relates to the PDF (AFRelationship is Alternative, Source or Data)"
	}
	return ""
}

// relationships are those that Factur-X and ZUGFeRD allow for the invoice.
var relationships = []string{"Alternative", "Source", "Data"}
