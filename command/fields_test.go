package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// A mutation changes one member of an invoice.
type mutation struct {
	input string // name of the test input
	path  []any  // names and indexes that lead to the member
	what  string // name of the change
	to    any    // nil to leave the member out
}

// field is the path as answers name it.
func (m *mutation) field() string { return fieldOf(m.path) }

// holder is the object that the member is in.
func (m *mutation) holder() string { return fieldOf(m.path[:len(m.path)-1]) }

func fieldOf(path []any) string {
	var b strings.Builder
	for _, step := range path {
		if i, ok := step.(int); ok {
			fmt.Fprintf(&b, "[%d]", i)
			continue
		}
		fmt.Fprintf(&b, ".%s", step)
	}
	return strings.TrimPrefix(b.String(), ".")
}

// changes are what a mutation makes of a text or number.
var changes = []struct {
	name string
	to   func(old any) any // nil where it does not apply
}{
	{"left out", func(any) any { return nil }},
	{"garbled", func(old any) any {
		if s, ok := old.(string); ok && !dayForm.MatchString(s) {
			return "~" + s
		}
		return nil
	}},
	{"a year earlier", func(old any) any {
		if s, ok := old.(string); ok && dayForm.MatchString(s) {
			return "2019" + s[4:]
		}
		return nil
	}},
	{"ten more", func(old any) any {
		if n, ok := old.(json.Number); ok {
			whole, rest, _ := strings.Cut(n.String(), ".")
			return json.Number(strings.TrimSuffix("1"+strings.TrimPrefix(whole, "-")+"."+rest, "."))
		}
		return nil
	}},
	{"negated", func(old any) any {
		if n, ok := old.(json.Number); ok && n.String() != "0" {
			return json.Number("-" + strings.TrimPrefix(n.String(), "-"))
		}
		return nil
	}},
	{"other category", func(old any) any {
		if s, ok := old.(string); ok && len(s) == 1 {
			return map[string]string{"S": "E"}[s]
		}
		return nil
	}},
}

var dayForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)

// mutationsOfAKind bounds how often one change of one kind of member is made, so that no kind outweighs the others.
const mutationsOfAKind = 4

// mutationsOf lists the changes of each text and number of an invoice.
func mutationsOf(input string, invoice any, seen map[string]int) []mutation {
	var list []mutation
	var walk func(at any, path []any)
	walk = func(at any, path []any) {
		switch v := at.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name], append(slices.Clone(path), name))
			}
		case []any:
			for i := range v {
				walk(v[i], append(slices.Clone(path), i))
			}
		default:
			list = append(list, changesOf(input, path, at, seen)...)
		}
	}
	walk(invoice, nil)
	return list
}

var indexes = regexp.MustCompile(`\[\d+\]`)

func changesOf(input string, path []any, old any, seen map[string]int) []mutation {
	var list []mutation
	for _, c := range changes {
		m := mutation{input: input, path: path, what: c.name, to: c.to(old)}
		kind := indexes.ReplaceAllString(m.field(), "[]") + " " + c.name
		if (m.to == nil || m.to == "") && c.name != "left out" || seen[kind] >= mutationsOfAKind {
			continue
		}
		seen[kind]++
		list = append(list, m)
	}
	return list
}

// apply makes a request of an invoice with the change; the invoice stays as it is.
func (m *mutation) apply(t *testing.T, body map[string]any) []byte {
	t.Helper()
	copied := reread(t, body)
	var at any = copied["invoice"]
	for _, step := range m.path[:len(m.path)-1] {
		if i, ok := step.(int); ok {
			at = at.([]any)[i]
		} else {
			at = at.(map[string]any)[step.(string)]
		}
	}
	switch last := m.path[len(m.path)-1].(type) {
	case string:
		delete(at.(map[string]any), last)
		if m.to != nil {
			at.(map[string]any)[last] = m.to
		}
	case int:
		at.([]any)[last] = m.to
	}
	out, err := json.Marshal(copied)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reread copies a JSON value.
func reread(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return readJSON(t, data)
}

func readJSON(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var body map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body
}

// contractNames are the fields that the contract gives to rules whatever was wrong.
var contractNames = map[string]bool{"BR-DE-1": true, "BR-DE-15": true, "BR-DE-17": true, "BR-16": true, "BR-61": true}

// named tells whether a finding names the member that was changed, or the object that holds it, or what the contract says.
func (m *mutation) named(errs []finding.Finding) bool {
	return slices.ContainsFunc(errs, func(e finding.Finding) bool {
		return contractNames[e.Code] || e.Field == m.field() || strings.HasPrefix(e.Field, m.field()+".") || e.Field != "" && e.Field == m.holder()
	})
}

// TestFieldsOfFindings holds the fields of findings by the rulebooks that ship, and by the few rules.
func TestFieldsOfFindings(t *testing.T) {
	t.Parallel()
	t.Run("shipped", func(t *testing.T) { holdFields(t, "", 200) })
	t.Run("few", func(t *testing.T) { holdFields(t, "../testdata/rulebooks", 50) })
}

// holdFields changes one member of the test inputs at a time and holds the fields of the findings by a folder of rulebooks
// against it: of at least so many changes with findings, 95 % have to be named. The short form takes every eighth change.
func holdFields(t *testing.T, folder string, least int) {
	t.Helper()
	service := judgeOf(t, folder)
	files, err := filepath.Glob("../testdata/xrechnung-ubl/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no inputs", err)
	}
	found, right, seen := 0, 0, map[string]int{}
	if testing.Short() {
		least /= 10
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body := readJSON(t, data)
		if errs, ok := judged200(t, service, data); !ok || len(errs) > 0 {
			continue // not valid as it is
		}
		for i, m := range mutationsOf(filepath.Base(file), body["invoice"], seen) {
			if testing.Short() && i%8 != 0 {
				continue
			}
			errs, ok := judged200(t, service, m.apply(t, body))
			if !ok || len(errs) == 0 {
				continue
			}
			found++
			if m.named(errs) {
				right++
				continue
			}
			t.Logf("%s: %s %s: %s", m.input, m.field(), m.what, brief(errs))
		}
	}
	t.Logf("%d mutations with findings, %d named (%.1f %%)", found, right, 100*float64(right)/float64(max(found, 1)))
	if found < least || right*100 < found*95 {
		t.Errorf("%d of %d mutations are named: want 95 %% of at least %d", right, found, least)
	}
}

func brief(errs []finding.Finding) string {
	var list []string
	for _, e := range errs[:min(len(errs), 6)] {
		list = append(list, e.Code+" at "+e.Field)
	}
	return strings.Join(list, ", ")
}

// judged200 gives the errors of an invoice; ok is false for what is no invoice at all.
func judged200(t *testing.T, service *operation.Service, body []byte) (errs []finding.Finding, ok bool) {
	t.Helper()
	a, err := service.Validate(t.Context(), operation.ValidateRequest{Country: "de", Format: "xrechnung", Body: body})
	if _, refused := errors.AsType[*finding.Refusal](err); refused {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return a.Errors, true
}
