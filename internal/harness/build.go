package harness

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Build builds the program of a checkout into a file. EINVOICED_PROGRAM names one that is built already.
func Build(t T, checkout, into string, flags ...string) string {
	t.Helper()
	if built := os.Getenv("EINVOICED_PROGRAM"); built != "" && checkout == Root(t) {
		return built
	}
	build(t, checkout, into, flags...)
	return into
}

func build(t T, checkout, into string, flags ...string) {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"build", "-o", into}, flags...), ".")...)
	cmd.Dir = checkout
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the program of %s: %v\n%s", checkout, err, out)
	}
}

// A Fault is put into a function of the program in a build for tests: the shipped program has nothing of it.
type Fault struct {
	Folder string // of the package, from the root
	Func   string // Name, or Type.Name of a method
	Code   string // one statement that is put before the first one of the body
}

// BuildFaulty builds the program of this checkout with faults put in, by an overlay: no file of the checkout is changed. helpers are
// further files by folder, for what the faults call.
func BuildFaulty(t T, into string, faults []Fault, helpers map[string]string) string {
	t.Helper()
	o := overlay{t: t, root: Root(t), dir: t.TempDir(), Replace: map[string]string{}}
	byFolder := map[string][]Fault{}
	for _, f := range faults {
		byFolder[f.Folder] = append(byFolder[f.Folder], f)
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		o.put(folder, byFolder[folder])
	}
	for folder, source := range helpers {
		o.replace(filepath.Join(o.root, folder, "faults.go"), source)
	}
	build(t, o.root, into, "-overlay", o.write())
	return into
}

// overlay collects what go build -overlay reads.
type overlay struct {
	t         T
	root, dir string

	Replace map[string]string
}

func (o *overlay) replace(file, source string) {
	o.t.Helper()
	name := filepath.Join(o.dir, fmt.Sprintf("%d.go", len(o.Replace)))
	if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
		o.t.Fatalf("write overlay: %v", err)
	}
	o.Replace[file] = name
}

func (o *overlay) write() string {
	o.t.Helper()
	data, err := json.Marshal(struct{ Replace map[string]string }{o.Replace})
	name := filepath.Join(o.dir, "overlay.json")
	if err == nil {
		err = os.WriteFile(name, data, 0o600)
	}
	if err != nil {
		o.t.Fatalf("write overlay: %v", err)
	}
	return name
}

// put puts faults into the files of one folder. A function that is not there ends the test: it has another name now.
func (o *overlay) put(folder string, faults []Fault) {
	o.t.Helper()
	files, err := filepath.Glob(filepath.Join(o.root, folder, "*.go"))
	if err != nil {
		o.t.Fatalf("list %s: %v", folder, err)
	}
	found := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if source, names := o.faulty(file, faults); len(names) > 0 {
			o.replace(file, source)
			for _, name := range names {
				found[name] = true
			}
		}
	}
	for _, f := range faults {
		if !found[f.Func] {
			o.t.Fatalf("%s has no function %s to put a fault into", folder, f.Func)
		}
	}
}

// faulty gives the source of a file with faults, and the functions that got one.
func (o *overlay) faulty(file string, faults []Fault) (string, []string) {
	o.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		o.t.Fatalf("read source: %v", err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, data, parser.SkipObjectResolution)
	if err != nil {
		o.t.Fatalf("parse source: %v", err)
	}
	source, names := string(data), []string(nil)
	for _, d := range slices.Backward(parsed.Decls) { // from the end, so that the places before stay
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		for _, f := range faults {
			if f.Func == nameOf(fn) {
				at := set.Position(fn.Body.Lbrace).Offset + 1
				source = source[:at] + " " + f.Code + "; " + source[at:]
				names = append(names, f.Func)
			}
		}
	}
	return source, names
}

// nameOf gives Name, or Type.Name of a method.
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if id, ok := receiver.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}
