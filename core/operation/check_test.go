package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
)

// TestGenerate_SelfCheck ensures that a document which breaks a rule is not given out, and which warnings come with one that is.
func TestGenerate_SelfCheck(t *testing.T) {
	for name, c := range map[string]struct {
		body       []byte
		errors     []said // nil for 200
		compliance []said
		warnings   []said
	}{
		"clean":                  {body: example(t)},
		"a rule with house code": {body: example(t, `"subtotal": 100.00`, `"subtotal": 101.00`, `"total": 119.00`, `"total": 120.00`), errors: []said{{"BR-CO-10", "subtotal", ""}}, compliance: []said{{"DE_SUM_001", "subtotal", "BR-CO-10"}}},
		"a rule without":         {body: example(t, `"total": 119.00`, `"total": 118.00`), errors: []said{{"BR-CO-15", "total", ""}}, compliance: []said{{"SPEC_RULE_FAILED", "total", "BR-CO-15"}}},
		"a warning":              {body: noted(t, "TRY-WARNING"), warnings: []said{{"SPEC_RULE_FAILED", "notes", "T-WARNING"}}},
		"pending":                {body: noted(t, "TRY-PENDING"), warnings: []said{{"SPEC_RULE_PENDING", "notes", "T-PENDING"}}},
		"pending, enforced": {body: append([]byte(`{"enforcePending":true,`), noted(t, "TRY-PENDING")[1:]...),
			errors: []said{{"T-PENDING", "notes", ""}}, compliance: []said{{"SPEC_RULE_FAILED", "notes", "T-PENDING"}}},
		"not everything was run": {body: noted(t, "TRY-NUMBER x"), warnings: []said{{"SELF_CHECK_INCOMPLETE", "", ""}}},
		"a prefix is added":      {body: example(t, "DE123456789", "123456789"), warnings: []said{{"VAT_ID_COUNTRY_PREFIX_ADDED", "seller.vatId", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := judgingService(t, today).Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: c.body})
			if c.errors == nil {
				if err != nil {
					t.Fatal(err)
				}
				if diff := gocmp.Diff(c.warnings, saidOf(a.Warnings)); diff != "" || !slices.Equal(a.Rulebooks, []Rulebook{{"a-few", "1"}}) {
					t.Errorf("warnings differ (-want +got):\n%s%v", diff, a.Rulebooks)
				}
				if name == "a prefix is added" && !strings.Contains(string(a.Data), ">DE123456789<") {
					t.Errorf("the document does not have it: %s", a.Data)
				}
				return
			}
			r, ok := errors.AsType[*finding.Refusal](err)
			if !ok || r.Kind != finding.Unprocessable || len(r.Extra) != 2 {
				t.Fatalf("%v", err)
			}
			if diff := gocmp.Diff(c.errors, saidOf(r.Errors)); diff != "" {
				t.Errorf("errors differ (-want +got):\n%s", diff)
			}
			if diff := gocmp.Diff(c.compliance, saidOf(r.Extra[0].Value.([]finding.Finding))); diff != "" {
				t.Errorf("complianceErrors differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPendingFindingsTellWhen ensures the members of findings in a warning phase.
func TestPendingFindingsTellWhen(t *testing.T) {
	a, err := judgingService(t, today).Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: noted(t, "TRY-PENDING")})
	if err != nil {
		t.Fatal(err)
	}
	w := a.Warnings[0]
	if w.EnforceFrom != "2027-06-01" || w.PendingKey != "a-few:T-PENDING" || w.SpecID != "a-few-2027" || w.Rule != "T-PENDING" || !strings.Contains(w.Message, "2027-06-01") {
		t.Errorf("%+v", w)
	}
}

// TestSmallInvoices ensures what the mode without large-invoice validation refuses, and of what it warns.
func TestSmallInvoices(t *testing.T) {
	small := func(c *Config) { c.SmallInvoices = true }
	many := generateRequest(5_001)
	_, err := judgingService(t, today, small).Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: many})
	if r, ok := errors.AsType[*finding.Refusal](err); !ok || r.Code != finding.TooManyLineItems {
		t.Errorf("5,001 lines: %v", err)
	}
	document := documentOf(t, many)
	_, err = judgingService(t, today, small).Validate(t.Context(), ValidateRequest{Country: "de", Document: []byte(document)})
	if r, ok := errors.AsType[*finding.Refusal](err); !ok || r.Code != finding.TooManyLineItems || len(r.Extra) != 1 {
		t.Errorf("a document of 5,001 lines: %v", err)
	}
	item := `{"description":"a","quantity":1,"unit":"C62","unitPrice":0,"taxRate":19,"netAmount":0,"taxAmount":0}`
	nested := example(t, `"quantity": 4,`, `"subItems":[`+item+strings.Repeat(","+item, 4_999)+`],"quantity": 4,`)
	a, err := judgingService(t, today, small).Validate(t.Context(), ValidateRequest{Country: "de", Body: nested})
	if err != nil || !slices.ContainsFunc(a.Warnings, func(f finding.Finding) bool {
		return f.Code == finding.InvoiceLinesAboveModeLimit && f.Count == 5_001 && f.Limit == 5_000
	}) {
		t.Errorf("5,001 lines in all: %v %+v", err, a)
	}
}

// TestRequestsEndWithTheirContext ensures that judging obeys its context.
func TestRequestsEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	document := []byte(documentOf(t, example(t)))
	cancel()
	s := judgingService(t, today)
	if _, err := s.Validate(ctx, ValidateRequest{Country: "de", Document: document}); !errors.Is(err, context.Canceled) {
		t.Errorf("a document: %v", err)
	}
	if _, err := s.Validate(ctx, ValidateRequest{Country: "de", Body: example(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("an invoice: %v", err)
	}
}

// TestNew_RefusesNonsense ensures that a configuration which cannot work is refused.
func TestNew_RefusesNonsense(t *testing.T) {
	for name, c := range map[string]Config{
		"rulebooks without a clock": {Rulebooks: func(context.Context) *rulebook.Generation { return nil }},
		"a negative limit":          {MaxItems: -1},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestGapsOf_NamesEveryRule ensures that each rule which was not run is named, however many there are.
func TestGapsOf_NamesEveryRule(t *testing.T) {
	var notRun []validate.NotRun
	for i := range 3 * gapsListed {
		notRun = append(notRun, validate.NotRun{Reason: rulebook.TransformFailed, What: fmt.Sprintf("rule R-%d of rulebook b", i), Why: "no number"})
	}
	gaps := gapsOf(notRun)
	if len(gaps) != gapsListed+1 {
		t.Errorf("%d entries", len(gaps))
	}
	said := strings.Join(gaps, "; ")
	for _, n := range notRun {
		if !strings.Contains(said, n.What) {
			t.Errorf("%s is not named", n.What)
		}
	}
}

// TestGenerate_ZerosAtTheEndAreNoDecimals ensures that an amount such as 119.000 is written with the two decimals that the rules allow.
func TestGenerate_ZerosAtTheEndAreNoDecimals(t *testing.T) {
	body := example(t, `"total": 119.00`, `"total": 119.000`, `"subtotal": 100.00`, `"subtotal": 100.0000`)
	a, err := fullService(t).Generate(t.Context(), GenerateRequest{Country: "de", Format: "xrechnung", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	for _, amount := range []string{">119.00</cbc:TaxInclusiveAmount>", ">100.00</cbc:TaxExclusiveAmount>"} {
		if !strings.Contains(string(a.Data), amount) {
			t.Errorf("the document has no %s", amount)
		}
	}
}
