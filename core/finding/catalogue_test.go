package finding

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"regexp"
	"strconv"
	"testing"
)

func TestCatalogueSaysWhatEachCodeMeans(t *testing.T) {
	form := regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	seen := map[string]bool{}
	for _, e := range Catalogue() {
		switch {
		case !form.MatchString(e.Code):
			t.Errorf("%s is not of the form of a code", e.Code)
		case seen[e.Code]:
			t.Errorf("%s stands there twice", e.Code)
		case len(e.Meaning) < 20 || e.Meaning[len(e.Meaning)-1] != '.':
			t.Errorf("%s has no sentence: %q", e.Code, e.Meaning)
		}
		seen[e.Code] = true
	}
	for _, word := range []string{ // the contract's words
		"MISSING_FIELD", "TOO_MANY_LINE_ITEMS", "TOO_MANY_INVOICE_LINES", "SUB_ITEMS_TOO_DEEP", "PAYLOAD_TOO_LARGE",
		"FIELD_TOO_LONG", "COUNTRY_CODE_ASSUMED", "INVOICE_LINES_ABOVE_MODE_LIMIT",
	} {
		if !seen[word] {
			t.Errorf("%s is not in the catalogue", word)
		}
	}
}

func TestEveryCodeIsInTheCatalogue(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "catalogue.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, e := range Catalogue() {
		listed[strconv.Quote(e.Code)] = true
	}
	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if codes++; !listed[lit.Value] {
				t.Errorf("%s = %s is not in the catalogue", spec.Names[0], lit.Value)
			}
		}
		return true
	})
	if codes != len(listed) {
		t.Errorf("%d codes, %d entries", codes, len(listed))
	}
}

func TestRefusalKeepsItsPrivateCauseApart(t *testing.T) {
	r := &Refusal{Message: "total is required", Cause: io.ErrUnexpectedEOF}
	if r.Error() != "total is required" || !errors.Is(r, io.ErrUnexpectedEOF) {
		t.Errorf("%v", r)
	}
}
