//go:build corpus

package operation

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

// otherKeys are the countries of the supplement §3 whose keys are tried with other formats than UBL, with the test that does.
var otherKeys = map[string]string{
	"DE": "TestGenerateAnswersEachInputAsExpected", "GR": "TestMyData_Keys", "HU": "TestGenerate_HungarianKeys", "IT": "TestGenerate_ItalianKeys",
}

// otherCases are the words of the table that have their cases elsewhere: members of all countries, a scheme of them, and what makes a record.
var otherCases = map[string]string{
	"state": "TestGenerate_UBLInEveryCountry", "CG": "TestValidate_HRFISK", "verifactu": "TestVeriFactu_GenerateMakesARecord",
}

var keyName = regexp.MustCompile("`([A-Za-z]+)`")

// TestEveryKeyOfTheSupplementHasACase walks through the keys of the supplement §3 and holds that those of every country with UBL have a case
// that shows where they land.
func TestEveryKeyOfTheSupplementHasACase(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(corpus.Shared(), "interface-supplement.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "## 3. countrySpecific keys")
	if !found {
		t.Fatal("the supplement has no table of keys")
	}
	tried := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) < 2 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Country") {
			continue
		}
		countries := strings.Split(strings.TrimPrefix(cells[0], "| "), ", ")
		for _, key := range keyName.FindAllStringSubmatch(cells[1], -1) {
			tried++
			if !slices.ContainsFunc(countries, func(c string) bool { return otherKeys[c] != "" || otherCases[key[1]] != "" || hasCase(c, key[1]) }) {
				t.Errorf("%s of %s has no case", key[1], strings.Join(countries, ", "))
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d keys are too few", tried)
	}
	t.Logf("%d keys", tried)
}

// hasCase tells whether a case of a country has a key.
func hasCase(country, key string) bool {
	for _, c := range keyCases {
		if c.country == country && (strings.Contains(c.keys, `"`+key+`"`) || strings.Contains(c.edit, `"`+key+`"`)) {
			return true
		}
	}
	for _, c := range nationalKeyCases {
		if strings.EqualFold(c.in, country) && strings.Contains(c.patch, `"`+key+`"`) {
			return true
		}
	}
	return false
}
