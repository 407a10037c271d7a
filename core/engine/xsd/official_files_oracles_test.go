//go:build oracles

package xsd

import (
	"archive/zip"
	"crypto/sha256"
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

	"github.com/einvoiced/einvoiced/test/oracles"
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
	fxJars  = []string{facturX}
)

// facturX is the module of the unpacked rule sets that has the schemas of Factur-X, those of the newest version with them.
const facturX = "phive-rules-zugferd"

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
	"fx-2.5.2-basic":    {"fx", fxJars, "2.5.2/basic/FACTUR-X_BASIC.xsd"},
	"fx-2.5.2-en16931":  {"fx", fxJars, "2.5.2/en16931/FACTUR-X_EN16931.xsd"},
	"fx-2.5.2-extended": {"fx", fxJars, "2.5.2/extended/FACTUR-X_EXTENDED.xsd"},

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
	t       testing.TB
	folder  string // EINVOICED_SCHEMAS, or the jars
	given   bool
	schemas map[string]*Schema
}

func newOfficialFiles(t testing.TB) *officialFiles {
	t.Helper()
	o := &officialFiles{t: t, folder: os.Getenv("EINVOICED_SCHEMAS"), schemas: map[string]*Schema{}}
	if o.given = o.folder != ""; !o.given {
		o.folder = officialJars(t)
	}
	return o
}

// officialJars downloads the jars that testdata/pom.xml names, once.
func officialJars(t testing.TB) string {
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

// BenchmarkOfficial is BenchmarkShipped for the official schemas.
func BenchmarkOfficial(b *testing.B) {
	official := newOfficialFiles(b)
	for name, document := range benchmarkDocuments(b) {
		x := officialSchemas[name]
		files := official.files(x)
		entry := find(b, files, x.entry)
		benchmarkSchema(b, name, document, func() (*Schema, error) { return Compile(files, Options{}, entry) })
	}
}

func (o *officialFiles) files(x officialSchema) fs.FS {
	if o.given {
		return os.DirFS(filepath.Join(o.folder, x.folder))
	}
	if slices.Equal(x.jars, fxJars) {
		rules, err := oracles.CompiledRules(o.t.Context())
		if err != nil {
			o.t.Fatal(err)
		}
		return os.DirFS(filepath.Join(rules, facturX))
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

func addSchemas(t testing.TB, all fstest.MapFS, jar string) {
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
func find(t testing.TB, files fs.FS, suffix string) string {
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
