package en16931

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// shadowed are the rules that never fire, here as in the publisher's text: an earlier context takes their nodes.
var shadowed = []string{"CII-DT-010", "CII-DT-011", "CII-DT-012"}

// TestRules_AreThePublishers ensures that the rules have the publisher's ids and levels, in the same patterns.
func TestRules_AreThePublishers(t *testing.T) {
	got := map[string]bool{}
	for _, syntax := range Syntaxes {
		for _, make := range []func(string) (*sch.Pattern, error){Use, Codes} {
			p, err := make(syntax)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range p.Rules {
				for _, a := range r.Assertions {
					got[strings.Join([]string{syntax, p.ID, a.ID, a.Flag}, " ")] = true
				}
			}
		}
	}
	_, list, _ := strings.Cut(readFile(t, "ids.txt"), "\n")
	want := strings.Split(strings.TrimSpace(list), "\n")
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
}

// TestRules_KeepQuiet ensures that no rule fires by a small invoice.
func TestRules_KeepQuiet(t *testing.T) {
	for _, syntax := range Syntaxes {
		if found := newJudge(t, syntax).with(t, ""); len(found) != 0 {
			t.Errorf("%s: %v", syntax, found)
		}
	}
}

// TestRules_Fire ensures that every rule fires when what it names is added to a small invoice, and says so in the words of
// the table. Where the table does not give the addition, a case does.
func TestRules_Fire(t *testing.T) {
	for _, syntax := range Syntaxes {
		j, fired := newJudge(t, syntax), map[string]bool{}
		for _, u := range usesOf(t, syntax) {
			fired[u.id] = u.fires(t, j) || fired[u.id]
		}
		for _, r := range codesOf(t, syntax) {
			fired[r.id] = r.fires(t, j) || fired[r.id]
		}
		for _, c := range casesOf(t, syntax) {
			fired[c.id] = fired[c.id] || c.count > 0
		}
		for _, id := range idsOf(t, syntax) {
			if fired[id] == slices.Contains(shadowed, id) {
				t.Errorf("%s: %s fires: %v", syntax, id, fired[id])
			}
		}
	}
}

// fires tells whether the rule fires by what its line names. Where the context has no conditions, the text must be its own.
func (u use) fires(t *testing.T, j *judge) bool {
	added, ok := u.sample()
	if !ok {
		return false
	}
	document := j.start + j.content + added + j.end
	if strings.HasPrefix(added, "@") {
		document = strings.Replace(j.start, " xmlns", " "+added[1:]+`="" xmlns`, 1) + j.content + j.end
	}
	f, ok := j.document(t, document)[u.id]
	if !ok {
		return false
	}
	checkText(t, u.id, f.text)
	if says, _, _ := strings.Cut(u.text(), "{"); !strings.Contains(u.context, "[") && !strings.HasPrefix(f.text, says) {
		t.Errorf("%s in %s says %q", u.id, u.context, f.text)
	}
	return true
}

// fires tells whether the rule fires by what is no code, in its own words unless its context has conditions.
func (r codeRule) fires(t *testing.T, j *judge) bool {
	f, ok := j.with(t, element(append(steps(r.context), attributeStep(r.value)...), 1, "no code"))[r.id]
	if ok {
		checkText(t, r.id, f.text)
	}
	if !r.conditional() && !strings.HasPrefix(f.text, r.words+`: "no code" is`) {
		t.Errorf("%s in %s says %q", r.id, r.context, f.text)
	}
	return ok
}

// TestRules_Cases ensures how often rules fire by documents that the tables do not give.
func TestRules_Cases(t *testing.T) {
	for _, syntax := range Syntaxes {
		j := newJudge(t, syntax)
		for _, c := range casesOf(t, syntax) {
			document := j.start + j.content + c.added + j.end
			if c.alone {
				document = j.start + c.added + j.end
			}
			f := j.document(t, document)[c.id]
			if f.count != c.count {
				t.Errorf("%s fires %d times, expected %d, by %s", c.id, f.count, c.count, c.added)
			}
			if f.count > 0 {
				checkText(t, c.id, f.text)
			}
		}
	}
}

// TestRules_TakeTheirCodes ensures that a rule takes all codes of its list, and none that only resemble them.
func TestRules_TakeTheirCodes(t *testing.T) {
	for _, syntax := range Syntaxes {
		j := newJudge(t, syntax)
		for _, r := range codesOf(t, syntax) {
			way := append(steps(r.context), attributeStep(r.value)...)
			var codes, others strings.Builder
			for _, code := range r.codes {
				codes.WriteString(element(way, 1, code))
				others.WriteString(element(way, 1, code+"~"))
			}
			if f, ok := j.with(t, codes.String())[r.id]; ok {
				t.Errorf("%s %s: %d codes are refused: %s", syntax, r.id, f.count, f.text)
			}
			f := j.with(t, others.String())[r.id]
			if !r.conditional() && f.count != len(r.codes) {
				t.Errorf("%s %s: of %d texts that are no codes %d are refused", syntax, r.id, len(r.codes), f.count)
			}
		}
	}
}

// conditional tells whether the context asks for more than names, an ancestor and the value.
func (r codeRule) conditional() bool {
	return strings.Contains(below.ReplaceAllString(strings.ReplaceAll(r.context, "["+r.value+"]", ""), ""), "[")
}

// checkText checks that a text is a whole one that names an element or attribute, or a business term.
func checkText(t *testing.T, id, text string) {
	t.Helper()
	named := strings.Contains(text, ":") || strings.Contains(text, "@")
	if !named || !strings.HasSuffix(text, ".") || strings.Contains(text, "  ") || strings.ContainsAny(text, "{}#[") {
		t.Errorf("%s says %q", id, text)
	}
}

// sample gives what makes a rule fire, to be added to a document; an attribute of the document element begins with @.
func (u use) sample() (string, bool) {
	way, path := steps(u.context), steps(u.path)
	switch {
	case u.form == "true":
		return "", false
	case u.form == "one" || u.form == "given":
		return element(way, 1, ""), true
	case u.form == "unused" && len(way) == 0 && len(path) == 1 && strings.HasPrefix(path[0], "@"):
		if strings.HasPrefix(u.path, "//") {
			return element([]string{"x", path[0]}, 1, ""), true
		}
		return path[0], true
	}
	times := 1
	if u.form == "most" {
		limit, err := strconv.Atoi(u.limit)
		if err != nil {
			return "", false
		}
		times += limit
	}
	return element(append(way, path...), times, "x"), true
}

// usesOf gives the lines of a table of use.
func usesOf(t *testing.T, syntax string) []use {
	t.Helper()
	table, err := readTable(tables, syntax+".txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []use
	context := ""
	for table.next() {
		if c, ok := strings.CutPrefix(table.text, "rule "); ok {
			context = table.resolve(c)
			continue
		}
		u, err := table.use(context)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
	}
	return all
}

// codesOf gives the lines of a table of code lists.
func codesOf(t *testing.T, syntax string) []codeRule {
	t.Helper()
	table, err := readTable(tables, "codes-"+syntax+".txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []codeRule
	for table.next() {
		r, err := table.code(Lists{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// idsOf gives the publisher's ids of the rules of a syntax.
func idsOf(t *testing.T, syntax string) []string {
	t.Helper()
	var ids []string
	for line := range strings.Lines(readFile(t, "ids.txt")) {
		if fields := strings.Fields(line); fields[0] == syntax {
			ids = append(ids, fields[2])
		}
	}
	return ids
}

// attributeStep is a step to the value of a rule on codes.
func attributeStep(value string) []string {
	if value == "." {
		return nil
	}
	return []string{value}
}

// BenchmarkRules judges a small invoice and one with 1000 lines.
func BenchmarkRules(b *testing.B) {
	for _, syntax := range Syntaxes {
		j := newJudge(b, syntax)
		_, rest, _ := strings.Cut(j.content, lineOf[syntax])
		line, _, _ := strings.Cut(rest, strings.Replace(lineOf[syntax], "<", "</", 1))
		line = element([]string{strings.Trim(lineOf[syntax], "<>")}, 1, line)
		for _, lines := range []int{1, 1000} {
			doc, err := j.parser.Parse([]byte(strings.Replace(j.start+j.content+j.end, line, strings.Repeat(line, lines), 1)))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(syntax+"/"+strconv.Itoa(lines), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if verdict, err := j.program.Evaluate(b.Context(), doc, schematron.EvaluateOptions{}); err != nil || len(verdict.Fired) > 0 {
						b.Fatal(verdict, err)
					}
				}
			})
		}
	}
}

// lineOf is the start tag of an invoice line.
var lineOf = map[string]string{"ubl": "<cac:InvoiceLine>", "cii": "<ram:IncludedSupplyChainTradeLineItem>"}
