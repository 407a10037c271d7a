//go:build oracles

package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/test/oracles"
	"github.com/einvoiced/einvoiced/testdata"
)

// A generated document is judged by what the rulebooks are called that judged it.
type generated struct {
	name string
	operation.GenerateRequest
	refused bool // the rules that ship refuse it: there is no document
}

// generatedDocuments are the requests of all scenarios: UBL of every country, the national specifications, and the CII of hybrids.
func generatedDocuments(t *testing.T) []generated {
	t.Helper()
	ubl, err := testdata.UBL()
	if err != nil {
		t.Fatal(err)
	}
	nationals, err := testdata.NationalUBL()
	if err != nil {
		t.Fatal(err)
	}
	hybrids, err := testdata.Hybrids()
	if err != nil {
		t.Fatal(err)
	}
	var list []generated
	add := func(token, scenario string, r testdata.Request, refused bool) {
		list = append(list, generated{strings.ToLower(r.Country) + " " + token + " " + scenario,
			operation.GenerateRequest{Country: r.Country, Format: r.Format, Body: r.Body, Calculate: true}, refused})
	}
	for _, r := range ubl {
		add(r.Format, r.Scenario, r, false)
	}
	for _, r := range nationals {
		if r.Format == "ubl" {
			add(r.Case, r.Scenario, r.Request, false)
		}
	}
	for _, r := range hybrids {
		add(r.Name(), r.Scenario, r.Request, r.Scenario == "rounding" && r.Profile == "BASIC")
	}
	return list
}

// officialFiles are the official schemas and rules that there are, by the name and version of the rulebook that ships in their place: those of
// Maven Central, and those of the folders in EINVOICED_RULES.
func officialFiles(t *testing.T) map[string][]oracles.File {
	t.Helper()
	syntaxes := t.TempDir()
	if err := oracles.SyntaxFiles(t.Context(), syntaxes); err != nil {
		t.Fatal(err)
	}
	files := map[string][]oracles.File{}
	for name := range oracles.Syntaxes {
		files[name] = []oracles.File{oracles.SyntaxFile(name, syntaxes)}
	}
	for _, o := range slices.Concat(publishedRules, otherRules) {
		if folder := o.folder(); folder != "" {
			files[o.name] = []oracles.File{oracles.RuleFile(o.name, filepath.Join(folder, "schematron", o.rules))}
			if o.schema != "" {
				files[o.name] = append(files[o.name], oracles.SchemaFile(o.name, filepath.Join(folder, "schemas", o.schema)))
			}
		}
	}
	for name, path := range schemasElsewhere {
		if found := inRules(path); found != "" {
			files[name] = []oracles.File{oracles.SignedSchemaFile(name, syntaxes, found)}
		}
	}
	return files
}

// TestOfficial_GeneratedDocuments ensures that the official rules accept every scenario in every token of every country, in the versions that the
// service judges by. Those that Maven Central lacks take part when EINVOICED_RULES names their folder; without it their documents are counted
// as not judged. EINVOICED_GENERATED names the beginning of the documents that take part: "fr facturx".
func TestOfficial_GeneratedDocuments(t *testing.T) {
	registry, err := (&rulebooksFlag{}).registry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC) // all that ships is in force
	service, err := operation.New(operation.Config{Now: func() time.Time { return day }, Rulebooks: func(context.Context) *rulebook.Generation { return registry.Current() }})
	if err != nil {
		t.Fatal(err)
	}
	files := officialFiles(t)
	processor, err := oracles.StartProcessor(t.Context(), oracles.Saxon9)
	if err != nil {
		t.Fatal(err)
	}
	defer processor.Close()
	judged, left, waiting := map[string]int{}, map[string]int{}, map[string]int{}
	document := filepath.Join(t.TempDir(), "document.xml")
	for _, g := range generatedDocuments(t) {
		if g.refused || !strings.HasPrefix(g.name, os.Getenv("EINVOICED_GENERATED")) {
			continue
		}
		answer, err := service.Generate(t.Context(), g.GenerateRequest)
		if err != nil {
			t.Errorf("%s: %v", g.name, err)
			continue
		}
		var by []oracles.File
		missing := ""
		for _, b := range answer.Rulebooks {
			by = append(by, files[b.ID]...)
			if files[b.ID] == nil {
				missing = b.ID + " " + b.Version
			}
		}
		token := g.name[:strings.LastIndexByte(g.name, ' ')]
		if missing != "" {
			left[token+", "+missing]++
			waiting[token]++
			continue
		}
		if err := os.WriteFile(document, answer.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		verdict, err := processor.Judge(document, by)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range refusals(verdict) {
			t.Errorf("%s: %s", g.name, fault)
		}
		if judged[token]++; judged[token] == 1 {
			proveJudge(t, processor, g, answer.Data, by)
		}
	}
	for token, n := range judged {
		if n+waiting[token] < 20 {
			t.Errorf("%s: %d documents are too few", token, n+waiting[token])
		}
	}
	total := 0
	for _, n := range judged {
		total += n
	}
	t.Logf("%d documents of %d tokens and countries are accepted by the official rules: %v; not judged: %v", total, len(judged), judged, left)
}

// proveJudge ensures that the files say something against the document without the number of the invoice.
func proveJudge(t *testing.T, processor *oracles.Processor, g generated, data []byte, by []oracles.File) {
	t.Helper()
	var asked struct {
		Invoice struct{ InvoiceNumber string }
	}
	if err := json.Unmarshal(g.Body, &asked, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.xml")
	without := strings.NewReplacer("<cbc:ID>"+asked.Invoice.InvoiceNumber+"</cbc:ID>", "", "<ram:ID>"+asked.Invoice.InvoiceNumber+"</ram:ID>", "").Replace(string(data))
	if err := os.WriteFile(broken, []byte(without), 0o600); err != nil {
		t.Fatal(err)
	}
	verdict, err := processor.Judge(broken, by)
	if err != nil {
		t.Fatal(err)
	}
	if len(refusals(verdict)) == 0 {
		t.Errorf("%s is accepted without its number", g.name)
	}
}

// refusals are what official files say against a document: schemas, aborted rules, and rules whose level is none or fatal.
func refusals(v oracles.FileVerdicts) (list []string) {
	for name, x := range v.XSD {
		if !x.Valid {
			list = append(list, "the schema of "+name)
		}
	}
	for name, rules := range v.Rules {
		if rules.Aborted != "" {
			list = append(list, name+" ended with "+rules.Aborted)
		}
		for _, f := range rules.Fired {
			if level := cmp.Or(f.Flag, "fatal"); level == "fatal" || level == "error" {
				list = append(list, fmt.Sprintf("%s %s (%d)", name, f.ID, f.Count))
			}
		}
	}
	slices.Sort(list)
	return list
}
