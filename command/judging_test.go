package command

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// judgeOf is a service that judges by the rulebooks that ship, and by those of a folder unless that is empty.
func judgeOf(t *testing.T, folder string) *operation.Service {
	t.Helper()
	flags := judgingFlags{rulebooksFlag: rulebooksFlag{Rulebooks: folder}, operationFlags: operationFlags{LargeInvoices: true}}
	service, err := flags.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// TestShippedRulebooks_SelfCheck generates from each test input with the rulebooks that ship as the self-check.
func TestShippedRulebooks_SelfCheck(t *testing.T) {
	holdSelfCheck(t, "", false)
}

// inputAnswer is what the table of answers says of an input.
type inputAnswer struct {
	Status       int
	Query        string
	Rules        []string
	Extension    bool
	WithRulebook *struct {
		Status   int
		Warnings []string
	}
}

// once is the status and the warnings that the answer has under rules.
func (a *inputAnswer) once() (status int, warnings []string) {
	if a.WithRulebook != nil {
		return a.WithRulebook.Status, a.WithRulebook.Warnings
	}
	return a.Status, nil
}

// holdSelfCheck holds that inputs whose documents the rules accept are answered 200 without SELF_CHECK_INCOMPLETE, and the others
// as the table of answers says. Inputs that need the levels of the extension may be left out.
func holdSelfCheck(t *testing.T, folder string, withoutExtension bool) {
	t.Helper()
	service := judgeOf(t, folder)
	data, err := os.ReadFile("../testdata/xrechnung-ubl-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]inputAnswer
	if err := json.Unmarshal(data, &answers); err != nil || len(answers) < 25 {
		t.Fatalf("%d answers: %v", len(answers), err)
	}
	for name, want := range answers {
		if want.Extension && withoutExtension {
			continue
		}
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile("../testdata/xrechnung-ubl/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			a, err := service.Generate(t.Context(), operation.GenerateRequest{Country: "de", Format: "xrechnung", Body: body, Calculate: strings.Contains(want.Query, "calculate=true")})
			if status, warnings := want.once(); status == 200 {
				holdAnswer(t, a, err, warnings)
			} else {
				holdRefusal(t, err, want.Rules)
			}
		})
	}
}

// holdAnswer holds that there is a document which was judged in full, with these warnings.
func holdAnswer(t *testing.T, a *operation.GenerateAnswer, err error, warnings []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
	if len(a.Rulebooks) < 2 {
		t.Errorf("judged by %v", a.Rulebooks)
	}
}

// holdRefusal holds that the invoice is refused for these rules.
func holdRefusal(t *testing.T, err error, rules []string) {
	t.Helper()
	refusal, refused := errors.AsType[*finding.Refusal](err)
	if !refused {
		t.Fatalf("not refused: %v", err)
	}
	for _, rule := range rules {
		if !slices.ContainsFunc(refusal.Errors, func(f finding.Finding) bool { return f.Code == rule }) {
			t.Errorf("no %s in %v", rule, refusal.Errors)
		}
	}
}
