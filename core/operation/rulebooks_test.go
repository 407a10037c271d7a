package operation

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// shippedService judges by the rulebooks that ship, on a day.
func shippedService(t testing.TB, day string) *Service {
	t.Helper()
	return serviceOf(t, shipped, day)
}

// shipped is the layer of the rulebooks that ship.
var shipped = rulebook.Layer{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}

// shippedRegistry has them for all tests: to load and compile them takes longer than most tests.
var shippedRegistry = sync.OnceValues(func() (*rulebook.Registry, error) {
	return rulebook.NewRegistry(context.Background(), rulebook.Config{Layers: []rulebook.Layer{shipped}})
})

// TestListRulebooks ensures that every rulebook that ships is listed with where its rules come from and what it judges, and those with
// rules with how many.
func TestListRulebooks(t *testing.T) {
	list, err := shippedService(t, "2026-11-01").ListRulebooks(t.Context())
	if err != nil || len(list) < 40 {
		t.Fatalf("%d rulebooks: %v", len(list), err)
	}
	for _, r := range list {
		schema := slices.Contains([]string{"ubl-invoice", "ubl-creditnote", "cii-d16b"}, r.ID)
		if r.Publisher == "" || !strings.HasPrefix(r.Source, "https://") || r.Revision == "" || !r.Shipped || (len(r.Formats) == 0) != (r.ID == "verifactu") || (r.Rules == 0) != schema {
			t.Errorf("%+v", r)
		}
		if r.ValidFrom != nil && *r.ValidFrom > "2026-11-01" || r.ValidTo != nil {
			t.Errorf("%s@%s is not in force", r.ID, r.Version)
		}
	}
	at := slices.IndexFunc(list, func(r ListedRulebook) bool { return r.ID == "en16931-ubl" })
	if en := list[at]; *en.ValidFrom != "2026-04-10" || en.Rules != 979 || !slices.Contains(en.Formats, "xrechnung") || !slices.IsSorted(en.Formats) {
		t.Errorf("%+v", en)
	}
}

// TestListRulebooks_OfAnOperator ensures that what an operator added is told apart, with its days, and that a service without rulebooks
// lists none.
func TestListRulebooks_OfAnOperator(t *testing.T) {
	list, err := judgingService(t, today).ListRulebooks(t.Context())
	if err != nil || len(list) != 2 || list[0].Shipped || list[0].ValidFrom != nil || *list[0].ValidTo != "2026-12-31" || *list[1].ValidFrom != "2027-01-01" || list[0].Rules != 15 {
		t.Errorf("%+v %v", list, err)
	}
	s, err := New(Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := s.ListRulebooks(t.Context()); list == nil || len(list) > 0 || err != nil {
		t.Errorf("%v %v", list, err)
	}
}

// TestDiffRulebooks ensures what is said of two versions, and of names that are none.
func TestDiffRulebooks(t *testing.T) {
	s := judgingService(t, today)
	d, err := s.DiffRulebooks(t.Context(), "a-few", "a-few@2")
	if err != nil || d.From != "a-few@1" || d.To != "a-few@2" || len(d.Added) != 1 || d.Added[0] != "T-NEW" || len(d.Removed)+len(d.Changed) > 0 {
		t.Errorf("%+v %v", d, err)
	}
	for _, c := range []struct {
		from, to, field string
		kind            finding.Kind
	}{
		{"", "a-few@2", "from", finding.BadRequest},
		{"a-few", "a-few@", "to", finding.BadRequest},
		{"@1", "a-few@2", "from", finding.BadRequest},
		{"a-few", "a-few@3", "to", finding.NotFound},
		{strings.Repeat("x", 5000), "a-few", "from", finding.NotFound},
	} {
		_, err := s.DiffRulebooks(t.Context(), c.from, c.to)
		refusal, refused := errors.AsType[*finding.Refusal](err)
		if !refused || refusal.Kind != c.kind || refusal.Field != c.field || len(refusal.Message) > 400 {
			t.Errorf("%.10s to %s: %v", c.from, c.to, err)
		}
	}
}

// TestValidate_BeforeTheRulesBegan ensures that on a day before the rules were in force nothing is judged, and that the answer says from
// when they are.
func TestValidate_BeforeTheRulesBegan(t *testing.T) {
	s := shippedService(t, "2026-11-01")
	for _, day := range []string{"", "2020-01-01", "2024-06-01"} {
		a, err := s.Validate(t.Context(), ValidateRequest{Country: "de", Format: "xrechnung", Body: example(t), AsOf: day})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case day == "" && !a.Valid:
			t.Errorf("today: %+v", a.Errors)
		case day != "" && (a.Valid || a.Results[0].Valid != nil || len(a.Errors) != 1 || a.Errors[0].Code != finding.ValidationNotRun ||
			!strings.Contains(a.Errors[0].Message, "missing") || !strings.Contains(a.Errors[0].Message, "not in force on "+day)):
			t.Errorf("%s: %+v", day, a)
		}
	}
}
