package finding

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "make anew what is made of codes.txt")

// TestCodesAreMadeOfTheCatalogue holds what is made of codes.txt against it: the constants, the page of the documentation, the
// enumeration in the description of the interface.
func TestCodesAreMadeOfTheCatalogue(t *testing.T) {
	constants, err := format.Source(constants())
	if err != nil {
		t.Fatal(err)
	}
	hold(t, "codes.go", constants)
	hold(t, "../../docs/codes.md", page())
	hold(t, "../../api/openapi.yaml", withEnumeration(t, "../../api/openapi.yaml"))
}

// hold compares a file with what it has to be, or writes it.
func hold(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not made of codes.txt; go test ./core/finding -update makes it:\n%s", name, cmp.Diff(string(got), string(want)))
	}
}

// groups gives the entries by their headings, in order.
func groups() [][]Entry {
	var list [][]Entry
	for _, e := range Catalogue() {
		if n := len(list); n > 0 && list[n-1][0].Group == e.Group {
			list[n-1] = append(list[n-1], e)
			continue
		}
		list = append(list, []Entry{e})
	}
	return list
}

func constants() []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated from codes.txt by go test ./core/finding -update. DO NOT EDIT.\n\npackage finding\n")
	for _, group := range groups() {
		fmt.Fprintf(&b, "\n// %s\nconst (\n", group[0].Group)
		for _, e := range group {
			fmt.Fprintf(&b, "%s = %q\n", e.name, e.Code)
		}
		b.WriteString(")\n")
	}
	return b.Bytes()
}

func page() []byte {
	var b bytes.Buffer
	b.WriteString("# Codes\n\nWhat stands in `code` of `errors[]`, `warnings[]` and `infos[]` beside the ids of rules, such as BR-16, and the house codes that rulebooks give\n" +
		"to rules. `einvoiced explain CODE` tells the same, and what a rule or a business term is about.\n\nThis page is made of " +
		"[core/finding/codes.txt](../core/finding/codes.txt), each of which `TestEveryCodeIsGivenOverHTTP` has given or says where, and of\n" +
		"[core/finding/contract.txt](../core/finding/contract.txt), the other codes of the contract, with the test that has them given.\n")
	for _, group := range groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| Code | Comes as | Meaning |\n|---|---|---|\n", strings.TrimSuffix(strings.SplitAfter(group[0].Group, ".")[0], "."))
		for _, e := range group {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Code, [...]string{"error", "warning", "information"}[e.Severity], e.Meaning)
		}
	}
	group := ""
	for _, k := range Contract() {
		if k.Group != group {
			group = k.Group
			fmt.Fprintf(&b, "\n## %s\n\n| Code | Meaning | Shown by |\n|---|---|---|\n", strings.TrimSuffix(strings.SplitAfter(group, ".")[0], "."))
		}
		shown := k.Shown
		if !k.Unused() {
			shown = "`" + shown + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Code, k.Meaning, shown)
	}
	return b.Bytes()
}

// enumeration is the line of the description that lists the codes.
var enumeration = regexp.MustCompile(`(?m)^    Code:\n      description: .*\n      type: string\n      enum: \[[^\]]*\]$`)

func withEnumeration(t *testing.T, name string) []byte {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range Catalogue() {
		list = append(list, e.Code)
	}
	slices.Sort(list)
	line := "    Code:\n      description: A code of this service; docs/codes.md says what each means.\n      type: string\n      enum: [" + strings.Join(list, ", ") + "]"
	if n := len(enumeration.FindAll(source, -1)); n != 1 {
		t.Fatalf("%s has %d enumerations of the codes", name, n)
	}
	return enumeration.ReplaceAllLiteral(source, []byte(line))
}

func TestCatalogueSaysWhatEachCodeMeans(t *testing.T) {
	form, name := regexp.MustCompile(`^[A-Z][A-Z0-9]*([_-][A-Z0-9]+)*$`), regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)
	seen := map[string]bool{}
	for _, e := range Catalogue() {
		switch {
		case !form.MatchString(e.Code):
			t.Errorf("%s is not of the form of a code", e.Code)
		case !name.MatchString(e.name) || e.Group == "":
			t.Errorf("%s has the name %q and the group %q", e.Code, e.name, e.Group)
		case seen[e.Code] || seen[e.name]:
			t.Errorf("%s stands there twice", e.Code)
		case len(e.Meaning) < 20 || e.Meaning[len(e.Meaning)-1] != '.':
			t.Errorf("%s has no sentence: %q", e.Code, e.Meaning)
		}
		seen[e.Code], seen[e.name] = true, true
		if found, ok := Find(e.Code); !ok || found != e {
			t.Errorf("%s is not found", e.Code)
		}
	}
	for line := range strings.Lines(codes) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") && !seen[strings.Fields(line)[0]] {
			t.Errorf("codes.txt has a line that is no entry: %s", line)
		}
	}
	for _, word := range []string{ // the contract's words
		"MISSING_FIELD", "TOO_MANY_LINE_ITEMS", "TOO_MANY_INVOICE_LINES", "SUB_ITEMS_TOO_DEEP", "PAYLOAD_TOO_LARGE",
		"FIELD_TOO_LONG", "COUNTRY_CODE_ASSUMED", "INVOICE_LINES_ABOVE_MODE_LIMIT", "SELF_CHECK_INCOMPLETE", "SPEC_RULE_PENDING",
		"SPEC_RULE_FAILED", "VAT_ID_COUNTRY_PREFIX_ADDED", "SCHEMATRON_ASSERT_WITHOUT_ID", "SCHEMATRON_REPORT_WITHOUT_ID",
	} {
		if !seen[word] {
			t.Errorf("%s is not in the catalogue", word)
		}
	}
	if _, ok := Find("NO_SUCH_CODE"); ok {
		t.Error("a code that is none is found")
	}
}

func TestRefusalKeepsItsPrivateCauseApart(t *testing.T) {
	r := &Refusal{Message: "total is required", Cause: io.ErrUnexpectedEOF}
	if r.Error() != "total is required" || !errors.Is(r, io.ErrUnexpectedEOF) {
		t.Errorf("%v", r)
	}
}
