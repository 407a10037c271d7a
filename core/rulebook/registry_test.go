package rulebook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/rulebooks"
)

func TestNewRegistry_LaterLayersAddAndReplace(t *testing.T) {
	r := registry(t,
		layer("shipped", shelf(map[string]map[string]string{"a": smallBook("a", "1", "title: shipped\n"), "b": smallBook("b", "1", "")})),
		layer("folder", shelf(map[string]map[string]string{"x": smallBook("a", "1", "title: own\n"), "y": smallBook("a", "2", ""), ".hidden": {"x": ""}})),
	)
	want := []string{"a@1 folder own", "a@2 folder ", "b@1 shipped "}
	for i, b := range r.Current().Books() {
		if got := b.Name() + " " + b.Layer + " " + b.Manifest.Title; got != want[i] {
			t.Errorf("book %d: %s, want %s", i, got, want[i])
		}
	}
}

func TestNewRegistry_LoadsWhatShips(t *testing.T) {
	r := registry(t, Layer{Name: "shipped", Open: func() (fs.FS, error) { return rulebooks.Books(), nil }})
	for _, b := range r.Current().Books() {
		if _, err := b.Programs(); err != nil {
			t.Error(err)
		}
	}
}

// What was imported judges documents, with the code lists of its own folder.
func TestPrograms_JudgeDocuments(t *testing.T) {
	into := &memoryFolder{files: map[string]string{}}
	if _, err := Import(t.Context(), inMemory(published), into, ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	book := registry(t, layer("x", into.files)).Current().Books()[0]
	programs, err := book.Programs()
	if err != nil {
		t.Fatal(err)
	}
	for shelf, want := range map[string]string{"A": "", "B": "B-1"} {
		doc, err := xmltree.Parse([]byte(`<book xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" shelf="`+shelf+`"/>`), xmltree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		verdict, err := programs[0].Evaluate(t.Context(), doc, schematron.EvaluateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		fired := ""
		for _, f := range verdict.Fired {
			fired += f.Assertion.Key
		}
		if fired != want || len(verdict.NotRun) != 1 || verdict.NotRun[0].Assertion.Key != "B-2" {
			t.Errorf("shelf %s: fired %q, not run %+v", shelf, fired, verdict.NotRun)
		}
	}
}

func TestPrograms_OfABrokenBookSayWhy(t *testing.T) {
	files := with(smallBook("a", "1", ""), map[string]string{"r.sch": "changed"})
	trusted := layer("x", shelf(map[string]map[string]string{"a": files}))
	trusted.Trusted = true
	_, err := registry(t, trusted).Current().Books()[0].Programs()
	wants(t, err, "rulebook a@1: r.sch: read r.sch: the file has the SHA-256")
	if ReasonOf(err) != LoadFailed {
		t.Errorf("reason %q", ReasonOf(err))
	}
}

func TestNewRegistry_SaysEverythingThatIsWrong(t *testing.T) {
	good := smallBook("good", "1", "")
	bad := strings.Replace(smallRules, "test=", "tst=", 1)
	badBook := with(smallBook("bad", "1", ""), map[string]string{"r.sch": bad})
	badBook[rulebooks.ManifestFile] = strings.Replace(badBook[rulebooks.ManifestFile], hashOf([]byte(smallRules)), hashOf([]byte(bad)), 1)
	_, err := NewRegistry(context.Background(), Config{Layers: []Layer{
		layer("one", shelf(map[string]map[string]string{
			"good":     good,
			"bad":      badBook,
			"changed":  with(smallBook("changed", "1", ""), map[string]string{"r.sch": smallRules + " "}),
			"empty":    {"x": ""},
			"gone":     with(smallBook("gone", "1", ""), map[string]string{"r.sch": ""}),
			"manifest": with(good, map[string]string{rulebooks.ManifestFile: "a: 1"}),
			"needs":    {rulebooks.ManifestFile: strings.Replace(smallBook("needs", "1", "")[rulebooks.ManifestFile], hashOf([]byte(smallRules)), hashOf([]byte(including)), 1), "r.sch": including, "part.sch": ""},
			"phase":    {rulebooks.ManifestFile: strings.Replace(smallBook("phase", "1", "")[rulebooks.ManifestFile], "file: r.sch", "file: r.sch, phase: none", 1), "r.sch": smallRules},
			"twice":    good,
		})),
		{Name: "two", Open: func() (fs.FS, error) { return nil, errors.New("out of reach") }},
	}})
	for _, want := range []string{
		"rulebook bad: r.sch:1: assert has no attribute test",
		"rulebook changed: r.sch: the file has the SHA-256",
		"rulebook empty: manifest.yaml: file does not exist",
		"rulebook gone: r.sch: file does not exist",
		"rulebook manifest: manifest.yaml: yaml: unmarshal errors",
		"rulebook needs: r.sch:1: read part.sch: file does not exist",
		`rulebook phase: r.sch: choose phase "none": the rule set has the phases ["#ALL"]`,
		"rulebook twice: is good@1, as is good: expected one of each id and version",
		"open the rulebooks of two: out of reach",
	} {
		wants(t, err, want)
	}
	if ReasonOf(err) != LoadFailed {
		t.Errorf("reason %q", ReasonOf(err))
	}
	if strings.Contains(err.Error(), "rulebook good:") {
		t.Errorf("the good one is blamed: %v", err)
	}
}

// including is a rule set that includes a file.
const including = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><include href="part.sch"/></schema>`

func TestNewRegistry_WantsTheRulebooksThatOthersComeAfter(t *testing.T) {
	for after, want := range map[string]string{
		"base@2": `rulebook xr@1: binding "X" comes after base@2: expected a rulebook that is there`,
		"none":   `binding "X" comes after none`,
	} {
		_, err := NewRegistry(context.Background(), Config{Layers: []Layer{layer("x", shelf(map[string]map[string]string{
			"base": smallBook("base", "1", ""),
			"xr":   smallBook("xr", "1", "bindings: [{name: X, root: a, after: ['"+after+"']}]\n"),
		}))}})
		wants(t, err, want)
	}
}

func TestNewRegistry_ObeysLimits(t *testing.T) {
	books := layer("x", shelf(map[string]map[string]string{"a": smallBook("a", "1", ""), "b": smallBook("b", "1", "")}))
	for _, test := range []struct {
		limits Limits
		want   string
	}{
		{Limits{Books: 1}, "there are 2: expected at most 1"},
		{Limits{FileBytes: 10}, "r.sch: the file has more than 10 bytes"},
		{Limits{Bytes: 10}, "the files have more than 10 bytes"},
		{Limits{Files: -1}, "configure rulebooks: limit Files is -1: expected a positive number, or 0 for 2000"},
		{Limits{Ratio: -1}, "limit Ratio is -1"},
	} {
		_, err := NewRegistry(context.Background(), Config{Layers: []Layer{books}, Limits: test.limits})
		wants(t, err, test.want)
	}
	two := smallBook("a", "1", "")
	two[rulebooks.ManifestFile] = strings.Replace(two[rulebooks.ManifestFile], "files: {", "files: {s.sch: "+hashOf(nil)+", ", 1)
	_, err := NewRegistry(context.Background(), Config{Layers: []Layer{layer("x", shelf(map[string]map[string]string{"a": two}))}, Limits: Limits{Files: 1}})
	wants(t, err, "manifest.yaml: there are 2 files: expected at most 1")
}

func TestNewRegistry_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := NewRegistry(ctx, Config{Layers: []Layer{layer("x", shelf(map[string]map[string]string{"a": smallBook("a", "1", "")}))}})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNewRegistry_RefusesLinks(t *testing.T) {
	elsewhere := onDisk(t, smallBook("a", "1", ""))
	for name, link := range map[string]func(dir string) error{
		"rulebook": func(dir string) error { return os.Symlink(elsewhere, filepath.Join(dir, "b")) },
		"manifest": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "b"), 0o755), os.Symlink("../a/manifest.yaml", filepath.Join(dir, "b", "manifest.yaml")))
		},
		"file": func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "a", "r.sch"), filepath.Join(dir, "a", "s.sch")), os.Symlink("s.sch", filepath.Join(dir, "a", "r.sch")))
		},
	} {
		dir := onDisk(t, shelf(map[string]map[string]string{"a": smallBook("a", "1", "")}))
		if err := link(dir); err != nil {
			t.Fatal(err)
		}
		_, err := NewRegistry(context.Background(), Config{Layers: []Layer{folderLayer(dir)}})
		if ReasonOf(err) != LoadFailed || !strings.Contains(err.Error(), "link") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReload_KeepsTheOldOnesWhenTheNewOnesAreBroken(t *testing.T) {
	dir := onDisk(t, shelf(map[string]map[string]string{"a": smallBook("a", "1", ""), "b": smallBook("b", "1", "")}))
	r, err := NewRegistry(context.Background(), Config{Layers: []Layer{folderLayer(dir)}})
	if err != nil {
		t.Fatal(err)
	}
	first := r.Current()
	if err := os.WriteFile(filepath.Join(dir, "b", "r.sch"), []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = r.Reload(context.Background())
	wants(t, err, "load rulebooks: rulebook b: r.sch: the file has the SHA-256")
	if ReasonOf(err) != LoadFailed || r.Current() != first || first.Number != 1 {
		t.Errorf("reason %q, generation %d", ReasonOf(err), r.Current().Number)
	}
	// What was not used before and has changed since is what was loaded.
	if programs, err := first.Books()[1].Programs(); err != nil || len(programs) != 1 {
		t.Error(programs, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b", "r.sch"), []byte(smallRules), 0o644); err != nil {
		t.Fatal(err)
	}
	second, err := r.Reload(context.Background())
	if err != nil || r.Current() != second || second.Number != 2 || second.Digest != first.Digest {
		t.Errorf("%+v, %v", second, err)
	}
}

func TestReload_KeepsWhatWasMadeOfRulebooksThatAreTheSame(t *testing.T) {
	books := shelf(map[string]map[string]string{"a": smallBook("a", "1", ""), "b": smallBook("b", "1", "")})
	fsys := inMemory(books)
	r := registry(t, Layer{Name: "x", Open: func() (fs.FS, error) { return fsys, nil }})
	first := r.Current()
	before := [2]any{}
	for i, b := range first.Books() {
		programs, err := b.Programs()
		if err != nil {
			t.Fatal(err)
		}
		before[i] = programs[0]
	}
	fsys = inMemory(with(books, map[string]string{"b/" + rulebooks.ManifestFile: books["b/"+rulebooks.ManifestFile] + "title: new\n"}))
	second, err := r.Reload(context.Background())
	if err != nil || second.Digest == first.Digest {
		t.Fatal(err, second.Digest)
	}
	for i, b := range second.Books() {
		programs, err := b.Programs()
		if err != nil {
			t.Fatal(err)
		}
		if same := any(programs[0]) == before[i]; same != (b.Manifest.ID == "a") {
			t.Errorf("%s: the same program: %v", b.Name(), same)
		}
	}
}

// Whoever uses rulebooks while others are put in their place sees one generation or the other, whole.
func TestReload_SwapsUnderUse(t *testing.T) {
	versions := []fstest.MapFS{
		inMemory(shelf(map[string]map[string]string{"a": smallBook("a", "1", ""), "b": smallBook("b", "1", "")})),
		inMemory(shelf(map[string]map[string]string{"a": smallBook("a", "2", ""), "b": smallBook("b", "2", "")})),
	}
	loads := 0
	r := registry(t, Layer{Name: "x", Open: func() (fs.FS, error) { loads++; return versions[loads%2], nil }})
	stop := make(chan struct{})
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for {
				g := r.Current()
				a, errA := g.Find("a", "", "2026-01-01")
				b, errB := g.Find("b", "", "2026-01-01")
				if errA != nil || errB != nil || a.Manifest.Version != b.Manifest.Version {
					t.Errorf("%v %v %v %v", a, errA, b, errB)
					return
				}
				if programs, err := a.Programs(); err != nil || len(programs) != 1 {
					t.Error(programs, err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range 50 {
		if _, err := r.Reload(context.Background()); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	users.Wait()
	if n := r.Current().Number; n != 51 {
		t.Errorf("generation %d, want 51", n)
	}
}

func BenchmarkReload_100Rulebooks(b *testing.B) {
	books := map[string]map[string]string{}
	for i := range 100 {
		id := "lib" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		books[id] = smallBook(id, "1", "")
	}
	r := registry(b, layer("x", shelf(books)))
	for b.Loop() {
		if _, err := r.Reload(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// closing is a folder that counts how often it is closed.
type closing struct {
	fstest.MapFS
	closed *int
}

// Close implements io.Closer.
func (c closing) Close() error { *c.closed++; return nil }

// A folder is closed as soon as its rulebooks are in memory, also when they are refused.
func TestNewRegistry_ClosesTheFolder(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"good":   shelf(map[string]map[string]string{"a": smallBook("a", "1", "")}),
		"broken": {"a/" + rulebooks.ManifestFile: "a: 1"},
	} {
		closed := 0
		_, err := NewRegistry(t.Context(), Config{Layers: []Layer{{Name: "x", Open: func() (fs.FS, error) { return closing{inMemory(files), &closed}, nil }}}})
		if closed != 1 || (err == nil) != (name == "good") {
			t.Errorf("%s: closed %d times, error %v", name, closed, err)
		}
	}
}
