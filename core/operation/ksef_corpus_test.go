//go:build corpus

package operation

import (
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestKSeFCorpus_VerdictsAreThoseOfTheSchema holds our schema against the official one, and the ministry's examples against our rules.
func TestKSeFCorpus_VerdictsAreThoseOfTheSchema(t *testing.T) {
	ksefFormat.judgedAsOfficially(t, 51, published)
}

// TestKSeFCorpus_ComesBack parses every valid document, writes its invoice and parses that: nothing is reported, and the invoice is the
// same, numbers by value.
func TestKSeFCorpus_ComesBack(t *testing.T) {
	ksefFormat.corpusComesBack(t, wayBack{least: 16, skips: none, reports: func(d corpus.National) bool { return strings.Contains(d.Name, "unknown") },
		refuses: func(d corpus.National) bool { return d.Mutant || strings.HasPrefix(d.Name, "neg-") }})
}
