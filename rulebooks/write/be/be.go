// Package be makes the rulebook of UBL.BE 1.31, the Belgian specification. Its publisher merges into it the rules of EN 16931, edited,
// and those of Peppol BIS Billing in a version of their time.
package be

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/cius"
	"github.com/einvoiced/einvoiced/rulebooks/write/edition"
	"github.com/einvoiced/einvoiced/rulebooks/write/en16931"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

const (
	specification = "'urn:cen.eu:en16931:2017#conformant#urn:UBL.BE:1.0.0.20180214'" // as XPath
	listVersion   = "ublbe-1.31"
)

// peppolCodes are the lists of the rules of Peppol BIS Billing.
var peppolCodes = []ruletext.Codes{
	{Variable: "allowanceReasons", List: "untdid-5189", Version: "en16931-1.3.16"},
	{Variable: "chargeReasons", List: "untdid-7161", Version: listVersion},
	{Variable: "currencies", List: "iso-4217", Version: "ublbe-peppol-1.31"},
	{Variable: "addressSchemes", List: "eas", Version: "ublbe-peppol-1.31"},
}

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	edits, err := edits()
	if err != nil {
		return nil, fmt.Errorf("edits of UBL.BE: %w", err)
	}
	base, err := edits.Patterns("ubl")
	if err != nil {
		return nil, err
	}
	return ruletext.Files("rulebooks/write/be", ruletext.Beside(texts, cius.Texts()), []ruletext.Book{{
		Folder: "be-1.31", Title: "UBL.BE 1.31", Namespaces: sch.UBL(), Base: base, Codes: peppolCodes, Finish: finish,
		Lent: []string{"cius/messages.txt", "cius/messages-peppol.txt", "cius/messages-national.txt"}, Messages: []string{"messages.txt"},
		Texts: []string{"peppol.txt", "cius/bis.txt", "national.txt", "ubl-be.txt"}, Definitions: map[string]string{"specification": specification},
	}})
}

// finish takes out the one rule of bis.txt that UBL.BE does not have.
func finish(s *sch.Schema) {
	for p := range s.Patterns {
		for r := range s.Patterns[p].Rules {
			rule := &s.Patterns[p].Rules[r]
			rule.Assertions = slices.DeleteFunc(rule.Assertions, func(a sch.Assertion) bool { return a.ID == "PEPPOL-EN16931-R120" })
		}
	}
}

// edits gives what differs from EN 16931 1.3.16: what model.txt and use.txt have, and the tables of this package.
func edits() (*edition.Edits, error) {
	e := &edition.Edits{
		Model: sch.Edit{Without: goneModel, IDs: categoryIDs, Contexts: map[string]string{
			"cac:PaymentMeans/cac:CardAccount/cbc:PrimaryAccountNumberID": "cac:PaymentMeans/cac:CardAccount",
		}},
		Use:   sch.Edit{Without: goneUse, IDs: map[string]string{}},
		Codes: sch.Edit{Without: []string{"BR-CL-22"}, Tests: codeTests},
		Lists: en16931.Lists{Owner: "UBL.BE", Versions: codeLists},
	}
	var err error
	if e.Model.Tests, err = modelTests(); err != nil {
		return nil, err
	}
	if e.Model.Revised, e.Model.Before, e.Model.Lets, err = revised(); err != nil {
		return nil, err
	}
	use, err := en16931.ReadUse(texts, "use.txt")
	if err != nil {
		return nil, err
	}
	e.Use.Revised = use.Rules
	whole, err := en16931.Use("ubl")
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Concat(whole.Rules, use.Rules) {
		smallLetters(e.Use.IDs, r.Assertions)
	}
	return e, nil
}

// revised reads model.txt: the rules that are revised, those that come first, and their variables.
func revised() (revised, first []sch.Rule, lets []sch.Let, err error) {
	text, err := fs.ReadFile(texts, "messages.txt")
	if err != nil {
		return nil, nil, nil, err
	}
	messages, err := ruletext.Messages(string(text))
	if err != nil {
		return nil, nil, nil, err
	}
	var s sch.Schema
	source := ruletext.Source{Files: texts, Messages: messages}
	if err := source.Read(&s, "model.txt"); err != nil {
		return nil, nil, nil, err
	}
	return s.Patterns[0].Rules, s.Patterns[1].Rules, s.Patterns[0].Lets, nil
}
