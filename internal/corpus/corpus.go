// Package corpus finds the documents of the shared corpus and the verdicts of the official rules on them, for tests that
// run with the build tag corpus.
package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Document is one document of the corpus with its verdicts.
type Document struct {
	Set    string // folder, e.g. xr-ubl
	Name   string // file name
	Path   string
	Syntax string // UBL or CII
	Root   string // ubl-invoice, ubl-creditnote or cii
	Rules  map[string][]Finding
	Errors map[string]string // rule sets that aborted, with the error code
	Valid  bool              // some schema of the set accepts it
}

// Finding is one rule that fired.
type Finding struct {
	ID    string `json:"id"`
	Flag  string `json:"flag"`
	Count int    `json:"count"`
}

// Shared is the folder that holds the corpus: EINVOICED_SHARED, or "shared" beside the repository.
func Shared() string {
	if dir := os.Getenv("EINVOICED_SHARED"); dir != "" {
		return dir
	}
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..", "shared")
}

// UBL lists the UBL documents of the corpus in the order of sets and names. A missing corpus fails the test.
func UBL(t testing.TB) []Document {
	t.Helper()
	return documents(t, "UBL")
}

// CII lists the CII documents of the corpus in the order of sets and names. A missing corpus fails the test.
func CII(t testing.TB) []Document {
	t.Helper()
	return documents(t, "CII")
}

func documents(t testing.TB, syntax string) []Document {
	t.Helper()
	dir := filepath.Join(Shared(), "corpus")
	files, err := filepath.Glob(filepath.Join(dir, "verdicts", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus in %s: set EINVOICED_SHARED, or put it beside the repository", dir)
	}
	var all []Document
	for _, file := range files {
		all = append(all, readSet(t, dir, file, syntax)...)
	}
	return all
}

type verdicts struct {
	Set    string
	Syntax string
	Files  map[string]struct {
		Root  string
		XSD   map[string]struct{ Valid bool }
		Rules map[string]json.RawMessage
	}
}

func readSet(t testing.TB, dir, file, syntax string) []Document {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v verdicts
	if err := json.Unmarshal(data, &v); err != nil || v.Syntax != syntax {
		return nil
	}
	var docs []Document
	for name, f := range v.Files {
		d := Document{Set: v.Set, Name: name, Path: filepath.Join(dir, v.Set, name), Syntax: syntax, Root: f.Root,
			Rules: map[string][]Finding{}, Errors: map[string]string{}}
		for _, x := range f.XSD {
			d.Valid = d.Valid || x.Valid
		}
		for set, raw := range f.Rules {
			d.addRules(t, set, raw)
		}
		docs = append(docs, d)
	}
	slices.SortFunc(docs, func(a, b Document) int { return strings.Compare(a.Name, b.Name) })
	return docs
}

// addRules reads the verdict of one rule set: a list of findings, or the error it aborted with.
func (d *Document) addRules(t testing.TB, set string, raw json.RawMessage) {
	t.Helper()
	var findings []Finding
	if json.Unmarshal(raw, &findings) == nil {
		d.Rules[set] = findings
		return
	}
	var aborted struct{ Error string }
	if err := json.Unmarshal(raw, &aborted); err != nil {
		t.Fatalf("%s %s: %v", d.Path, set, err)
	}
	d.Errors[set] = aborted.Error
}

// Fatal tells whether a rule set whose name begins so has a fatal finding on the document or aborted.
func (d *Document) Fatal(prefix string) bool {
	for set := range d.Errors {
		if strings.HasPrefix(set, prefix) {
			return true
		}
	}
	for set, findings := range d.Rules {
		if strings.HasPrefix(set, prefix) && slices.ContainsFunc(findings, func(f Finding) bool { return f.Flag == "fatal" }) {
			return true
		}
	}
	return false
}
