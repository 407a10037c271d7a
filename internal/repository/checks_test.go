package repository

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// tree makes a repository of paths and texts.
func tree(files map[string]string) fstest.MapFS {
	repository := fstest.MapFS{}
	for name, text := range files {
		repository[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return repository
}

func parse(t *testing.T, files map[string]string) []*File {
	t.Helper()
	parsed, err := Load(tree(files))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// importing gives a repository with one file that imports one package.
func importing(t *testing.T, file, imported string) []*File {
	t.Helper()
	return parse(t, map[string]string{file: fmt.Sprintf("package x\n\nimport _ %q\n", imported)})
}

func TestLayering_RefusesImportsAgainstTheDesign(t *testing.T) {
	for _, test := range []struct{ file, imported, reason string }{
		{"core/format/ubl/a.go", "github.com/einvoiced/einvoiced/storage/blob", "core is invoice knowledge alone"},
		{"core/format/ubl/a.go", "github.com/einvoiced/einvoiced/api", "core is invoice knowledge alone"},
		{"core/format/ubl/a.go", "github.com/einvoiced/einvoiced/core/format/cii", "formats do not import each other"},
		{"core/format/ubl/a_test.go", "github.com/einvoiced/einvoiced/core/format/cii", "formats do not import each other"},
		{"core/format/ubl/a.go", "github.com/einvoiced/einvoiced/core/operation", "operations are the top of core"},
		{"core/engine/decimal/a.go", "github.com/einvoiced/einvoiced/core/finding", "decimals are the ground"},
		{"core/operation/a.go", "github.com/einvoiced/einvoiced/worker", "operations are the top of core"},
		{"core/engine/xsd/a.go", "net/http", "core touches no network"},
		{"core/engine/xsd/a.go", "os/exec", "core touches no disk"},
		{"core/engine/xsd/a.go", "database/sql", "core touches no database"},
		{"storage/db/a.go", "github.com/einvoiced/einvoiced/core/invoice", "storage keeps bytes and rows"},
		{"storage/db/a.go", "net/http", "storage answers errors"},
		{"api/a.go", "github.com/einvoiced/einvoiced/worker", "the API decodes"},
		{"worker/a.go", "github.com/einvoiced/einvoiced/api", "a worker does what the API does inline"},
		{"scheduler/a.go", "github.com/einvoiced/einvoiced/worker", "the scheduler acts on rows"},
		{"rulebooks/a.go", "github.com/einvoiced/einvoiced/core/finding", "rulebooks are data"},
		{"test/oracles/a.go", "github.com/einvoiced/einvoiced/core/engine/xmltree", "an oracle must not depend on what it judges"},
		{"worker/a.go", "github.com/einvoiced/einvoiced/command", "nothing but the program imports the command line"},
		{"main.go", "github.com/einvoiced/einvoiced/api", "the program is a screen"},
		{"attic/a.go", "github.com/einvoiced/einvoiced/core/finding", "this folder is in no room"},
		{"command/a.go", "github.com/einvoiced/einvoiced/test/oracles", "the command line wires"},
		{"core/engine/xpath/a.go", "github.com/einvoiced/einvoiced/core/invoice", "the engine knows XML and rules"},
		{"core/engine/xsd/a.go", "github.com/einvoiced/einvoiced/internal/corpus", "the engine knows XML and rules"},
	} {
		faults := Layering(importing(t, test.file, test.imported))
		if len(faults) != 1 || !strings.Contains(faults[0], test.reason) {
			t.Errorf("%s imports %s: faults %q, want one with %q", test.file, test.imported, faults, test.reason)
		}
	}
}

func TestLayering_AllowsTheDirectionsOfTheDesign(t *testing.T) {
	for _, test := range []struct{ file, imported string }{
		{"main.go", "github.com/einvoiced/einvoiced/command"},
		{"command/a.go", "github.com/einvoiced/einvoiced/api"},
		{"command/a.go", "net/http"},
		{"api/a.go", "github.com/einvoiced/einvoiced/core/operation"},
		{"api/a.go", "github.com/einvoiced/einvoiced/storage/ledger"},
		{"api/a_test.go", "github.com/einvoiced/einvoiced/worker"},
		{"worker/outbound/a.go", "github.com/einvoiced/einvoiced/worker"},
		{"worker/a.go", "github.com/einvoiced/einvoiced/core/operation"},
		{"core/operation/a.go", "github.com/einvoiced/einvoiced/core/format/ubl"},
		{"core/operation/a_test.go", "github.com/einvoiced/einvoiced/core/operation"},
		{"core/format/a.go", "github.com/einvoiced/einvoiced/core/format/ubl"},
		{"core/format/ubl/a.go", "github.com/einvoiced/einvoiced/core/format/ubl/part"},
		{"core/format/ubl/a.go", "github.com/einvoiced/einvoiced/core/engine/decimal"},
		{"core/format/ubl/a.go", "net/url"},
		{"core/format/ubl/a_test.go", "os"},
		{"core/engine/schematron/a_test.go", "github.com/einvoiced/einvoiced/rulebooks"},
		{"core/engine/schematron/a.go", "github.com/einvoiced/einvoiced/core/finding"},
		{"rulebooks/write/a_test.go", "github.com/einvoiced/einvoiced/core/engine/schematron"},
		{"storage/ledger/a.go", "github.com/einvoiced/einvoiced/storage/db"},
		{"test/oracles/cmd/judge/main.go", "github.com/einvoiced/einvoiced/test/oracles"},
		{"core/engine/xsd/a_test.go", "github.com/einvoiced/einvoiced/internal/corpus"},
	} {
		if faults := Layering(importing(t, test.file, test.imported)); len(faults) != 0 {
			t.Errorf("%s imports %s: %q", test.file, test.imported, faults)
		}
	}
}

func TestDocComments_FindsWhatIsNotDocumented(t *testing.T) {
	const head = "// Package p is a package.\npackage p\n\n"
	for name, test := range map[string]struct {
		source string
		want   []string // names
	}{
		"function":            {"func F() {}", []string{"F"}},
		"documented function": {"// F does.\nfunc F() {}", nil},
		"unexported function": {"func f() {}", nil},
		"method":              {"// T is.\ntype T int\n\nfunc (T) M() {}", []string{"M"}},
		"pointer method":      {"// T is.\ntype T[X any] struct{}\n\nfunc (*T[X]) M() {}", []string{"M"}},
		"hidden method":       {"type t int\n\nfunc (t) String() string { return \"\" }", nil},
		"type":                {"type T int", []string{"T"}},
		"type in group":       {"// Two.\ntype (\n\tA int\n\t// B is.\n\tB int\n)", []string{"A"}},
		"constants":           {"const (\n\tA = 1\n\tB = 2 // b\n)", []string{"A"}},
		"described group":     {"// The numbers.\nconst (\n\tA = 1\n\tB = 2\n)", nil},
		"variables":           {"var A, B int", []string{"A", "B"}},
	} {
		t.Run(name, func(t *testing.T) {
			faults := DocComments(parse(t, map[string]string{"p/p.go": head + test.source + "\n"}))
			if len(faults) != len(test.want) {
				t.Fatalf("faults %q, want %q", faults, test.want)
			}
			for i, want := range test.want {
				if !strings.Contains(faults[i], " "+want+" has no doc comment") {
					t.Errorf("fault %q, want %s", faults[i], want)
				}
			}
		})
	}
}

func TestDocComments_WantsOnePackageComment(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":          {map[string]string{"p/a.go": "package p\n"}, "has no comment"},
		"two":           {map[string]string{"p/a.go": "// Package p a.\npackage p\n", "p/b.go": "// Package p b.\npackage p\n"}, "more than one"},
		"wrong form":    {map[string]string{"p/a.go": "// This is p.\npackage p\n"}, "does not begin with Package p"},
		"command":       {map[string]string{"c/a.go": "// Package main is.\npackage main\n"}, "does not begin with Command"},
		"only the test": {map[string]string{"p/a.go": "package p\n", "p/a_test.go": "// Package p.\npackage p\n"}, "has no comment"},
	} {
		if faults := DocComments(parse(t, test.files)); len(faults) != 1 || !strings.Contains(faults[0], test.want) {
			t.Errorf("%s: faults %q, want %q", name, faults, test.want)
		}
	}
}

func TestExamples_FindsPackagesWithout(t *testing.T) {
	const source = "package a\n\nimport \"fmt\"\n\nvar x, X = 1, 2\n"
	const example = "package a_test\n\nfunc Example() {\n\t// Output:\n\t// 1\n}\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  string // of the one fault; empty where there is to be none
	}{
		"no test":                    {map[string]string{"core/a/a.go": source}, "core/a/a.go:5: no example"},
		"a test alone":               {map[string]string{"storage/a/a.go": source, "storage/a/a_test.go": "package a_test\n\nfunc TestX(t *testing.T) {}\n"}, "storage/a/a.go:5: no example"},
		"an example that is not run": {map[string]string{"core/a/a.go": source, "core/a/a_test.go": "package a_test\n\nfunc Example() {}\n\n// Output: 1\n"}, "core/a/a.go:5: no example"},
		"an example from inside":     {map[string]string{"core/a/a.go": source, "core/a/a_test.go": strings.Replace(example, "a_test", "a", 1)}, "core/a/a.go:5: no example"},
		"an example":                 {map[string]string{"core/a/a.go": source, "core/a/a_test.go": example}, ""},
		"of any order":               {map[string]string{"core/a/a.go": source, "core/a/a_test.go": strings.Replace(example, "Output", "Unordered output", 1)}, ""},
		"nothing exported":           {map[string]string{"core/a/a.go": "package a\n\ntype t int\n\nfunc (t) String() string { return `` }\n"}, ""},
		"another room":               {map[string]string{"api/a.go": source}, ""},
		"excused":                    {map[string]string{"storage/queue/names/a.go": source}, ""},
		"excused in vain":            {map[string]string{"storage/queue/names/a.go": source, "storage/queue/names/a_test.go": example}, "storage/queue/names: it has an example"},
	} {
		faults := Examples(parse(t, test.files))
		if test.want == "" && len(faults) > 0 || test.want != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0], test.want)) {
			t.Errorf("%s: faults %q, want %q", name, faults, test.want)
		}
	}
}

func TestNames_RefusesVagueAndStrayNames(t *testing.T) {
	for file, want := range map[string]string{
		"core/util/a.go":           "package util\n",
		"core/engine/decimal/a.go": "package dec\n",
	} {
		if faults := Names(parse(t, map[string]string{file: want})); len(faults) != 1 {
			t.Errorf("%s: faults %q, want one", file, faults)
		}
	}
	good := map[string]string{"main.go": "package main\n", "a/a.go": "package a\n", "a/a_test.go": "package a_test\n", "b/cmd/judge/main.go": "package main\n"}
	if faults := Names(parse(t, good)); len(faults) != 0 {
		t.Error(faults)
	}
}

func TestHabits_FindsEachHabit(t *testing.T) {
	for _, test := range []struct{ file, body, want string }{
		{"core/profile/a.go", "var x = time.Now()", "core has no clock"},
		{"core/engine/xsd/a.go", "func f() { time.Sleep(1) }", "core does not wait"},
		{"core/profile/a.go", "var x = context.Background()", "contexts are passed"},
		{"worker/a.go", "var x = context.TO" + "DO()", "contexts are passed"},
		{"core/engine/decimal/a.go", "func Half(d D) float64", "money is never a float"},
		{"core/invoice/a.go", "var x float64", "money is never a float"},
		{"core/format/ubl/a.go", "func f(x []float32) {}", "money is never a float"},
		{"api/a.go", "func init() {}", "no work at package start"},
		{"api/a_test.go", "func TestX(t *testing.T) { t.Sk" + "ip() }", "guards nothing"},
		{"api/a_test.go", "func BenchmarkX(b *testing.B) { b.Sk" + "ipf(``) }", "guards nothing"},
		{"api/a_test.go", "func TestX(t *testing.T) { time.Sleep(1) }", "waits for a signal"},
	} {
		faults := Habits(parse(t, map[string]string{test.file: "package x\n\n" + test.body + "\n"}))
		if len(faults) != 1 || !strings.Contains(faults[0], test.want) {
			t.Errorf("%s %q: faults %q, want one with %q", test.file, test.body, faults, test.want)
		}
	}
}

func TestHabits_LeavesTheRestAlone(t *testing.T) {
	for file, body := range map[string]string{
		"core/engine/xpath/a.go":   "var number float64",
		"core/engine/decimal/a.go": "func Float64(d D) float64 { var f float64; return f }",
		"worker/a.go":              "func f() { time.Now() }",
		"worker/b.go":              "var x = context.Background()",
		"api/a_test.go":            "var x = context.Background()",
		"core/engine/xmltree/a.go": "func f() { d.Skip() }",
		"core/invoice/a_test.go":   "var x float64",
		"storage/a.go":             "type T struct{}\n\nfunc (T) init() {}",
	} {
		if faults := Habits(parse(t, map[string]string{file: "package x\n\n" + body + "\n"})); len(faults) != 0 {
			t.Errorf("%s %q: %q", file, body, faults)
		}
	}
}

func TestWords_FindsEachWord(t *testing.T) {
	for name, text := range map[string]string{
		"machine path": "see /wo" + "rk/main for it", "registry host": "https://proxy.gol" + "ang.org/x",
		"second registry": "https://repo1.mav" + "en.org", "unfinished": "// TO" + "DO later", "repair": "a FIX" + "ME",
	} {
		faults, err := Words(tree(map[string]string{"a/b.md": "first line\n" + text + "\n"}))
		if err != nil {
			t.Fatal(err)
		}
		if len(faults) != 1 || !strings.HasPrefix(faults[0], "a/b.md:2: ") {
			t.Errorf("%s: faults %q, want one on line 2", name, faults)
		}
	}
	for name, text := range map[string]string{
		"web path": "POST /api/wo" + "rk/1", "word": "wo" + "rk/life", "binary": "\x00 TO" + "DO", "part of a word": "TO" + "DOS",
	} {
		if faults, err := Words(tree(map[string]string{"b.txt": text})); err != nil || len(faults) != 0 {
			t.Errorf("%s: %q, %v", name, faults, err)
		}
	}
}

func TestTextChecks_FindFaults(t *testing.T) {
	for name, test := range map[string]struct {
		check func(fs.FS) ([]string, error)
		files map[string]string
		want  []string
	}{
		"replace":    {Module, map[string]string{"go.mod": "module m\n\nreplace a => ../a\n"}, []string{"go.mod:3: a replace"}},
		"no replace": {Module, map[string]string{"go.mod": "module m\n\nrequire replacement v1.0.0\n"}, nil},
		"dead link":  {Links, map[string]string{"docs/a.md": "[x](b.md) [y](../c.md#part) [z](https://x.example/)", "c.md": ""}, []string{"docs/a.md: the link to b.md"}},
		"live link":  {Links, map[string]string{"a.md": "[x](docs/b.md) [y](#part)", "docs/b.md": ""}, nil},
		"empty news": {News, map[string]string{"CHANGELOG.md": "## [Unreleased]\n\n## [1.0.0]\n- x\n"}, []string{"CHANGELOG.md: nothing"}},
		"news":       {News, map[string]string{"CHANGELOG.md": "## [Unreleased]\n### Added\n- x\n"}, nil},
	} {
		faults, err := test.check(tree(test.files))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(faults) != len(test.want) {
			t.Errorf("%s: faults %q, want %q", name, faults, test.want)
			continue
		}
		for i := range faults {
			if !strings.HasPrefix(faults[i], test.want[i]) {
				t.Errorf("%s: fault %q, want %q", name, faults[i], test.want[i])
			}
		}
	}
}

func TestTexts_FindsMissingAndWrongTexts(t *testing.T) {
	files := map[string]string{}
	for _, text := range texts {
		files[text.Name] = "x\n" + text.Line + "\n"
	}
	if faults := Texts(tree(files)); len(faults) != 0 {
		t.Fatal(faults)
	}
	delete(files, "SECURITY.md")
	files["LICENSE"] = "mine\n"
	if faults := Texts(tree(files)); len(faults) != 2 {
		t.Errorf("faults %q, want two", faults)
	}
}

func TestRooms_FindsARoomThatIsNotDrawn(t *testing.T) {
	files := map[string]string{"docs/architecture.md": "core/ does", "core/a/a.go": "package a", "worker/w.go": "package worker", "main.go": "package main"}
	faults, err := Rooms(tree(files), parse(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"docs/architecture.md does not name worker/"}, faults); diff != "" {
		t.Error(diff)
	}
}

func TestBlocks_ReadsFencedBlocksByTheirWords(t *testing.T) {
	got := Blocks("a\n```sh serve\ngo run .\n```\n```json\n{}\n```\n```sh serve\nmore\n```\n")
	if diff := cmp.Diff(map[string]string{"sh serve": "go run .\nmore\n", "json": "{}\n"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoad_LeavesOutWhatIsNotSource(t *testing.T) {
	got := parse(t, map[string]string{"a/a.go": "package a", ".git/b.go": "x", "a/testdata/c.go": "x", ".cache/d.go": "x", "data/e.go": "x", "a.md": "x"})
	if len(got) != 1 || got[0].Path != "a/a.go" {
		t.Errorf("loaded %d files", len(got))
	}
	if _, err := Load(tree(map[string]string{"a.go": "no Go"})); err == nil {
		t.Error("a file that is not Go is no error")
	}
}
