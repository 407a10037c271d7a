//go:build oracles

package command

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/test/oracles"
)

var update = flag.Bool("update", false, "write our section of docs/conformance.md anew")

// TestOfficial_Agree imports the official rule sets from the jars of Maven Central and compares their verdicts on every document
// of the corpus, all by the commands.
func TestOfficial_Agree(t *testing.T) {
	books := t.TempDir()
	imported := importOfficial(t, books)
	importSyntaxes(t, books)
	compared := agreeOverCorpus(t, books)
	maps.DeleteFunc(compared, func(name string, _ agreeLine) bool { // what ships and is not at hand as published
		name = strings.TrimPrefix(name, "xsd:")
		return imported[name] == "" && oracles.Syntaxes[name] == ""
	})
	for _, rules := range publishedRules {
		if compared[rules.name].Documents == 0 || rules.schema != "" && compared["xsd:"+rules.name].Documents == 0 {
			t.Errorf("%s was not compared", rules.name)
		}
	}
	for name := range oracles.Syntaxes {
		if compared["xsd:"+name].Documents == 0 {
			t.Errorf("the schema %s was not compared", name)
		}
	}
	checkAgreements(t, compared)
}

// checkAgreements wants a line in docs/conformance.md for all that was compared, with its version; -update writes them. How many
// documents there are depends on the corpus. Lines of what is not at hand stay as they are.
func checkAgreements(t *testing.T, compared map[string]agreeLine) {
	t.Helper()
	_, old, _ := corpus.LedgerSection(t, "rule-sets")
	rows := map[string]string{}
	for line := range strings.Lines(old) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && len(cells) == 6 && !strings.HasPrefix(line, "| rule set") {
			rows[strings.TrimPrefix(cells[0], "| ")] = line
		}
	}
	for name, line := range compared {
		if begin := fmt.Sprintf("| %s | %s |", name, line.Version); !*update && !strings.HasPrefix(rows[name], begin) {
			t.Errorf("docs/conformance.md has no line for version %s of %s; run make conformance", line.Version, name)
		}
		published := "yes"
		if slices.ContainsFunc(otherRules, func(o officialRules) bool { return o.name == strings.TrimPrefix(name, "xsd:") }) {
			published = "no"
		}
		rows[name] = fmt.Sprintf("| %s | %s | %s | %d | %d | %s |\n", name, line.Version, published, line.Documents, line.Equal, line.percent())
	}
	text := agreementHead
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		text += rows[name]
	}
	if *update {
		corpus.CheckLedger(t, "rule-sets", text, true)
	}
}

const agreementHead = `The official rule sets as published, compiled to XSLT, and the schemas (` + "`xsd:`" + `), on the documents of the corpus. A verdict is
equal when the same rules fire with the same levels and counts, or, where the official processor ends with an error, a rule was not
run with that error. Those that Maven Central has in this version are compared by ` + "`make oracles`" + `; the others where their folder is
named in EINVOICED_RULES.

| rule set | version | on Maven Central | documents | equal verdicts | share |
|---|---|---|---|---|---|
`
