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
	Name    string
	Version string
	Schema  bool
	layer   string
}

// RuleFile is a Schematron rule set compiled to XSLT.
func RuleFile(name, version, path string) File { return File{name, version, false, "xslt:" + path} }

// SchemaFile is an XML Schema.
func SchemaFile(name, path string) File { return File{name, "", true, "xsd:" + path} }

// Syntaxes are the schemas of UBL 2.1 and CII D16B, by their names, as the artefacts hold them.
var Syntaxes = map[string]File{
	"ubl-invoice":    {"ubl-invoice", "2.1", true, xsdInvoice.Layer},
	"ubl-creditnote": {"ubl-creditnote", "2.1", true, xsdCreditNote.Layer},
	"cii-d16b":       {"cii-d16b", "D16B", true, "eu.cen.en16931:cii:1.3.16#CrossIndustryInvoice_100pD16B.xsd"},
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
	return unpackJar(jar, target, func(name string) bool { return path.Ext(name) == ".xsd" })
}

// unpackJar writes the entries of a jar that are wanted below a folder.
func unpackJar(jar, target string, wanted func(name string) bool) error {
	r, err := zip.OpenReader(jar)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, entry := range r.File {
		if !entry.Mode().IsRegular() || !filepath.IsLocal(entry.Name) || !wanted(entry.Name) {
			continue
		}
		if err := unpackEntry(entry, filepath.Join(target, entry.Name)); err != nil {
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
