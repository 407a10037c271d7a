package chaos

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// groups are the scenarios that the page has to have, by letter.
var groups = []struct {
	Letter string
	Count  int
}{{"A", 12}, {"B", 8}, {"C", 8}, {"E", 13}, {"F", 9}, {"G", 17}, {"H", 9}, {"I", 11}, {"J", 5}}

var (
	scenario = regexp.MustCompile(`(?m)^\| ([A-J]\d+) \|(.*)\|$`)
	holder   = regexp.MustCompile("`((?:[a-z0-9]+/)*[a-z0-9.]+)\\.((?:Test|Fuzz)\\w+)`")
)

// page gives the cells of each scenario of docs/chaos.md.
func page(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/chaos.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, m := range scenario.FindAllStringSubmatch(string(text), -1) {
		if rows[m[1]] != nil {
			t.Errorf("scenario %s stands there twice", m[1])
		}
		rows[m[1]] = strings.Split(m[2], "|")
	}
	return rows
}

// tests gives the test functions of the repository as folder.Name.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	found, root := map[string]bool{}, os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return err
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				found[path.Dir(name)+"."+fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every scenario stands on the page, says what has to hold, and names tests that exist.
func TestScenarios_AreHeldByTestsThatExist(t *testing.T) {
	rows, exist := page(t), tests(t)
	for _, g := range groups {
		for i := range g.Count {
			id := fmt.Sprintf("%s%d", g.Letter, i+1)
			cells := rows[id]
			delete(rows, id)
			if len(cells) != 3 || strings.TrimSpace(cells[0]) == "" || strings.TrimSpace(cells[1]) == "" {
				t.Errorf("scenario %s: cells %q, want what happens, what has to hold and the tests", id, cells)
				continue
			}
			holders := holder.FindAllStringSubmatch(cells[2], -1)
			if len(holders) == 0 || len(holders) != strings.Count(cells[2], "`")/2 {
				t.Errorf("scenario %s: %q names no tests as `folder.TestName`", id, cells[2])
			}
			for _, h := range holders {
				if name := h[1] + "." + h[2]; !exist[name] {
					t.Errorf("scenario %s: there is no test %s", id, name)
				}
			}
		}
	}
	for id := range rows {
		t.Errorf("scenario %s is none of the list", id)
	}
}

// Each test of this package that is named after a scenario stands in its row, so that no scenario is tested unseen.
func TestScenarios_NameTheTestsOfThisPackage(t *testing.T) {
	rows := page(t)
	named := regexp.MustCompile(`^chaos\.Test([A-J]\d+)_`)
	for name := range tests(t) {
		m := named.FindStringSubmatch(name)
		if m != nil && !strings.Contains(strings.Join(rows[m[1]], "|"), "`"+name+"`") {
			t.Errorf("the row of %s does not name %s", m[1], name)
		}
	}
}
