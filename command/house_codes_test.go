package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestHouseCodes_ComeWithTheirRules ensures of each house code of the catalogue that a rulebook that ships gives it to the rule that the
// catalogue names; TestShippedRules_Fire fires each of these rules.
func TestHouseCodes_ComeWithTheirRules(t *testing.T) {
	t.Parallel()
	books, err := (&rulebooksFlag{}).registry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	for _, book := range books.Current().Books() {
		for rule, code := range book.Manifest.HouseCodes {
			given[code+" "+rule] = true
		}
	}
	count := 0
	for _, k := range finding.Contract() {
		if k.Shown != "TestHouseCodes_ComeWithTheirRules" {
			continue
		}
		if count++; !given[k.Code+" "+strings.TrimSuffix(k.Meaning, ".")] {
			t.Errorf("no rulebook gives %s to %s", k.Code, k.Meaning)
		}
	}
	if count < 20 {
		t.Errorf("%d house codes", count)
	}
}

// TestHouseCodes_OverHTTP ensures that house codes stand where the contract has them: in complianceErrors[] with the rule.
func TestHouseCodes_OverHTTP(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	r := c.generate(t, "seller.city", `""`, "seller.contact", "")
	for _, e := range r.Compliance {
		if e.Code == "DE_SELLER_CITY_001" && e.Rule == "BR-DE-3" {
			return
		}
	}
	wants(t, false, r, "DE_SELLER_CITY_001 of BR-DE-3 in complianceErrors[]")
}

// testsOf gives the text of every test of the repository, by name.
func testsOf(t *testing.T) map[string]string {
	t.Helper()
	tests := map[string]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[f.Name.Name] += string(text[positions.Position(f.Pos()).Offset:positions.Position(f.End()).Offset])
			}
		}
		return nil
	})
	if err != nil || tests["TestEveryCodeIsGivenOverHTTP"] == "" {
		t.Fatalf("%v, %d functions", err, len(tests))
	}
	return tests
}

// constantsOf gives the constants of package finding by the codes that they are.
func constantsOf(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += "([^"]+)"$`).FindAllStringSubmatch(readText(t, "../core/finding/codes.go"), -1) {
		names[m[2]] = m[1]
	}
	if len(names) != len(finding.Catalogue()) {
		t.Fatalf("%d constants of %d codes", len(names), len(finding.Catalogue()))
	}
	return names
}

// mentions tells whether the text of a test has a code, as it stands or as the constant.
func mentions(text, code, constant string) bool {
	word := regexp.QuoteMeta(code)
	if constant != "" {
		word = "(" + word + `|finding\.` + constant + ")"
	}
	return regexp.MustCompile(`(^|[^\w-])` + word + `($|[^\w-])`).MatchString(text)
}

// TestMentions ensures that a code which is part of another is not taken for it.
func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{`"DE_KU_001"`: true, "finding.SmallBusinessWithVAT}": true, `"DE_KU_0011"`: false, `"X-DE_KU_001"`: false, "finding.SmallBusiness": false} {
		if mentions(text, "DE_KU_001", "SmallBusinessWithVAT") != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

// TestCodes_OfTheSourceAreInTheCatalogue ensures that no answer has a code or a word of its own that docs/codes.md does not explain.
func TestCodes_OfTheSourceAreInTheCatalogue(t *testing.T) {
	t.Parallel()
	given := regexp.MustCompile(`\b(?:Word|Code): +"([A-Z][A-Za-z_ -]*[A-Za-z])"|finding\.(?:Conflict|Unprocessable|NotFound), "([A-Z_]+)"`)
	count := 0
	for _, dir := range []string{"../api", "../core/operation", "../job", "../worker", "../scheduler", "../command"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, m := range given.FindAllStringSubmatch(readText(t, path), -1) {
				count++
				code := m[1] + m[2]
				_, catalogued := finding.Find(code)
				_, known := finding.FindKnown(code)
				if !catalogued && !known && code != "TOTAL_LENGTH" { // which becomes a warning of another code
					t.Errorf("%s gives %s, which is not explained", path, code)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if count < 20 {
		t.Errorf("%d codes", count)
	}
}

// TestContractCodes_AreShown ensures that each code of the catalogue is given by a test that exists and names it, or that the catalogue says
// why nothing gives it; and that what is said of tests elsewhere is so, too.
func TestContractCodes_AreShown(t *testing.T) {
	t.Parallel()
	tests, constants := testsOf(t), constantsOf(t)
	for _, k := range finding.Contract() {
		_, catalogued := finding.Find(k.Code)
		switch {
		case k.Unused():
			if catalogued || len(k.Shown) < len("not used, because ")+10 {
				t.Errorf("%s: %s", k.Code, k.Shown)
			}
		case tests[k.Shown] == "":
			t.Errorf("%s: there is no test %s", k.Code, k.Shown)
		case k.Shown != "TestHouseCodes_ComeWithTheirRules" && !mentions(tests[k.Shown], k.Code, constants[k.Code]):
			t.Errorf("%s: %s does not name it", k.Code, k.Shown)
		}
	}
	for code, reason := range elsewhere {
		name := strings.Fields(reason)[0]
		if strings.HasPrefix(name, "Test") && !mentions(tests[name], code, constants[code]) {
			t.Errorf("%s: %s does not name it", code, name)
		}
	}
}
