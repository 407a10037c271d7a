//go:build oracles

package command

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestFetched_AcceptsTheGoldens ensures that rule sets which no package registry has in the version that is asked for accept every golden that they
// judge, and with -update notes it in testdata/verified.json. EINVOICED_RULES names the folders that have them; where none does, what was noted before
// counts.
func TestFetched_AcceptsTheGoldens(t *testing.T) {
	verified, err := oracles.ReadVerified(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	files := officialFiles(t)
	processor, err := oracles.StartProcessor(t.Context(), oracles.Saxon9)
	if err != nil {
		t.Fatal(err)
	}
	defer processor.Close()
	judged := 0
	for _, golden := range slices.Sorted(maps.Keys(verified)) {
		verdict := verified[golden]
		for _, name := range verdict.Wanted() {
			if files[name] == nil {
				continue
			}
			v, err := processor.Judge(filepath.Join("..", golden), files[name])
			if err != nil {
				t.Fatal(err)
			}
			if list := refusals(v); len(list) > 0 {
				t.Errorf("%s: %v", golden, list)
				continue
			}
			verdict.Accepted(name)
			judged++
		}
		verified[golden] = verdict
	}
	if *update && judged > 0 {
		if err := verified.Write(".."); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d verdicts", judged)
}
