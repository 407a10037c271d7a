// Package pint makes the rulebooks of Peppol's PINT specifications for billing and self-billing: of the United Arab Emirates, of Australia and
// New Zealand, of Japan and of Oman. Each jurisdiction has two rule sets for each specification: the base, which is the same for all but for the
// types of documents, and the jurisdiction's own.
package pint

import (
	"cmp"
	"embed"
	"maps"
	"slices"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

const en16931 = "en16931-1.3.16" // version of lists that are those of EN 16931

// codes is the pattern of base.txt that uses the code lists.
const codes = "pint-codes"

// baseCodes are the code lists of the base.
var baseCodes = []ruletext.Codes{
	{Variable: "currencies", List: "iso-4217", Version: en16931, Pattern: codes},
	{Variable: "objectSchemes", List: "untdid-1153", Version: en16931, Pattern: codes},
	{Variable: "identifierSchemes", List: "iso-6523", Version: en16931, Pattern: codes},
	{Variable: "classificationSchemes", List: "untdid-7143", Version: en16931, Pattern: codes},
	{Variable: "countries", List: "iso-3166-1", Version: en16931, Variant: "ubl", Pattern: codes},
	{Variable: "paymentMeans", List: "untdid-4461", Version: "pint-1.1.3", Pattern: codes},
	{Variable: "allowanceReasons", List: "untdid-5189", Version: en16931, Pattern: codes},
	{Variable: "chargeReasons", List: "untdid-7161", Version: en16931, Pattern: codes},
	{Variable: "units", List: "rec-20", Version: en16931, Pattern: codes},
	{Variable: "mediaTypes", List: "mime", Version: en16931, Besides: []string{"application/xml"}, Pattern: codes},
	{Variable: "addressSchemes", List: "eas", Version: "pint-1.1.3", Pattern: codes},
}

// base makes the base set of a specification.
func base(s *specification) ruletext.Book {
	return ruletext.Book{
		Folder: s.id + "-base-" + s.jurisdiction.version, Title: "Base of " + s.title(), Namespaces: sch.UBL(),
		Messages: []string{"messages.txt"}, Texts: []string{"definitions.txt", "base.txt", "types.txt"}, Codes: baseCodes,
		Definitions: map[string]string{"invoiceTypes": s.types.invoices, "creditNoteTypes": s.types.creditNotes},
		Shared:      map[string]string{"pint-model": "pint/base-model.sch", codes: "pint/base-codes.sch"},
		Finish: func(schema *sch.Schema) {
			rename(schema, func(id string) string {
				if id == "ibr-cl-01" {
					return cmp.Or(s.types.rule, id)
				}
				return id
			})
		},
	}
}

// own makes the set of the jurisdiction.
func own(s *specification) ruletext.Book {
	book := s.jurisdiction.book
	book.Folder, book.Title, book.Namespaces = s.id+"-"+s.jurisdiction.version, s.title(), sch.UBL()
	book.Definitions = maps.Clone(book.Definitions)
	maps.Copy(book.Definitions, s.definitions)
	book.Texts = slices.Concat(book.Texts, s.texts)
	book.Finish = func(schema *sch.Schema) { rename(schema, s.idOf) }
	return book
}

// idOf gives the id that a rule of the texts has in the specification.
func (s *specification) idOf(id string) string {
	if own, other := s.renamed[id]; other {
		return own
	}
	if j := s.jurisdiction; j.suffixed != nil && j.suffixed.MatchString(id) {
		return id + j.suffix
	}
	return id
}

// rename gives rules other ids.
func rename(s *sch.Schema, idOf func(string) string) {
	for p := range s.Patterns {
		for r := range s.Patterns[p].Rules {
			for a := range s.Patterns[p].Rules[r].Assertions {
				id := &s.Patterns[p].Rules[r].Assertions[a].ID
				*id = idOf(*id)
			}
		}
	}
}

// Files gives the Schematron of all rulebooks, and their manifests.
func Files() (map[string][]byte, error) {
	var books []ruletext.Book
	for i := range specifications {
		books = append(books, base(&specifications[i]), own(&specifications[i]))
	}
	files, err := ruletext.Files("rulebooks/write/pint", texts, books)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, manifests())
	return files, nil
}
