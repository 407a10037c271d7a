//go:build oracles

package command

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestOfficial_Diff holds that the comparison of EN 16931 1.3.15 and 1.3.16, both imported from the publisher's XSLT, names the rules that
// have changed between them: their numbers are known.
func TestOfficial_Diff(t *testing.T) {
	books := t.TempDir()
	for _, c := range []struct {
		syntax                   string
		added, removed, changed  int
		firstAdded, firstRemoved string
	}{
		{"ubl", 1, 1, 13, "UBL-SR-56", "BR-CO-25"},
		{"cii", 28, 1, 31, "CII-SR-467", "BR-CO-25"},
	} {
		for _, version := range []string{"1.3.15", "1.3.16"} {
			o := officialRules{name: "official-" + c.syntax, module: "phive-rules-en16931", rules: version + "/" + c.syntax + "/EN16931-" + strings.ToUpper(c.syntax) + "-validation.xslt"}
			folder := o.folder()
			if folder == "" {
				t.Fatalf("the rule sets have no EN 16931 %s", version)
			}
			o.importTo(t, books, folder)
		}
		stdout, stderr, code := run(t, "", "rulebooks", "diff", "official-"+c.syntax+"@1.3.15", "official-"+c.syntax+"@1.3.16", "--rulebooks", books, "--json")
		var d diffLine
		if err := json.Unmarshal([]byte(stdout), &d); err != nil || code != exitOK {
			t.Fatalf("exit code %d: %v: %s", code, err, stderr)
		}
		if len(d.Added) != c.added || len(d.Removed) != c.removed || len(d.Changed) != c.changed || d.Added[0] != c.firstAdded || d.Removed[0] != c.firstRemoved {
			t.Errorf("%s: new %q, gone %q, changed: %d", c.syntax, d.Added, d.Removed, len(d.Changed))
		}
	}
}
