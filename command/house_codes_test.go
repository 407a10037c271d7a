package command

import (
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

// TestContractCodes_AreShown ensures that each code of the catalogue is given by a test that exists, or that the catalogue says why it is
// not used.
func TestContractCodes_AreShown(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
		return err
	})
	if err != nil || !tests["TestEveryCodeIsGivenOverHTTP"] {
		t.Fatalf("%v, %d tests", err, len(tests))
	}
	for _, k := range finding.Contract() {
		if !k.Unused() && !tests[k.Shown] {
			t.Errorf("%s: there is no test %s", k.Code, k.Shown)
		}
		if k.Unused() && len(k.Shown) < len("not used, because ")+10 {
			t.Errorf("%s: %s", k.Code, k.Shown)
		}
	}
}
