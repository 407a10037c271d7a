//go:build oracles

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// officialBooks gives a folder with the official rules of EN 16931 and XRechnung, bound to all UBL documents.
func officialBooks(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	importOfficial(t, folder, "en16931-ubl", "xrechnung-ubl")
	manifests, err := filepath.Glob(filepath.Join(folder, "xrechnung-ubl-*", "manifest.yaml"))
	if err != nil || len(manifests) != 1 {
		t.Fatal(manifests, err)
	}
	manifest, err := os.ReadFile(manifests[0])
	if err != nil {
		t.Fatal(err)
	}
	manifest = append(manifest, "bindings:\n"...)
	for _, root := range []string{"Invoice", "CreditNote"} {
		manifest = fmt.Appendf(manifest, "  - {name: %[1]s, root: \"{urn:oasis:names:specification:ubl:schema:xsd:%[1]s-2}%[1]s\", after: [en16931-ubl]}\n", root)
	}
	if err := os.WriteFile(manifests[0], manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestOfficial_FieldsOfFindings holds the fields of findings by the official rules of EN 16931 and XRechnung.
func TestOfficial_FieldsOfFindings(t *testing.T) {
	holdFields(t, officialBooks(t), 200)
}

// TestOfficial_SelfCheck generates from each test input with the official rules as the self-check.
func TestOfficial_SelfCheck(t *testing.T) {
	holdSelfCheck(t, officialBooks(t), true)
}
