package oracles

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A File is an official schema or rule file by the name that the verdicts of the corpus call it.
type File struct {
	Name   string
	Schema bool
	what   string // as Files.java takes it
}

// RuleFile is a Schematron rule set compiled to XSLT.
func RuleFile(name, path string) File { return File{name, false, "xslt:" + path} }

// SchemaFile is an XML Schema; the entry file is the last of the paths, after files that others import without saying where
// they are.
func SchemaFile(name string, paths ...string) File {
	return File{name, true, "xsd:" + strings.Join(paths, ";")}
}

// Syntaxes are the entry files of the schemas of UBL 2.1 and CII D16B by their names, in the folder that SyntaxFiles writes.
var Syntaxes = map[string]string{
	"ubl-invoice":    "external/schemas/ubl21/maindoc/UBL-Invoice-2.1.xsd",
	"ubl-creditnote": "external/schemas/ubl21/maindoc/UBL-CreditNote-2.1.xsd",
	"cii-d16b":       "external/schemas/d16b/data/standard/CrossIndustryInvoice_100pD16B.xsd",
}

// signatures are the files that the schemas of UBL import without saying where they are.
var signatures = []string{"schemas/CCTS_CCT_SchemaModule.xsd", "schemas/xmldsig-core-schema.xsd", "schemas/XAdES01903v132-201601.xsd", "schemas/XAdES01903v141-201601.xsd"}

// SyntaxFile is a schema of Syntaxes in a folder that SyntaxFiles has written.
func SyntaxFile(name, folder string) File {
	files := []string{Syntaxes[name]}
	if strings.HasPrefix(name, "ubl-") {
		files = append(slices.Clone(signatures), files...)
	}
	for i := range files {
		files[i] = filepath.Join(folder, filepath.FromSlash(files[i]))
	}
	return SchemaFile(name, files...)
}

// SignedSchemaFile is a schema whose documents may carry a signature, with that of XML Signature from a folder that SyntaxFiles has written.
func SignedSchemaFile(name, folder, path string) File {
	return SchemaFile(name, filepath.Join(folder, "schemas", "xmldsig-core-schema.xsd"), path)
}

// syntaxJars hold the files of Syntaxes.
var syntaxJars = []string{"ph-ubl21-", "ph-cii-d16b-", "ph-xsds-"}

// SyntaxFiles writes the files that Syntaxes are made of to a folder.
func SyntaxFiles(ctx context.Context, into string) error {
	folder, err := artefacts(ctx)
	if err != nil {
		return err
	}
	jars, err := filepath.Glob(filepath.Join(folder, "lib", "*.jar"))
	if err != nil {
		return fmt.Errorf("find the jars of the schemas: %w", err)
	}
	found := 0
	for _, jar := range jars {
		if slices.ContainsFunc(syntaxJars, func(prefix string) bool { return strings.HasPrefix(filepath.Base(jar), prefix) }) {
			found++
			if err := unpackSchemas(jar, into); err != nil {
				return fmt.Errorf("unpack %s: %w", filepath.Base(jar), err)
			}
		}
	}
	if found < len(syntaxJars) {
		return fmt.Errorf("find the jars of the schemas in %s: %w", folder, fs.ErrNotExist)
	}
	return nil
}

func unpackSchemas(jar, target string) error {
	return unpackJar(jar, target, func(name string) string {
		if path.Ext(name) == ".xsd" {
			return name
		}
		return ""
	})
}

// unpackJar writes the entries of a jar below a folder, each by the name that it is given there; those without a name are left out.
func unpackJar(jar, target string, called func(name string) string) error {
	r, err := zip.OpenReader(jar)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, entry := range r.File {
		if !entry.Mode().IsRegular() || !filepath.IsLocal(entry.Name) || called(entry.Name) == "" {
			continue
		}
		if err := unpackEntry(entry, filepath.Join(target, called(entry.Name))); err != nil {
			return err
		}
	}
	return nil
}

func unpackEntry(entry *zip.File, target string) error {
	in, err := entry.Open()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, data, 0o644)
}
