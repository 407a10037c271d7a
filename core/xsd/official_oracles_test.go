//go:build oracles

package xsd

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"einvoiced/core/xmltree"
	"einvoiced/internal/corpus"
)

// officialSchema is a schema of the corpus, by the end of its entry file's path. It lies in a folder of EINVOICED_SCHEMAS or
// in jars of Maven Central.
type officialSchema struct {
	folder string
	jars   []string // empty where Maven Central does not have it
	entry  string
}

var (
	ublJars = []string{"ph-ubl21", "ph-xsds"}
	fxJars  = []string{"phive-rules-zugferd"}
)

// officialSchemas are the schemas by their names in the verdicts of the corpus; those of national formats by set.
var officialSchemas = map[string]officialSchema{
	"ubl-invoice":       {"ubl", ublJars, "maindoc/UBL-Invoice-2.1.xsd"},
	"ubl-creditnote":    {"ubl", ublJars, "maindoc/UBL-CreditNote-2.1.xsd"},
	"cii-d16b":          {"cii", []string{"ph-cii-d16b"}, "CrossIndustryInvoice_100pD16B.xsd"},
	"fx-2.3.3-basic":    {"fx", fxJars, "2.3.3/basic/Factur-X_1.07.3_BASIC.xsd"},
	"fx-2.3.3-en16931":  {"fx", fxJars, "2.3.3/en16931/Factur-X_1.07.3_EN16931.xsd"},
	"fx-2.3.3-extended": {"fx", fxJars, "2.3.3/extended/Factur-X_1.07.3_EXTENDED.xsd"},
	"fx-2.4-basic":      {"fx", fxJars, "2.4/basic/FACTUR-X_BASIC.xsd"},
	"fx-2.4-en16931":    {"fx", fxJars, "2.4/en16931/FACTUR-X_EN16931.xsd"},
	"fx-2.4-extended":   {"fx", fxJars, "2.4/extended/FACTUR-X_EXTENDED.xsd"},
	"fx-2.5.2-basic":    {"fx", nil, "2.5.2/basic/FACTUR-X_BASIC.xsd"},
	"fx-2.5.2-en16931":  {"fx", nil, "2.5.2/en16931/FACTUR-X_EN16931.xsd"},
	"fx-2.5.2-extended": {"fx", nil, "2.5.2/extended/FACTUR-X_EXTENDED.xsd"},

	"ebinterface/Invoice.xsd":                 {"ebinterface", []string{"ph-ebinterface"}, "ebinterface-6.1.xsd"},
	"isdoc/isdoc-invoice-6.0.2.xsd":           {"isdoc", []string{"phive-rules-isdoc"}, "6.0.2/isdoc-invoice-6.0.2.xsd"},
	"sbdh/StandardBusinessDocumentHeader.xsd": {"sbdh", []string{"ph-sbdh"}, "StandardBusinessDocumentHeader.xsd"},
	"facturae/Facturaev3_2.xsd":               {"facturae", nil, "Facturaev3_2.xsd"},
	"facturae/Facturaev3_2_1.xsd":             {"facturae", nil, "Facturaev3_2_1.xsd"},
	"facturae/Facturaev3_2_2.xsd":             {"facturae", nil, "Facturaev3_2_2.xsd"},
	"fatturapa/pa_1.2.xsd":                    {"fatturapa", nil, "pa_1.2.xsd"},
	"ksef/schemat_FA(3)_v1-0E.xsd":            {"ksef", nil, "schemat_FA(3)_v1-0E.xsd"},
	"mydata/InvoicesDoc-v2.0.1.xsd":           {"mydata", nil, "InvoicesDoc-v2.0.1.xsd"},
	"navp/invoiceData.xsd":                    {"nav", nil, "invoiceData.xsd"},
	"verifactu/SuministroLR.xsd":              {"verifactu", nil, "SuministroLR.xsd"},
}

// officialFiles gives the schema files by folder.
type officialFiles struct {
	t       *testing.T
	folder  string // EINVOICED_SCHEMAS, or the jars
	given   bool
	schemas map[string]*Schema
}

func newOfficialFiles(t *testing.T) *officialFiles {
	t.Helper()
	o := &officialFiles{t: t, folder: os.Getenv("EINVOICED_SCHEMAS"), schemas: map[string]*Schema{}}
	if o.given = o.folder != ""; !o.given {
		o.folder = officialJars(t)
	}
	return o
}

// officialJars downloads the jars that testdata/pom.xml names, once.
func officialJars(t *testing.T) string {
	t.Helper()
	pom, err := os.ReadFile("testdata/pom.xml")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "einvoiced", fmt.Sprintf("schemas-%x", sha256.Sum256(pom))[:20])
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	part := folder + ".part"
	mvn := exec.CommandContext(t.Context(), "mvn", "-q", "-B", "-f", "testdata/pom.xml", "dependency:copy-dependencies",
		"-DexcludeTransitive=true", "-DoutputDirectory="+part)
	if out, err := mvn.CombinedOutput(); err != nil {
		t.Fatalf("download the official schemas: %v: %s", err, out)
	}
	if err := os.Rename(part, folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// schema compiles a schema of the verdicts; nil where it is not to be had.
func (o *officialFiles) schema(name string) *Schema {
	o.t.Helper()
	if s, ok := o.schemas[name]; ok {
		return s
	}
	x, known := officialSchemas[name]
	if !known {
		o.t.Fatalf("the schema %s is not known", name)
	}
	o.schemas[name] = nil
	files := o.files(x)
	entry := find(o.t, files, x.entry)
	if entry == "" {
		if !o.given && len(x.jars) > 0 {
			o.t.Fatalf("%s is not in %v", x.entry, x.jars)
		}
		o.t.Logf("%s is not compared: there is no %s", name, x.entry)
		return nil
	}
	s, err := Compile(files, Options{}, entry)
	if err != nil {
		o.t.Fatalf("%s: %v", name, err)
	}
	o.schemas[name] = s
	return s
}

func (o *officialFiles) files(x officialSchema) fs.FS {
	if o.given {
		return os.DirFS(filepath.Join(o.folder, x.folder))
	}
	all := fstest.MapFS{}
	for _, prefix := range x.jars {
		jars, err := filepath.Glob(filepath.Join(o.folder, prefix+"*.jar"))
		if err != nil || len(jars) == 0 {
			o.t.Fatalf("there is no jar %s: %v", prefix, err)
		}
		for _, jar := range jars {
			addSchemas(o.t, all, jar)
		}
	}
	return all
}

func addSchemas(t *testing.T, all fstest.MapFS, jar string) {
	t.Helper()
	r, err := zip.OpenReader(jar)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		if path.Ext(f.Name) != ".xsd" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		all[f.Name] = &fstest.MapFile{Data: data}
	}
}

// find gives the file whose path ends so, "" if there is none.
func find(t *testing.T, files fs.FS, suffix string) string {
	t.Helper()
	found := ""
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix("/"+name, "/"+suffix) {
			found = name
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}

// agreement counts the documents compared.
type agreement struct{ documents, equal, kinds int }

// judge gives the kinds of a document's violations; a document that is not well-formed has that kind only.
func judge(t *testing.T, s *Schema, parser *xmltree.Parser, file string) []Violation {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := parser.Parse(data)
	if err != nil {
		return []Violation{{Kind: "not-well-formed", Message: err.Error()}}
	}
	found, err := s.Validate(context.Background(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestOfficialSchemasOfUBLAndCIIGiveTheVerdictsOfTheCorpus(t *testing.T) {
	official := newOfficialFiles(t)
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
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
				found := judge(t, s, parser, filepath.Join(dir, name, document))
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
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
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
				file := filepath.Join(dir, set, document)
				s := official.schema(rootSchema(t, parser, verdicts.Schema.Root, file))
				if s == nil {
					continue
				}
				total.documents++
				valid := want.Valid == nil || *want.Valid // documents of rules are valid
				if found := judge(t, s, parser, file); (len(found) == 0) != valid {
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
func rootSchema(t *testing.T, parser *xmltree.Parser, root any, file string) string {
	t.Helper()
	if name, ok := root.(string); ok {
		return name
	}
	byNamespace, _ := root.(map[string]any)
	name := byNamespace["*"]
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if doc, err := parser.Parse(data); err == nil && byNamespace[doc.Namespace(doc.Root())] != nil {
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
