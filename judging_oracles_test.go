//go:build oracles

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"einvoiced/core/finding"
	"einvoiced/core/operation"
)

// officialBooks gives a folder with the official rules of EN 16931 and XRechnung, bound to all UBL documents.
func officialBooks(t *testing.T) string {
	t.Helper()
	folder := importPublished(t, "en16931-ubl", "xrechnung-ubl")
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

// TestOfficial_SelfCheck generates from each test input with the official rules as the self-check: inputs whose documents they
// accept are answered 200 without SELF_CHECK_INCOMPLETE, the others as the table of answers says.
func TestOfficial_SelfCheck(t *testing.T) {
	flags := judgingFlags{rulebooksFlag: rulebooksFlag{Rulebooks: officialBooks(t)}, operationFlags: operationFlags{LargeInvoices: true}}
	service, err := flags.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/xrechnung-ubl-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]struct {
		Status       int
		Query        string
		Rules        []string
		Extension    bool
		WithRulebook *struct {
			Status   int
			Warnings []string
		}
	}
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
	for name, want := range answers {
		if want.Extension {
			continue // the extension lowers levels by a binding of its own
		}
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile("testdata/xrechnung-ubl/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			a, err := service.Generate(t.Context(), operation.GenerateRequest{Country: "de", Format: "xrechnung", Body: body, Calculate: strings.Contains(want.Query, "calculate=true")})
			status, warnings := want.Status, []string(nil)
			if want.WithRulebook != nil {
				status, warnings = want.WithRulebook.Status, want.WithRulebook.Warnings
			}
			refusal, refused := errors.AsType[*finding.Refusal](err)
			switch {
			case err != nil && !refused:
				t.Fatal(err)
			case refused != (status != 200):
				t.Fatalf("%v, want status %d", err, status)
			case refused:
				for _, rule := range want.Rules {
					if !slices.ContainsFunc(refusal.Errors, func(f finding.Finding) bool { return f.Code == rule }) {
						t.Errorf("no %s in %v", rule, refusal.Errors)
					}
				}
				return
			}
			for _, w := range a.Warnings {
				if w.Code == finding.SelfCheckIncomplete {
					t.Error(w.Message)
				}
			}
			for _, code := range warnings {
				if !slices.ContainsFunc(a.Warnings, func(f finding.Finding) bool { return f.Code == code }) {
					t.Errorf("no warning %s in %v", code, a.Warnings)
				}
			}
		})
	}
}
