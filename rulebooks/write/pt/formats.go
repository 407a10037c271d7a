package pt

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/lists"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// listVersion is the version of the code lists.
const listVersion = "cius-pt-2.1.1"

// formats gives the pattern of the rules on formats. Errors name the line of the table.
func formats() (sch.Pattern, error) {
	t := &formatTable{pattern: sch.Pattern{ID: "formats", Lets: []sch.Let{
		{Name: "invoiceCurrency", Value: "/ubl:Invoice/cbc:DocumentCurrencyCode | /cn:CreditNote/cbc:DocumentCurrencyCode"},
		{Name: "accountingCurrency", Value: "/ubl:Invoice/cbc:TaxCurrencyCode | /cn:CreditNote/cbc:TaxCurrencyCode"},
	}}}
	text, err := fs.ReadFile(texts, "formats.txt")
	if err != nil {
		return sch.Pattern{}, err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if err := t.line(strings.TrimRight(line, "\n")); err != nil {
			return sch.Pattern{}, fmt.Errorf("formats.txt:%d: %w", number, err)
		}
	}
	return t.pattern, nil
}

// formatTable is the table as far as it is read.
type formatTable struct {
	pattern sch.Pattern
	term    string // the business term of the last path
}

func (t *formatTable) line(line string) error {
	rule, inner := strings.CutPrefix(line, "  ")
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
		return nil
	case inner:
		return t.rule(strings.Fields(rule))
	}
	path, term, _ := strings.Cut(line, " -- ")
	t.term = term
	t.pattern.Rules = append(t.pattern.Rules, sch.Rule{Context: contextOf(path)})
	return nil
}

// contextOf gives the context for a path in invoices and credit notes; invoice or credit before a path says that it is for one of
// them.
func contextOf(path string) string {
	var all []string
	for alternative := range strings.SplitSeq(path, " | ") {
		invoice, isInvoice := strings.CutPrefix(alternative, "invoice ")
		credit, isCredit := strings.CutPrefix(alternative, "credit ")
		if isInvoice || !isCredit {
			all = append(all, "ubl:Invoice/"+strings.ReplaceAll(invoice, "{line}", "cac:InvoiceLine"))
		}
		if isCredit || !isInvoice {
			all = append(all, "cn:CreditNote/"+strings.ReplaceAll(credit, "{line}", "cac:CreditNoteLine"))
		}
	}
	return strings.Join(all, " | ")
}

// rule adds what a line says: id, format, and what the format asks for.
func (t *formatTable) rule(fields []string) error {
	if len(fields) < 2 || len(t.pattern.Rules) == 0 {
		return fmt.Errorf("expected an id and a format, below a path")
	}
	f, ok := formatsByName[fields[1]]
	if !ok || len(fields)-2 < f.least {
		return fmt.Errorf("%s has the format %q: expected one that is known, with all that it asks for", fields[0], fields[1])
	}
	test, text, err := f.make(t, fields[2:])
	if err != nil {
		return fmt.Errorf("%s: %w", fields[0], err)
	}
	r := &t.pattern.Rules[len(t.pattern.Rules)-1]
	r.Assertions = append(r.Assertions, sch.Assertion{ID: fields[0], Flag: "fatal", Test: test, Text: t.term + text})
	return nil
}

// format is a kind of rule: how much it asks for at least, and how it makes condition and message, which goes on after the term.
type format struct {
	least int
	make  func(t *formatTable, asked []string) (test, text string, err error)
}

var formatsByName = map[string]format{
	"text":                {2, longText},                                        // VALUE N: 1 to N characters in one line
	"optional-text":       {2, optional(longText)},                              // the same, where there is the value
	"list":                {2, listed},                                          // VALUE LIST[:VARIANT][+CODE][@VERSION]: a code of the list
	"optional-list":       {2, optional(listed)},                                // the same, where there is the value
	"codes":               {2, coded},                                           // VALUE CODE...: one of the codes, with white space around it or not
	"one-of":              {1, oneOf},                                           // CODE... [besides CODE...]: exactly one of the codes
	"country-prefix":      {1, countryPrefix},                                   // LIST: begins with a code of the list
	"date":                {0, date},                                            // YYYY-MM-DD
	"amount":              {2, amount},                                          // DIGITS DECIMALS [signed]: so many digits at most, and decimals
	"rate":                {0, rate},                                            // a percentage with two decimals
	"hundred":             {0, fixed(hundred, hundredText)},                     // a percentage is 100 at most
	"invoice-currency":    {0, fixed(inInvoiceCurrency, invoiceCurrencyText)},   // the amount is in the currency of the invoice
	"accounting-currency": {0, fixed(inTaxCurrency, taxCurrencyText)},           // it is in that for VAT, if there is one
	"currency-else":       {0, fixed(inOtherwiseCurrency, invoiceCurrencyText)}, // it is in that of the invoice, if there is none for VAT
}

const (
	hundred             = `not(matches(., '^\d{1,3}\.\d{2}$')) or xs:decimal(.) le 100`
	hundredText         = " is {.}. A percentage is 100 at most."
	inInvoiceCurrency   = "normalize-space(@currencyID) = $invoiceCurrency"
	inTaxCurrency       = "not(normalize-space(@currencyID) != $accountingCurrency)"
	inOtherwiseCurrency = "exists($accountingCurrency) or not(normalize-space(@currencyID) != $invoiceCurrency)"
	invoiceCurrencyText = ` is in "{@currencyID}". Give it in the invoice currency (BT-5), {$invoiceCurrency}.`
	taxCurrencyText     = ` is in "{@currencyID}". Give it in the VAT accounting currency (BT-6), {$accountingCurrency}.`
)

func fixed(test, text string) func(*formatTable, []string) (string, string, error) {
	return func(*formatTable, []string) (string, string, error) { return test, text, nil }
}

// optional lets a rule hold where its value is not there.
func optional(make func(*formatTable, []string) (string, string, error)) func(*formatTable, []string) (string, string, error) {
	return func(t *formatTable, asked []string) (string, string, error) {
		test, text, err := make(t, asked)
		return "empty(" + asked[0] + ") or " + test, text, err
	}
}

// named is how a message calls a value: the element by its term alone, an attribute by its name as well.
func named(value string) string {
	if value == "." {
		return ""
	}
	return ", " + value + ","
}

func longText(_ *formatTable, asked []string) (string, string, error) {
	return fmt.Sprintf(`matches(%s, '^.{1,%s}$')`, asked[0], asked[1]),
		fmt.Sprintf("%s has {string-length(%s)} characters. It must have 1 to %s, in one line.", named(asked[0]), asked[0], asked[1]), nil
}

func date(*formatTable, []string) (string, string, error) {
	return `matches(., '^\d{4}-\d{2}-\d{2}$')`, ` is "{.}". Write the date as YYYY-MM-DD, such as 2026-09-01.`, nil
}

func rate(*formatTable, []string) (string, string, error) {
	return `matches(., '^\d{1,3}\.\d{2}$')`, ` is "{.}". Write the percentage with two decimals, such as 23.00.`, nil
}

func amount(_ *formatTable, asked []string) (string, string, error) {
	sign, word := "", ", without a sign"
	if slices.Contains(asked, "signed") {
		sign, word = "-?", ""
	}
	return fmt.Sprintf(`matches(., '^%s\d{1,%s}\.\d{%s}$')`, sign, asked[0], asked[1]),
		fmt.Sprintf(` is "{.}". Write it with %s decimals and at most %s digits before the point%s.`, strings.Replace(asked[1], ",", " to ", 1), asked[0], word), nil
}

func coded(_ *formatTable, asked []string) (string, string, error) {
	return fmt.Sprintf("normalize-space(%s) = %s", asked[0], quoted(asked[1:])), is(asked[0]) + " Give one of: " + strings.Join(asked[1:], ", ") + ".", nil
}

func oneOf(_ *formatTable, asked []string) (string, string, error) {
	named := asked
	if at := slices.Index(asked, "besides"); at >= 0 {
		named = asked[:at]
		asked = slices.Concat(named, asked[at+1:])
	}
	return "string() = " + quoted(asked), is(".") + " Give one of: " + strings.Join(named, ", ") + ".", nil
}

func countryPrefix(t *formatTable, asked []string) (string, string, error) {
	variable, title, err := t.list(asked[0])
	return "substring(normalize-space(), 1, 2) = " + variable, is(".") + " It must begin with a code of " + title + ".", err
}

func listed(t *formatTable, asked []string) (string, string, error) {
	variable, title, err := t.list(asked[1])
	return fmt.Sprintf("normalize-space(%s) = %s", asked[0], variable), is(asked[0]) + " Give a code of " + title + ".", err
}

// is says what was found.
func is(value string) string { return fmt.Sprintf(`%s is "{%s}".`, named(value), value) }

// quoted gives texts as a sequence of XPath.
func quoted(all []string) string { return "('" + strings.Join(all, "', '") + "')" }

// list gives the variable of a list, with a further code if one is asked for, and its title.
func (t *formatTable) list(asked string) (variable, title string, err error) {
	asked, version, found := strings.Cut(asked, "@")
	if !found {
		version = listVersion
	}
	asked, further, _ := strings.Cut(asked, "+")
	name, variant, _ := strings.Cut(asked, ":")
	l, err := lists.Open(name, version)
	if err != nil {
		return "", "", err
	}
	codes, err := l.Variant(variant)
	if err != nil {
		return "", "", err
	}
	if !slices.ContainsFunc(t.pattern.Lets, func(let sch.Let) bool { return let.Name == name }) {
		t.pattern.Lets = append(t.pattern.Lets, sch.CodeList(name, codes))
	}
	if further != "" {
		return "($" + name + ", '" + further + "')", l.Title, nil
	}
	return "$" + name, l.Title, nil
}
