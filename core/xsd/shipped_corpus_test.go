//go:build corpus || oracles

package xsd

import (
	"io/fs"
	"testing"

	"einvoiced/rulebooks"
)

// shippedSchemas are the schemas that ship: name in the verdicts of the corpus to entry file.
var shippedSchemas = map[string]string{
	"ubl-invoice":       "ubl-2.1/invoice.xsd",
	"ubl-creditnote":    "ubl-2.1/creditnote.xsd",
	"cii-d16b":          "cii-d16b/rsm.xsd",
	"fx-2.3.3-basic":    "factur-x/basic/rsm.xsd",
	"fx-2.4-basic":      "factur-x/basic/rsm.xsd",
	"fx-2.5.2-basic":    "factur-x/basic/rsm.xsd",
	"fx-2.3.3-en16931":  "factur-x/en16931/rsm.xsd",
	"fx-2.4-en16931":    "factur-x/en16931/rsm.xsd",
	"fx-2.5.2-en16931":  "factur-x/en16931/rsm.xsd",
	"fx-2.3.3-extended": "factur-x/extended-2.3.3/rsm.xsd",
	"fx-2.4-extended":   "factur-x/extended-2.4/rsm.xsd",
	"fx-2.5.2-extended": "factur-x/extended-2.5.2/rsm.xsd",
}

// shippedFiles gives the folder of the schemas that ship.
func shippedFiles(t testing.TB) fs.FS {
	t.Helper()
	files, err := fs.Sub(rulebooks.Books(), "ubl-invoice-2.1/shared/schema")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func shippedSchema(t testing.TB, name string) *Schema {
	t.Helper()
	s, err := Compile(shippedFiles(t), Options{}, shippedSchemas[name])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// TestShippedSchemasGiveTheVerdictsOfTheCorpus ensures that each schema that ships accepts and refuses the same documents as the
// official one, and for the same reason.
func TestShippedSchemasGiveTheVerdictsOfTheCorpus(t *testing.T) {
	compiled := map[string]*Schema{}
	for name := range shippedSchemas {
		compiled[name] = shippedSchema(t, name)
	}
	verdicts(t, func(name string) *Schema {
		if compiled[name] == nil {
			t.Fatalf("no schema for %s ships", name)
		}
		return compiled[name]
	})
}
