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
	schemas := map[string]int{} // documents that a schema was compared on, by its file
	var waiting []func()
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
		if len(manifest.Rules) > 0 && compared[manifest.ID].Documents == 0 {
			t.Errorf("the rules of %s were not compared", manifest.ID)
		}
		for _, schema := range manifest.Schemas {
			schemas[schema.File] += compared["xsd:"+manifest.ID].Documents
			waiting = append(waiting, func() {
				if schemas[schema.File] == 0 {
					t.Errorf("the schema %s of %s was not compared", schema.File, manifest.ID)
				}
			})
		}
	}
	for _, check := range waiting { // a schema may stand in several rulebooks
		check()
	}
	for name, line := range compared {
		t.Logf("%s: %d of %d", name, line.Equal, line.Documents)
	}
}
