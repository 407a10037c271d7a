// Package qrbill makes the rulebook of the payload of the Swiss QR code: what the Swiss Implementation Guidelines QR-bill (SIX, version 2.3) ask
// of its lines. Documents are the XML of package core/format/qrbill, with an element for each line.
package qrbill

import (
	"embed"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/qrbill", texts, []ruletext.Book{{
		Folder: "qr-bill-2.3", Title: "QR-bill payload, guidelines 2.3", Namespaces: []sch.Namespace{{Prefix: "q", URI: "urn:einvoiced:qr-bill"}},
		Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"}, Definitions: map[string]string{"QRR": qrReference(), "characters": characters},
		Codes: []ruletext.Codes{{Variable: "countries", List: "iso-3166-1", Version: "en16931-1.3.16", Variant: "ubl"}},
	}})
}

// characters are those that texts may have (guidelines §4.1.1, with the extended set of version 2.3).
const characters = " -~\u00A0-\u017F\u0218-\u021B\u20AC"

// qrReference is the condition on the check digit of a QR reference (guidelines annex B): modulo 10, recursive, where the carry after each digit
// is taken from a table.
func qrReference() string {
	var b strings.Builder
	b.WriteString("(for $r in normalize-space(%), $c0 in 0")
	for i := 1; i <= 26; i++ {
		fmt.Fprintf(&b, ", $c%d in xs:integer(substring('0946827135', ($c%d + xs:integer(substring($r, %d, 1))) mod 10 + 1, 1))", i, i-1, i)
	}
	b.WriteString(" return (10 - $c26) mod 10 = xs:integer(substring($r, 27, 1)))")
	return b.String()
}
