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

// TestSupplementKeys_AreThoseOfTheSupplement ensures that the list is that of the supplement. Its cells name generic members as well, which are no keys.
func TestSupplementKeys_AreThoseOfTheSupplement(t *testing.T) {
	text := string(must(os.ReadFile(filepath.Join(corpus.Shared(), "interface-supplement.md")))(t))
	named := regexp.MustCompile("`([a-zA-Z0-9]+)`|`items\\[\\]\\.([a-zA-Z]+)`")
	for country, keys := range supplementKeys {
		_, row, found := strings.Cut(text, "\n| "+country+" | ")
		row, _, _ = strings.Cut(row, "\n")
		if !found {
			t.Errorf("%s has no row", country)
		}
		for _, m := range named.FindAllStringSubmatch(row, -1) {
			key := m[1] + m[2]
			if key != "type" && !slices.Contains(strings.Fields(keys), key) {
				t.Errorf("%s: %s is not in the list", country, key)
			}
		}
	}
}
