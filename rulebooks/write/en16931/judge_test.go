package en16931

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// judge judges documents by the rules on syntax and code lists that ship for a syntax.
type judge struct {
	program *schematron.Program
	parser  *xmltree.Parser
	start   string // start tag of the document element of a small invoice
	content string // what it holds
	end     string
}

func newJudge(tb testing.TB, syntax string) *judge {
	tb.Helper()
	books := rulebooks.Books()
	rules, err := schematron.Read(books, "en16931-"+syntax+"-1.3.16/rules.sch", schematron.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	rules.Patterns = rules.Patterns[len(rules.Patterns)-2:]
	program, err := schematron.Compile(rules, books, schematron.CompileOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	base := readFile(tb, syntax+".xml")
	first, last := strings.Index(base, ">")+1, strings.LastIndex(base, "</")
	return &judge{program, parser, base[:first], base[first:last], base[last:]}
}

func readFile(tb testing.TB, name string) string {
	tb.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// finding is a rule that fired.
type finding struct {
	level string
	count int
	text  string
}

// with judges the small invoice with something added at its end.
func (j *judge) with(tb testing.TB, added string) map[string]finding {
	tb.Helper()
	return j.document(tb, j.start+j.content+added+j.end)
}

// document judges a document, by which no rule may fail.
func (j *judge) document(tb testing.TB, document string) map[string]finding {
	tb.Helper()
	doc, err := j.parser.Parse([]byte(document))
	if err != nil {
		tb.Fatalf("%v in …%s", err, document[max(0, len(document)-1000):])
	}
	defer doc.Release()
	verdict, err := j.program.Evaluate(context.Background(), doc, schematron.EvaluateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	for _, n := range verdict.NotRun {
		tb.Errorf("%s was not run: %s, by …%s", n.Assertion.ID, n.Reason, document[max(0, len(document)-1000):])
	}
	found := map[string]finding{}
	for _, f := range verdict.Fired {
		id := f.Assertion.ID
		found[id] = finding{f.Assertion.Level(), found[id].count + f.Count, f.Messages[0]}
	}
	return found
}

// testCase is a document that the tables do not give, and how often a rule fires by it.
type testCase struct {
	id    string
	count int
	alone bool // without the content of the small invoice
	added string
}

func casesOf(tb testing.TB, syntax string) []testCase {
	tb.Helper()
	var all []testCase
	for line := range strings.Lines(readFile(tb, "cases-"+syntax+".txt")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, rest, _ := strings.Cut(line, " ")
		number, added, _ := strings.Cut(rest, " ")
		count, err := strconv.Atoi(number)
		if err != nil {
			tb.Fatalf("%s: %v", line, err)
		}
		added, alone := strings.CutPrefix(added, "alone ")
		all = append(all, testCase{id, count, alone, added})
	}
	return all
}

var (
	alternatives = regexp.MustCompile(`\(([^ |()]+) \|[^()]*\)`)
	suffix       = regexp.MustCompile(`(ram:)?\*\[ends-with\(name\(\), '(\w+)'\)\]`)
	below        = regexp.MustCompile(`\[ancestor::([\w:]+)\]`)
	condition    = regexp.MustCompile(`\[[^\[\]]*\]`)
)

// steps gives the steps of the first alternative of a path, below the document element and without conditions. A step to any
// name with an end is one to a name that has it; an ancestor that is asked for comes first.
func steps(path string) []string {
	var ancestors []string
	if m := below.FindStringSubmatch(path); m != nil {
		ancestors = m[1:]
	}
	path = suffix.ReplaceAllString(alternatives.ReplaceAllString(path, "$1"), "${1}Some$2")
	path = condition.ReplaceAllString(condition.ReplaceAllString(path, ""), "")
	path, _, _ = strings.Cut(path, " | ")
	all := ancestors
	for step := range strings.SplitSeq(path, "/") {
		if step != "" && step != "ubl:Invoice" && step != "rsm:CrossIndustryInvoice" {
			all = append(all, step)
		}
	}
	return all
}

// element nests elements, the last of them so often with the content; what begins with @ is an attribute of the one before.
func element(steps []string, times int, content string) string {
	if len(steps) == 0 {
		return content
	}
	name, attribute := steps[0], ""
	if len(steps) > 1 && strings.HasPrefix(steps[1], "@") {
		attribute, content = " "+steps[1][1:]+`="`+content+`"`, ""
		steps = steps[1:]
	}
	inner := content
	if len(steps) > 1 {
		inner = element(steps[1:], times, content)
		times = 1
	}
	return strings.Repeat("<"+name+attribute+">"+inner+"</"+name+">", times)
}
