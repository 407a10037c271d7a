//go:build corpus

package command

import (
	"io/fs"
	"testing"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// TestShipped_Agree compares the verdicts of the rulebooks that ship with the official ones on every document of the corpus.
func TestShipped_Agree(t *testing.T) {
	compared := agreeOverCorpus(t, "")
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
		for name, judges := range map[string]bool{manifest.ID: len(manifest.Rules) > 0, "xsd:" + manifest.ID: len(manifest.Schemas) > 0} {
			if judges && compared[name].Documents == 0 {
				t.Errorf("%s was not compared", name)
			}
		}
	}
	for name, line := range compared {
		t.Logf("%s: %d of %d", name, line.Equal, line.Documents)
	}
}
