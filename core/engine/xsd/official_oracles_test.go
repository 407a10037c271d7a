//go:build oracles

package xsd

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

func TestOfficialSchemasOfUBLAndCIIGiveTheVerdictsOfTheCorpus(t *testing.T) {
	verdicts(t, newOfficialFiles(t).schema)
}

func TestOfficialSchemasOfNationalFormatsGiveTheVerdictsOfTheCorpus(t *testing.T) {
	official := newOfficialFiles(t)
	parser := newParser(t, xmltree.Options{})
	dir := filepath.Join(corpus.Shared(), "corpus")
	type answer struct{ Valid *bool }
	var total agreement
	for _, set := range []string{"ebinterface", "facturae", "fatturapa", "isdoc", "ksef", "mydata", "nav", "sbdh", "verifactu"} {
		var verdicts struct {
			Schema                    struct{ Root any }
			Documents, Mutants, Rules map[string]answer
		}
		readVerdicts(t, dir, set, &verdicts)
		for _, part := range []map[string]answer{verdicts.Documents, verdicts.Mutants, verdicts.Rules} {
			for document, want := range part {
				file := set + "/" + document
				s := official.schema(rootSchema(t, parser, verdicts.Schema.Root, dir, file))
				if s == nil {
					continue
				}
				total.documents++
				valid := want.Valid == nil || *want.Valid // documents of rules are valid
				if found := judge(t, s, parser, dir, file); (len(found) == 0) != valid {
					t.Errorf("%s/%s: valid %v, want %v: %s", set, document, len(found) == 0, valid, outline(found))
					continue
				}
				total.equal++
			}
		}
	}
	t.Logf("%d documents, %d verdicts equal", total.documents, total.equal)
	if total.documents < 100 {
		t.Errorf("only %d documents have been compared", total.documents)
	}
}

// rootSchema is the schema for a document: one for all, or by the namespace of the document element.
func rootSchema(t *testing.T, parser *xmltree.Parser, root any, dir, file string) string {
	t.Helper()
	if name, ok := root.(string); ok {
		return name
	}
	byNamespace, _ := root.(map[string]any)
	name := byNamespace["*"]
	if doc, err := parseFile(t, parser, os.DirFS(dir), file); err == nil && byNamespace[doc.Namespace(doc.Root())] != nil {
		name = byNamespace[doc.Namespace(doc.Root())]
	}
	return fmt.Sprint(name)
}
