// Package xrechnung makes the rulebooks of XRechnung 3.0 (KoSIT, rules 2.5.0) from its texts: the conditions on each syntax, and
// the messages that both share.
package xrechnung

import (
	_ "embed"
	"fmt"

	"einvoiced/rulebooks/sch"
	"einvoiced/rulebooks/write/ruletext"
)

var (
	//go:embed messages.txt
	messages string
	//go:embed codes.txt
	codes string
	//go:embed ubl.txt
	ubl string
	//go:embed cii.txt
	cii string
)

// Files gives the Schematron of both rulebooks.
func Files() (map[string][]byte, error) {
	words, err := ruletext.Messages(messages)
	if err != nil {
		return nil, fmt.Errorf("messages of XRechnung: %w", err)
	}
	onUBL, err := schema("UBL 2.1", sch.UBL(), ubl, words)
	if err != nil {
		return nil, err
	}
	onCII, err := schema("CII D16B", sch.CII(), cii, words)
	if err != nil {
		return nil, err
	}
	if unused := ruletext.Unused(words, onUBL, onCII); len(unused) > 0 {
		return nil, fmt.Errorf("messages of XRechnung for rules that are not there: %q", unused)
	}
	return map[string][]byte{
		"books/xrechnung-ubl-3.0.2/rules.sch": onUBL.Bytes(),
		"books/xrechnung-cii-3.0.2/rules.sch": onCII.Bytes(),
	}, nil
}

func schema(syntax string, namespaces []sch.Namespace, rules string, words map[string]ruletext.Message) (*sch.Schema, error) {
	s := &sch.Schema{
		Comment:    "made by go run ./rulebooks/write from the texts in rulebooks/write/xrechnung",
		Title:      "XRechnung 3.0 on " + syntax,
		Namespaces: namespaces,
	}
	for _, text := range []string{codes, rules} {
		if err := ruletext.Read(text, words, s); err != nil {
			return nil, fmt.Errorf("rules of XRechnung on %s: %w", syntax, err)
		}
	}
	return s, nil
}
