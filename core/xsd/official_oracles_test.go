//go:build oracles

package xsd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"einvoiced/core/xmltree"
	"einvoiced/internal/corpus"
)

// agreement counts the documents compared.
type agreement struct{ documents, equal, kinds int }

// judge gives the violations of a document; one that is not well-formed has that kind only.
func judge(t *testing.T, s *Schema, parser *xmltree.Parser, dir, file string) []Violation {
	t.Helper()
	doc, err := parseFile(t, parser, os.DirFS(dir), file)
	if err != nil {
		return []Violation{{Kind: "not-well-formed", Message: err.Error()}}
	}
	return validate(t, s, doc)
}

func TestOfficialSchemasOfUBLAndCIIGiveTheVerdictsOfTheCorpus(t *testing.T) {
	official := newOfficialFiles(t)
	parser := newParser(t, xmltree.Options{})
	dir := filepath.Join(corpus.Shared(), "corpus")
	var total agreement
	for _, name := range verdictFiles(t, dir) {
		var verdicts struct {
			Files map[string]struct {
				XSD map[string]struct {
					Valid bool
					First string // kind of the first violation
				}
			}
		}
		readVerdicts(t, dir, name, &verdicts)
		for document, x := range verdicts.Files {
			for schema, want := range x.XSD {
				s := official.schema(schema)
				if s == nil {
					continue
				}
				total.documents++
				found := judge(t, s, parser, dir, name+"/"+document)
				if (len(found) == 0) != want.Valid {
					t.Errorf("%s/%s by %s: valid %v, want %v: %s", name, document, schema, len(found) == 0, want.Valid, outline(found))
					continue
				}
				total.equal++
				// The verdicts have no kind of their own for a value other than the prescribed one.
				if len(found) > 0 && string(found[0].Kind) != want.First && found[0].Kind != KindFixed {
					t.Errorf("%s/%s by %s: first %s, want %s: %s", name, document, schema, found[0].Kind, want.First, found[0].Message)
					continue
				}
				total.kinds++
			}
		}
	}
	t.Logf("%d documents, %d verdicts and %d first violations equal", total.documents, total.equal, total.kinds)
	if total.documents < 4000 {
		t.Errorf("only %d documents have been compared", total.documents)
	}
}

func TestOfficialSchemasOfNationalFormatsGiveTheVerdictsOfTheCorpus(t *testing.T) {
	official := newOfficialFiles(t)
	parser := newParser(t, xmltree.Options{})
	dir := filepath.Join(corpus.Shared(), "corpus")
	type verdict struct{ Valid *bool }
	var total agreement
	for _, set := range []string{"ebinterface", "facturae", "fatturapa", "isdoc", "ksef", "mydata", "nav", "sbdh", "verifactu"} {
		var verdicts struct {
			Schema                    struct{ Root any }
			Documents, Mutants, Rules map[string]verdict
		}
		readVerdicts(t, dir, set, &verdicts)
		for _, part := range []map[string]verdict{verdicts.Documents, verdicts.Mutants, verdicts.Rules} {
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

func verdictFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "verdicts", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no verdicts in %s: %v", dir, err)
	}
	var names []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func readVerdicts(t *testing.T, dir, set string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "verdicts", set+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", set, err)
	}
}
