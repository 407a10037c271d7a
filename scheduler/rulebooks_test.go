package scheduler_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/generation"
)

const someRules = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="a"><assert id="A-1" test="1"/></rule></pattern></schema>`

// folder is a folder of one rulebook that a test changes.
type folder struct {
	mu    sync.Mutex
	files fstest.MapFS
}

// put gives the folder another version of its rulebook; an empty one breaks it.
func (f *folder) put(version string) {
	sum := sha256.Sum256([]byte(someRules))
	manifest := fmt.Sprintf("manifest: 1\nid: a\nversion: %q\nsyntax: ubl\nschematron: [{file: r.sch}]\nfiles: {r.sch: %s}\n", version, hex.EncodeToString(sum[:]))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files = fstest.MapFS{"a/manifest.yaml": {Data: []byte(manifest)}, "a/r.sch": {Data: []byte(someRules)}}
}

func (f *folder) open() (fs.FS, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files, nil
}

// process is one of many on a database, with a folder of rulebooks.
type process struct {
	*scheduler.Rulebooks
	registry *rulebook.Registry
	log      *bytes.Buffer
}

// newProcess starts a process on the database in dir.
func newProcess(t *testing.T, dir string, books *folder) *process {
	t.Helper()
	p := &process{log: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(p.log, nil))
	database, err := db.Open(t.Context(), db.Config{Path: filepath.Join(dir, "einvoiced.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { database.Close() })
	if p.registry, err = rulebook.NewRegistry(t.Context(), rulebook.Config{Layers: []rulebook.Layer{{Name: "folder", Open: books.open}}}); err != nil {
		t.Fatal(err)
	}
	store := generation.New(generation.Config{}, database)
	if p.Rulebooks, err = scheduler.NewRulebooks(t.Context(), scheduler.RulebooksConfig{Logger: log}, p.registry, store); err != nil {
		t.Fatal(err)
	}
	return p
}

// uses tells number and version of the rulebook in use.
func (p *process) uses() string {
	g := p.registry.Current()
	return fmt.Sprint(g.Number, " ", g.Books()[0].Manifest.Version)
}

func newFolder(version string) *folder {
	f := &folder{}
	f.put(version)
	return f
}

// check compares what processes use.
func check(t *testing.T, when string, want string, processes ...*process) {
	t.Helper()
	for i, p := range processes {
		if got := p.uses(); got != want {
			t.Errorf("%s: process %d uses %s, want %s\n%s", when, i, got, want, p.log)
		}
	}
}

// TestRulebooks_OthersFollow ensures that all processes come to use what one of them has loaded, under the same number.
func TestRulebooks_OthersFollow(t *testing.T) {
	dir, books := t.TempDir(), newFolder("1")
	one, other := newProcess(t, dir, books), newProcess(t, dir, books)
	check(t, "at the start", "1 1", one, other)
	books.put("2")
	if g, err := one.Reload(t.Context()); err != nil || g.Number != 2 {
		t.Fatal(g, err)
	}
	check(t, "before the other has looked", "2 2", one)
	check(t, "before the other has looked", "1 1", other)
	for _, p := range []*process{one, other} {
		if err := p.Follow(t.Context()); err != nil {
			t.Error(err)
		}
	}
	check(t, "after it has", "2 2", one, other)
	if other.registry.Current().Digest != one.registry.Current().Digest || !strings.Contains(other.log.String(), `msg="rulebooks swapped" generation=2`) {
		t.Errorf("log of the other: %s", other.log)
	}
	if third := newProcess(t, dir, books); third.uses() != "2 2" {
		t.Errorf("one that starts later uses %s", third.uses())
	}
	want := map[scheduler.Swap]int64{scheduler.Swapped: 1, scheduler.Unchanged: 0, scheduler.Refused: 0}
	if diff := cmp.Diff(want, one.Swaps()); diff != "" {
		t.Error(diff)
	}
}

// TestRulebooks_UnchangedKeepsItsNumber ensures that a load which finds the same is no new generation.
func TestRulebooks_UnchangedKeepsItsNumber(t *testing.T) {
	p := newProcess(t, t.TempDir(), newFolder("1"))
	if g, err := p.Reload(t.Context()); err != nil || g.Number != 1 || p.Swaps()[scheduler.Unchanged] != 1 {
		t.Errorf("%+v, %v, %v", g, err, p.Swaps())
	}
}

// TestRulebooks_BrokenFolder ensures that the old rulebooks stay where the new ones are broken, and that nobody follows.
func TestRulebooks_BrokenFolder(t *testing.T) {
	dir, books := t.TempDir(), newFolder("1")
	one, other := newProcess(t, dir, books), newProcess(t, dir, books)
	books.put("")
	if _, err := one.Reload(t.Context()); rulebook.ReasonOf(err) != rulebook.LoadFailed {
		t.Errorf("error %v", err)
	}
	if err := errors.Join(one.Follow(t.Context()), other.Follow(t.Context()), one.InStep(), other.InStep()); err != nil {
		t.Error(err)
	}
	check(t, "after the refusal", "1 1", one, other)
	if !strings.Contains(one.log.String(), "level=ERROR") || !strings.Contains(one.log.String(), "reason=load-failed") || one.Swaps()[scheduler.Refused] != 1 {
		t.Errorf("log: %s", one.log)
	}
}

// TestRulebooks_AnotherFolder ensures that a process whose folder has others than those that were announced keeps its own and says
// so, until it can follow.
func TestRulebooks_AnotherFolder(t *testing.T) {
	dir, books, late := t.TempDir(), newFolder("1"), newFolder("1")
	one, other := newProcess(t, dir, books), newProcess(t, dir, late)
	books.put("2")
	if _, err := one.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, broken := range []bool{false, true} {
		if broken {
			late.put("")
		}
		err := other.Follow(t.Context())
		if err == nil || errors.Is(err, scheduler.ErrBehind) == broken || other.InStep() == nil || !strings.Contains(other.log.String(), "level=ERROR") {
			t.Errorf("broken %t: error %v, in step %v, log %s", broken, err, other.InStep(), other.log)
		}
		check(t, "while its folder differs", "1 1", other)
		other.log.Reset()
	}
	late.put("2")
	if err := errors.Join(other.Follow(t.Context()), other.InStep()); err != nil {
		t.Error(err)
	}
	check(t, "as soon as its folder is the same", "2 2", one, other)
}

// TestRulebooks_BackToTheSame ensures that a process which is behind is in step when the others come back to what it has.
func TestRulebooks_BackToTheSame(t *testing.T) {
	dir, books := t.TempDir(), newFolder("1")
	one, other := newProcess(t, dir, books), newProcess(t, dir, newFolder("1"))
	for _, version := range []string{"2", "1"} {
		books.put(version)
		if _, err := one.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := other.Follow(t.Context()); (err == nil) != (version == "1") {
			t.Errorf("follows to %s: %v", version, err)
		}
	}
	check(t, "in the end", "3 1", one, other)
	if err := other.InStep(); err != nil || !strings.Contains(other.log.String(), `msg="rulebooks unchanged" generation=3`) {
		t.Errorf("%v, log %s", err, other.log)
	}
}

// TestRulebooks_Together ensures that loads and followers beside each other end with one generation everywhere.
func TestRulebooks_Together(t *testing.T) {
	dir, books := t.TempDir(), newFolder("1")
	processes := []*process{newProcess(t, dir, books), newProcess(t, dir, books)}
	books.put("2")
	var work sync.WaitGroup
	for _, p := range processes {
		for range 4 {
			work.Go(func() {
				if _, err := p.Reload(context.Background()); err != nil {
					t.Error(err)
				}
			})
			work.Go(func() {
				if err := p.Follow(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	work.Wait()
	check(t, "in the end", "2 2", processes...)
}

func TestNewRulebooks_ChecksItsConfig(t *testing.T) {
	if _, err := scheduler.NewRulebooks(t.Context(), scheduler.RulebooksConfig{Every: -1}, nil, nil); err == nil {
		t.Error("a negative interval is accepted")
	}
}
