package operation

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// repositoryRoot is where the tests of this package find the repository.
const repositoryRoot = "../.."

// samples is the folder with a request for each country.
const samples = "testdata/countries/"

// foreignDocuments are what a token is read with where the service writes no document of it, by syntax.
var foreignDocuments = map[string]string{"ubl": "testdata/documents/peppol-bis.xml", "cii": "testdata/cii/zugferd-2.4-en16931/goods.xml"}

// Capabilities that bring what a cell does not have yet.
const (
	bringsPDF      = "PDF documents"
	bringsNational = "national formats"
	bringsUBL      = "UBL of every country"
)

// outside marks what the contract does not have.
const outside = "–"

// trial tries what a country does with a token; its fields are the cells of the matrix.
type trial struct {
	t       *testing.T
	s       *Service
	country format.Country
	token   format.Token

	generate, parse, validate, convert string

	document []byte // what the token is read with; nil where there is none
	origin   string // file that it is, or is made of
	made     bool   // the service wrote it
}

// TestMatrix executes each operation on each token of each country, and holds docs/matrix.md against what came out.
func TestMatrix(t *testing.T) {
	s := fullService(t)
	var b strings.Builder
	b.WriteString(matrixHead)
	counts := map[string]int{}
	for i, country := range s.formats.Countries() {
		if leftOut(i) {
			continue
		}
		for _, id := range country.All() {
			token, _ := s.formats.Token(id)
			c := &trial{t: t, s: s, country: country, token: token}
			c.run()
			fmt.Fprintf(&b, "| [%s](countries/%s.md) | `%s` | %s | %s | %s | %s |\n", country.Name, strings.ToLower(country.Code), id, c.generate, c.parse, c.validate, c.convert)
			for _, cell := range []string{c.generate, c.parse, c.validate, c.convert} {
				counts[cellKind(cell)]++
			}
		}
	}
	fmt.Fprintf(&b, "\n%d cells are filled by executed cases, %d wait for a capability, %d are none of the contract's.\n", counts["filled"], counts["waiting"], counts["outside"])
	if !testing.Short() {
		compareDocument(t, "docs/matrix.md", b.String())
	}
}

const matrixHead = `# What works where

<!-- Written by go test ./core/operation -run TestMatrix -update, from what the cases give. -->

Each cell that says *yes* was executed: its link leads to the case. *generate* makes a document of the country's sample, and the rules
that ship accept it; *parse* and *validate* take that document on the route of the country and the token, or where the service writes none one
of another origin; *convert* makes a document of the token out of the sample as a
CII document of EN 16931, *unchecked* where that lacks what the rules of the token ask for. Other cells say which capability brings them; – is
what the interface does not have, such as writing what is only read.

| Country | Format | generate | parse | validate | convert |
|---|---|---|---|---|---|
`

func cellKind(cell string) string {
	switch {
	case cell == outside:
		return "outside"
	case strings.HasPrefix(cell, "["):
		return "filled"
	}
	return "waiting"
}

func (c *trial) run() {
	c.generate = c.tryGenerate()
	if c.document == nil {
		c.findDocument()
	}
	c.parse, c.validate, c.convert = c.tryParse(), c.tryValidate(), c.tryConvert()
}

// linked is a cell with its case.
func linked(word, file string) string { return fmt.Sprintf("[%s](../%s)", word, file) }

func (c *trial) tryGenerate() string {
	options := format.Options{Profile: c.token.Profile}
	switch row := c.s.formats.Written(c.country, c.token.ID, options); {
	case c.token.JudgedOnly, !slices.Contains(c.country.Tokens, c.token.ID):
		return outside
	case c.token.ID == pdfToken:
		return c.tryPrint()
	case row == nil:
		return c.capability()
	}
	c.origin = samples + strings.ToLower(c.country.Code) + ".json"
	body := withOptions(c.t, filepath.Join(repositoryRoot, samples), strings.ToLower(c.country.Code), `{}`)
	answer, err := c.s.Generate(c.t.Context(), GenerateRequest{Country: c.country.Code, Format: c.token.ID, Body: body})
	if err != nil {
		c.t.Errorf("%s %s: %v%s", c.country.Code, c.token.ID, err, entriesOf(err))
		return "refused"
	}
	for _, w := range answer.Warnings {
		if w.Code == finding.SelfCheckIncomplete {
			c.t.Errorf("%s %s: %s", c.country.Code, c.token.ID, w.Message)
		}
	}
	c.document, c.made = answer.Data, true
	return linked("yes", c.origin)
}

// tryPrint makes the PDF of the country's sample. No invoice can be read from it, so that parse and validate take another document.
func (c *trial) tryPrint() string {
	c.origin = samples + strings.ToLower(c.country.Code) + ".json"
	body := withOptions(c.t, filepath.Join(repositoryRoot, samples), strings.ToLower(c.country.Code), `{}`)
	answer, err := c.s.Generate(c.t.Context(), GenerateRequest{Country: c.country.Code, Format: c.token.ID, Body: body})
	if err != nil || !strings.HasPrefix(string(answer.Data), "%PDF-") || len(answer.Warnings) > 0 {
		c.t.Errorf("%s %s: %v %+v", c.country.Code, c.token.ID, err, answer)
		return "refused"
	}
	return linked("yes", c.origin)
}

func entriesOf(err error) (said string) {
	var refusal *finding.Refusal
	if errors.As(err, &refusal) {
		for _, e := range refusal.Errors {
			said += "\n\t" + e.Code + " " + e.Field + ": " + e.Message
		}
	}
	return said
}

// findDocument takes a document of another origin, of the first syntax that the token has.
func (c *trial) findDocument() {
	for _, syntax := range c.s.formats.SyntaxesOf(c.country.Code, c.token.ID) {
		file := foreignDocuments[syntax.Name]
		if c.token.Carries {
			file = foreignDocuments["cii"]
		}
		if file == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(repositoryRoot, file))
		if err != nil {
			c.t.Fatal(err)
		}
		if c.token.Carries {
			data = pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: data}}}.Bytes()
		}
		c.document, c.origin = data, file
		return
	}
}

func (c *trial) tryParse() string {
	switch {
	case c.token.JudgedOnly:
		return outside
	case c.document == nil || !c.s.formats.Reads(c.country, c.token):
		return c.capability()
	}
	answer, err := c.s.Parse(c.t.Context(), ParseRequest{Country: c.country.Code, Format: c.token.ID, Document: c.document})
	if err != nil || answer.Invoice.InvoiceNumber == "" {
		c.t.Errorf("%s %s cannot be parsed: %v", c.country.Code, c.token.ID, err)
		return "refused"
	}
	return linked("yes", c.origin)
}

func (c *trial) tryValidate() string {
	works := slices.ContainsFunc(c.s.describe(c.country, c.s.session(c.t.Context(), "", false)).Formats, func(f Format) bool { return f.ID == c.token.ID && f.Validate })
	if c.document == nil || !works && !c.token.Carries {
		return c.capability()
	}
	answer, err := c.s.Validate(c.t.Context(), ValidateRequest{Country: c.country.Code, Format: c.token.ID, Document: c.document})
	if err != nil || len(answer.Rulebooks) == 0 || c.made && !answer.Valid {
		c.t.Errorf("%s %s cannot be validated: %v %+v", c.country.Code, c.token.ID, err, answer)
		return "refused"
	}
	return linked("yes", c.origin)
}

// tryConvert converts the country's sample, as a CII document of EN 16931, into the token. Where that lacks what the token's rules ask
// for, it is converted without the self-check.
func (c *trial) tryConvert() string {
	if c.token.JudgedOnly || !slices.Contains(c.country.Tokens, c.token.ID) {
		return outside
	}
	if written := strings.HasPrefix(c.generate, "["); !written {
		return c.generate
	}
	options := invoice.ConvertBody{TargetCountry: c.country.Code, TargetFormat: c.token.ID}
	source := c.sampleInCII()
	answer, err := c.s.Convert(c.t.Context(), ConvertRequest{Document: source, Options: options})
	word := "yes"
	var refusal *finding.Refusal
	if errors.As(err, &refusal) && refusal.Code == finding.ConversionFailed {
		unchecked := false
		options.Validate, word = &unchecked, "yes, unchecked"
		answer, err = c.s.Convert(c.t.Context(), ConvertRequest{Document: source, Options: options})
	}
	if err != nil || len(answer.Data) == 0 {
		c.t.Errorf("%s %s cannot be converted into: %v%s", c.country.Code, c.token.ID, err, entriesOf(err))
		return "refused"
	}
	return linked(word, c.origin)
}

// sampleInCII writes the country's sample as a CII document with the identifier of EN 16931.
func (c *trial) sampleInCII() []byte {
	data, err := os.ReadFile(filepath.Join(repositoryRoot, samples, strings.ToLower(c.country.Code)+".json"))
	if err != nil {
		c.t.Fatal(err)
	}
	body, _, err := invoice.Decode(data, invoice.Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	plain := &profile.Profile{Country: c.country.Code, Steps: profile.CommonSteps()}
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	if _, err := c.s.formats.Syntax("cii").Codec.Write(c.t.Context(), w, plain.Derive(body.Invoice).Invoice, format.Edition{Specification: format.CoreSpecification}); err != nil {
		c.t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		c.t.Fatal(err)
	}
	return w.Bytes()
}

// capability says what brings the token.
func (c *trial) capability() string {
	syntaxes := c.s.formats.SyntaxesOf(c.country.Code, c.token.ID)
	switch {
	case c.token.MimeType == "application/pdf":
		return bringsPDF
	case slices.ContainsFunc(syntaxes, func(s *format.Syntax) bool { return s.Codec == nil }) && c.token.ID != "peppol-ubl":
		return bringsNational
	}
	return bringsUBL
}

// compareDocument holds a file of the repository against what it has to be, or writes it.
func compareDocument(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join(repositoryRoot, filepath.FromSlash(path.Clean(name)))
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what it has to be: go test ./core/operation -update writes it, review the difference", name)
	}
}
