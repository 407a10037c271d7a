package pt

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/en16931"
)

// syntax gives the rules of EN 16931 on the use of UBL as they stand in CIUS-PT: for invoices alone, as warnings, in an older version.
func syntax() (sch.Pattern, error) {
	p, err := en16931.Use("ubl")
	if err != nil {
		return sch.Pattern{}, err
	}
	edit, err := readEdit()
	if err != nil {
		return sch.Pattern{}, err
	}
	for _, r := range p.Rules {
		for a := range r.Assertions {
			asWarning(&r.Assertions[a])
		}
	}
	return edit.Apply(p)
}

// ofInvoices turns what is said of both kinds of documents into what is said of invoices.
var ofInvoices = strings.NewReplacer("(cac:InvoiceLine | cac:CreditNoteLine)", "cac:InvoiceLine", "cac:{local-name()}Line", "cac:InvoiceLine", "EN 16931", "CIUS-PT")

func asWarning(a *sch.Assertion) {
	a.Flag, a.Test, a.Text = "warning", ofInvoices.Replace(a.Test), ofInvoices.Replace(a.Text)
}

// contexts are those of EN 16931 that differ in CIUS-PT.
var contexts = map[string]string{
	"/ubl:Invoice | /cn:CreditNote":                      "/ubl:Invoice",
	"cac:InvoiceLine | cac:CreditNoteLine":               "cac:InvoiceLine",
	"cac:AllowanceCharge[cbc:ChargeIndicator = true()]":  "cac:AllowanceCharge[cbc:ChargeIndicator = 'true']",
	"cac:AllowanceCharge[cbc:ChargeIndicator = false()]": "cac:AllowanceCharge[cbc:ChargeIndicator = 'false']",
}

// readEdit reads what differs in the rules: lines of syntax.txt with a word that says how, and what is asked for.
func readEdit() (*sch.Edit, error) {
	e := &sch.Edit{Contexts: contexts, Flags: map[string]string{}, Changes: map[string]sch.Assertion{}}
	text, err := fs.ReadFile(texts, "syntax.txt")
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch fields := strings.Fields(rest); word {
		case "", "#":
		case "without":
			e.Without = append(e.Without, fields...)
		case "fatal":
			for _, id := range fields {
				e.Flags[id] = word
			}
		case "unused", "most-one":
			e.Changes[fields[0]] = use(fields[0], word, fields[1])
		case "add":
			e.Revised = append(e.Revised, sch.Rule{Context: fields[0], Assertions: []sch.Assertion{use(fields[2], fields[1], fields[3])}})
		default:
			return nil, fmt.Errorf("syntax.txt:%d: %q is no kind of edit", number, word)
		}
	}
	return e, nil
}

// use is the rule that nothing is at a path, or one thing at most.
func use(id, form, path string) sch.Assertion {
	if form == "unused" {
		return sch.Assertion{ID: id, Flag: "warning", Test: "not(" + path + ")", Text: path + " is not part of CIUS-PT. Remove it."}
	}
	return sch.Assertion{ID: id, Flag: "warning", Test: "count(" + path + ") le 1", Text: path + " may occur once, but occurs {count(" + path + ")} times. Remove the others."}
}
