//go:build corpus

package command

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// withoutCorpus are the rule sets that the corpus has no documents for; mutants of others compare them.
var withoutCorpus = []string{"pint-jp-sb-base", "pint-jp-sb"}

// national are the rulebooks of national formats, whose documents have verdicts of schemas, and cases that tell which rules fire:
// core/operation and core/verifactu compare them.
var national = []string{"ebinterface", "facturae-3.2", "facturae-3.2.1", "facturae-3.2.2", "fatturapa", "isdoc", "ksef-fa3", "mydata", "nav", "qr-bill", "verifactu"}

// TestShipped_Agree compares the verdicts of the rulebooks that ship with the official ones on every document of the corpus. A schema
// that several have is compared under the name of one.
func TestShipped_Agree(t *testing.T) {
	compared := agreeOverCorpus(t, "")
	schemas := map[string]bool{} // entry files: whether they were compared
	entries, err := fs.ReadDir(rulebooks.Books(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range entries {
		if !folder.IsDir() {
			continue
		}
		text, err := fs.ReadFile(rulebooks.Books(), folder.Name()+"/"+rulebooks.ManifestFile)
		if err != nil {
			t.Fatal(err)
		}
		manifest, err := rulebook.DecodeManifest(text)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(national, manifest.ID) {
			continue
		}
		if len(manifest.Rules) > 0 && compared[manifest.ID].Documents == 0 && !slices.Contains(withoutCorpus, manifest.ID) {
			t.Errorf("%s was not compared", manifest.ID)
		}
		for _, s := range manifest.Schemas {
			schemas[s.File] = schemas[s.File] || compared["xsd:"+manifest.ID].Documents > 0
		}
	}
	for file, was := range schemas {
		if !was {
			t.Errorf("%s was not compared", file)
		}
	}
	for name, line := range compared {
		t.Logf("%s: %d of %d", name, line.Equal, line.Documents)
	}
}
