//go:build oracles

package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/test/mutants/mutant"
	"github.com/einvoiced/einvoiced/test/oracles"
)

const (
	defaultMutants = 200   // EINVOICED_MUTANTS sets another number
	parentsOfASet  = 20    // at most; all take part over time, because the seed chooses
	largestParent  = 100e3 // bytes; larger ones say the same more often
	leastChanged   = 0.7   // share of the mutants that must change the verdict of their parent
)

// TestOfficial_MutantsAgree makes mutants of documents of the corpus, lets the official processors judge them by everything
// that judges their parents, and compares with the commands, with the official rules and with those that ship. The seed is new each
// time and printed; EINVOICED_SEED repeats one. EINVOICED_SETS names the sets of the corpus that take part, with commas between
// them; by default all do.
func TestOfficial_MutantsAgree(t *testing.T) {
	seed, count := rand.Uint64()>>1, uint64(defaultMutants)
	for name, number := range map[string]*uint64{"EINVOICED_SEED": &seed, "EINVOICED_MUTANTS": &count} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 63)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			*number = n
		}
	}
	t.Logf("EINVOICED_SEED=%d", seed)
	m := newMutantRun(t, seed)
	m.make(seed, int(count))
	m.judge()
	m.compare()
	m.report()
}

// mutantRun is one comparison of mutants.
type mutantRun struct {
	*testing.T
	books, folder string
	files         map[string]oracles.File      // official files by name
	schemas       map[string]oracles.File      // official schemas by name
	official      map[string]*oracles.Verdicts // of the corpus, by set
	parents       []*mutant.Document
	verdicts      map[string]*oracles.Verdicts // on the mutants, by set of the parent
	mutants       map[string]*mutant.Mutant    // by set and file
	changed       map[string][2]int            // by family: changed, all
	tallies       map[string][2]int            // by rule set or schema: equal, all
}

func newMutantRun(t *testing.T, seed uint64) *mutantRun {
	t.Helper()
	m := &mutantRun{T: t, books: t.TempDir(), folder: t.TempDir(), files: map[string]oracles.File{}, schemas: map[string]oracles.File{},
		official: map[string]*oracles.Verdicts{}, verdicts: map[string]*oracles.Verdicts{}, mutants: map[string]*mutant.Mutant{},
		changed: map[string][2]int{}, tallies: map[string][2]int{}}
	folders := importOfficial(t, m.books)
	syntaxes := importSyntaxes(t, m.books)
	for name := range oracles.Syntaxes {
		m.schemas[name] = oracles.SyntaxFile(name, syntaxes)
	}
	for _, o := range slices.Concat(publishedRules, otherRules) {
		if folder := folders[o.name]; folder != "" {
			m.files[o.name] = oracles.RuleFile(o.name, filepath.Join(folder, "schematron", o.rules))
			if o.schema != "" {
				m.schemas[o.name] = oracles.SchemaFile(o.name, filepath.Join(folder, "schemas", o.schema))
			}
		}
	}
	m.readCorpus(rand.New(rand.NewPCG(seed, 0)))
	return m
}

// withoutDocuments are rule sets that the corpus has no documents for: they judge the mutants of another set.
var withoutDocuments = map[string][]string{"pint-jp": {"pint-jp-sb-base", "pint-jp-sb"}}

// judgeAlso adds rule sets, as if they had judged the documents and said nothing.
func judgeAlso(v *oracles.Verdicts, names []string) {
	for _, name := range names {
		v.Rulesets[name] = v.Rulesets[v.Set]
		for _, file := range v.Files {
			file.Rules[name] = oracles.RuleFired{}
		}
	}
}

// readCorpus reads the official verdicts, and some documents of each set.
func (m *mutantRun) readCorpus(random *rand.Rand) {
	m.Helper()
	names, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "verdicts", "*.json"))
	if err != nil || len(names) == 0 {
		m.Fatalf("no corpus in %s", corpus.Shared())
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			m.Fatal(err)
		}
		v := &oracles.Verdicts{}
		if json.Unmarshal(data, v) != nil || len(v.Files) == 0 || len(v.Rulesets) == 0 {
			continue // verdicts of another kind
		}
		if sets := os.Getenv("EINVOICED_SETS"); sets != "" && !slices.Contains(strings.Split(sets, ","), v.Set) {
			continue
		}
		m.official[v.Set] = v
		judgeAlso(v, withoutDocuments[v.Set])
		documents := slices.Sorted(maps.Keys(v.Files))
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		m.readParents(v.Set, documents)
	}
}

func (m *mutantRun) readParents(set string, documents []string) {
	m.Helper()
	read := 0
	for _, document := range documents {
		text, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", set, document))
		if err != nil {
			m.Fatal(err)
		}
		parent, err := mutant.Read(set+"/"+document, text)
		if err != nil || len(text) > largestParent || !m.ruled(set, document) {
			continue // also what is not well-formed or not UTF-8
		}
		m.parents = append(m.parents, parent)
		if read++; read == parentsOfASet {
			return
		}
	}
}

// ruled tells whether there are rules that judge a document, not schemas alone.
func (m *mutantRun) ruled(set, document string) bool {
	for name := range m.official[set].Files[document].Rules {
		if _, ok := m.files[name]; ok {
			return true
		}
	}
	return false
}

// make writes the mutants, by the sets of their parents.
func (m *mutantRun) make(seed uint64, count int) {
	m.Helper()
	generator, err := mutant.NewGenerator(seed, m.parents)
	if err != nil {
		m.Fatal(err)
	}
	for n := range count {
		made, err := generator.Mutant(n)
		if err != nil {
			m.Fatal(err)
		}
		name := filepath.Dir(made.Parent) + fmt.Sprintf("/%05d.xml", n)
		m.mutants[name] = made
		file := filepath.Join(m.folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			m.Fatal(err)
		}
		if err := os.WriteFile(file, made.Text, 0o600); err != nil {
			m.Fatal(err)
		}
	}
}

// judge asks the official processor about all mutants, and its other release about rules that it does not compile.
func (m *mutantRun) judge() {
	m.Helper()
	var again []string
	m.ask(oracles.Saxon9, slices.Sorted(maps.Keys(m.mutants)), func(name string, v oracles.FileVerdicts) {
		set, file := splitName(name)
		if m.verdicts[set] == nil {
			m.verdicts[set] = &oracles.Verdicts{Set: set, Rulesets: m.official[set].Rulesets, Files: map[string]oracles.FileVerdicts{}}
		}
		m.verdicts[set].Files[file] = v
		if len(v.Rules)+len(v.XSD) < len(m.judges(m.parent(m.mutants[name]))) {
			again = append(again, name)
		}
	})
	m.askAgain(again)
	for name, made := range m.mutants {
		set, file := splitName(name)
		tally := m.changed[made.Family]
		if tally[1]++; !m.verdicts[set].Files[file].Same(m.parent(made)) {
			tally[0]++
		}
		m.changed[made.Family] = tally
	}
}

// askAgain asks the other release; from then on what either of them says is right.
func (m *mutantRun) askAgain(names []string) {
	m.Helper()
	if len(names) == 0 {
		return
	}
	m.ask(oracles.Saxon12, names, func(name string, v oracles.FileVerdicts) {
		set, file := splitName(name)
		rules := m.verdicts[set].Files[file].Rules
		for id, verdict := range v.Rules {
			if before, known := rules[id]; known {
				verdict = before.Or(verdict)
			}
			rules[id] = verdict
		}
	})
}

// parent gives the official verdicts on the parent of a mutant.
func (m *mutantRun) parent(made *mutant.Mutant) oracles.FileVerdicts {
	set, file := splitName(made.Parent)
	return m.official[set].Files[file]
}

func splitName(name string) (set, file string) {
	set, file, _ = strings.Cut(name, "/")
	return set, file
}

// ask lets a release of the processor judge mutants.
func (m *mutantRun) ask(release oracles.Release, names []string, take func(name string, v oracles.FileVerdicts)) {
	m.Helper()
	processor, err := oracles.StartProcessor(m.Context(), release)
	if err != nil {
		m.Fatal(err)
	}
	for _, name := range names {
		v, err := processor.Judge(filepath.Join(m.folder, name), m.judges(m.parent(m.mutants[name])))
		if err != nil {
			m.Fatal(err)
		}
		take(name, v)
	}
	if err := processor.Close(); err != nil {
		m.Error(err)
	}
}

// judges gives the official files that judge a parent.
func (m *mutantRun) judges(parent oracles.FileVerdicts) []oracles.File {
	var files []oracles.File
	for _, name := range slices.Sorted(maps.Keys(parent.Rules)) {
		if f, ok := m.files[name]; ok {
			files = append(files, f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(parent.XSD)) {
		if f, ok := m.schemas[name]; ok {
			files = append(files, f)
		}
	}
	return files
}

// compare runs the command on the verdicts of each set. Where a verdict differs, the other release is asked as well, because
// releases come upon different errors: one may leave out an operand that decides nothing any more.
func (m *mutantRun) compare() {
	m.Helper()
	differing := map[string]bool{}
	m.agree(func(name string, _ agreeLine, _ string) { differing[name] = true })
	m.askAgain(slices.Sorted(maps.Keys(differing)))
	m.agree(func(name string, line agreeLine, difference string) {
		made := m.mutants[name]
		say := m.Errorf
		if m.endsOtherwise(name, difference) {
			say = m.Logf
		}
		say("%s: %s: %s\n\tof %s, %s: %s", name, line.subject, difference, made.Parent, made.Family, strings.Join(made.Edits, "; "))
		m.keep(name, made)
	})
}

// endsOtherwise tells whether a difference is only which of several errors a rule comes upon first, which is the processor's to choose
// (XPath 2.0 §2.3.4): the official run and ours end with one each, in a document that its schema refuses.
func (m *mutantRun) endsOtherwise(name, difference string) bool {
	set, file := splitName(name)
	refused := slices.ContainsFunc(slices.Collect(maps.Values(m.verdicts[set].Files[file].XSD)), func(v oracles.Validity) bool { return !v.Valid })
	return refused && strings.Contains(difference, "the official run ends with") && strings.Contains(difference, "was not run with that code, but ")
}

// agree runs the command on the verdicts of each set and counts anew.
func (m *mutantRun) agree(differs func(name string, line agreeLine, difference string)) {
	m.Helper()
	clear(m.tallies)
	for set, v := range m.verdicts {
		data, err := json.Marshal(v)
		if err != nil {
			m.Fatal(err)
		}
		file := filepath.Join(m.folder, set+".json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			m.Fatal(err)
		}
		for _, line := range agreeLines(m.T, m.books, file, filepath.Join(m.folder, set)) {
			m.take("official", set, line, differs)
		}
		for _, line := range agreeLines(m.T, "", file, filepath.Join(m.folder, set)) {
			if line.Difference != "not loaded" { // not all rule sets ship
				m.take("shipped", set, line, differs)
			}
		}
	}
}

// take counts what a line says of the rules that come from there.
func (m *mutantRun) take(from, set string, line agreeOutput, differs func(name string, line agreeLine, difference string)) {
	switch {
	case line.File != "":
		differs(set+"/"+line.File, line.agreeLine, from+" rules: "+line.Difference)
	case !line.Total && line.NotLoaded == "":
		name := from + " " + line.subject.String()
		tally := m.tallies[name]
		m.tallies[name] = [2]int{tally[0] + line.Equal, tally[1] + line.Documents}
	}
}

// keep saves a document that made a difference, in the folder that EINVOICED_KEEP names.
func (m *mutantRun) keep(name string, made *mutant.Mutant) {
	folder := os.Getenv("EINVOICED_KEEP")
	if folder == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, "/", "-")), made.Text, 0o644); err != nil {
		m.Error(err)
	}
}

// report prints the figures and checks that the mutants were worth it.
func (m *mutantRun) report() {
	m.Helper()
	total := sum(m.Logf, "changed the verdict of their parent", m.changed)
	if share := float64(total[0]) / float64(total[1]); share < leastChanged {
		m.Errorf("only %.0f %% of the mutants change the verdict of their parent", 100*share)
	}
	if equal := sum(m.Logf, "verdicts are equal", m.tallies); equal[1] == 0 {
		m.Error("nothing was compared")
	}
}

func sum(logf func(string, ...any), what string, tallies map[string][2]int) (total [2]int) {
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		tally := tallies[name]
		logf("%-37s %5d of %5d", name, tally[0], tally[1])
		total = [2]int{total[0] + tally[0], total[1] + tally[1]}
	}
	logf("%d of %d, %.1f %%, %s", total[0], total[1], 100*float64(total[0])/float64(total[1]), what)
	return total
}
