//go:build oracles

package rulebook

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Official distributions become rulebooks that load, with the code lists and schemas that their entry files lead to.
func TestOfficial_Imports(t *testing.T) {
	modules := filepath.SplitList(os.Getenv("EINVOICED_RULES"))
	if len(modules) == 0 {
		t.Fatal("no official rule sets: set EINVOICED_RULES to the folder that go run ./oracles/cmd/rules prints")
	}
	shelf := t.TempDir()
	into, err := os.OpenRoot(shelf)
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	books := []struct {
		module, schematron, xsd string
		options                 ImportOptions
		files                   int
	}{
		{"phive-rules-en16931", "1.3.16/ubl/EN16931-UBL-validation.xslt", "", ImportOptions{ID: "en16931-ubl"}, 1},
		{"phive-rules-en16931", "1.3.16/cii/EN16931-CII-validation.xslt", "", ImportOptions{ID: "en16931-cii"}, 1},
		{"phive-rules-peppol", "openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL.xslt", "", ImportOptions{ID: "peppol-bis"}, 1},
		{"phive-rules-xrechnung", "3.0.2/XRechnung-UBL-validation.xslt", "", ImportOptions{ID: "xrechnung-ubl"}, 1},
		{"phive-rules-zugferd", "2.4/FACTUR-X_EXTENDED.xslt", "2.4/extended/FACTUR-X_EXTENDED.xsd", ImportOptions{ID: "fx-2.4-extended"}, 6},
		{"phive-rules-ublbe", "ublbe/en16931/v1.31/GLOBALUBL.BE.xslt", "", ImportOptions{ID: "be"}, 1},
	}
	for _, b := range books {
		b.options.Schematron = []string{"external/schematron/" + b.schematron}
		if b.xsd != "" {
			b.options.Schemas = []string{"external/schemas/" + b.xsd}
		}
		done, err := Import(context.Background(), officialModule(t, modules, b.module), into, b.options)
		if err != nil {
			t.Errorf("%s: %v", b.schematron, err)
			continue
		}
		if len(done.Manifest.Files) != b.files || len(done.Notes) > 0 {
			t.Errorf("%s: files %q, notes %q", done.Folder, sortedKeys(done.Manifest.Files), done.Notes)
		}
	}
	r, err := NewRegistry(context.Background(), Config{Layers: []Layer{folderLayer(shelf)}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range r.Current().Books() {
		if _, err := b.Programs(); err != nil {
			t.Error(err)
		}
		names = append(names, b.Name())
	}
	if len(names) != len(books) {
		t.Errorf("loaded %s", strings.Join(names, " "))
	}
}

// officialModule opens an unpacked jar.
func officialModule(t *testing.T, folders []string, module string) fs.FS {
	t.Helper()
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, module, "external")); err != nil {
			continue
		}
		root, err := os.OpenRoot(filepath.Join(folder, module))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		return root.FS()
	}
	t.Fatalf("%s is in none of %q", module, folders)
	return nil
}
