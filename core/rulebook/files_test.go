package rulebook

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// hashes lists files with their hashes.
func hashes(files map[string]string) map[string]string {
	all := map[string]string{}
	for name, text := range files {
		all[name] = hashOf([]byte(text))
	}
	return all
}

func TestListed_IsAFileSystemOfTheFilesOfTheManifest(t *testing.T) {
	listedFiles := with(published, map[string]string{"LICENCE.txt": ""})
	fsys := newListed(inMemory(published), hashes(listedFiles), 1<<20)
	var names []string
	for name := range listedFiles {
		names = append(names, name)
	}
	if err := fstest.TestFS(fsys, names...); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.ReadFile(fsys, "LICENCE.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not listed: %v", err)
	}
	if _, err := fsys.Open("../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a path outside: %v", err)
	}
	if _, err := fs.ReadDir(fsys, "docs"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	var found []string
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if !e.IsDir() {
			found = append(found, name)
		}
		return err
	})
	if diff := cmp.Diff(sortedKeys(listedFiles), found); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestListed_RefusesWhatIsNotInTheManifest(t *testing.T) {
	files := map[string]string{"a": "good", "b": "good", "big": strings.Repeat("x", 100), "d/e": "good"}
	sums := hashes(files)
	sums["gone"], sums["d"] = sums["a"], sums["a"]
	fsys := newListed(inMemory(with(files, map[string]string{"b": "bad"})), sums, 50)
	for name, want := range map[string]string{
		"b":    "the file has the SHA-256 " + hashOf([]byte("bad")) + ": expected " + sums["b"] + ", as in the manifest",
		"big":  "the file has more than 50 bytes",
		"gone": "file does not exist",
		"d":    "the file is a folder: expected a file",
		"none": "file does not exist",
	} {
		_, err := fsys.ReadFile(name)
		wants(t, err, want)
		if _, err := fsys.Open(name); err == nil && name != "d" {
			t.Errorf("%s was opened", name)
		}
	}
	if data, err := fsys.ReadFile("a"); string(data) != "good" || err != nil {
		t.Error(data, err)
	}
}

// Links, and what lies behind them, are refused even where they lead inside.
func TestReadRegular_RefusesLinksAndSpecialFiles(t *testing.T) {
	dir := onDisk(t, map[string]string{"a": "1", "d/b": "2"})
	for link, to := range map[string]string{"file": "a", "folder": "d", "loop": "loop", "outside": "/etc/passwd", "nowhere": "gone"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]string{
		"file":     "the file is a link: expected a file of its own",
		"folder":   "the file is a link",
		"folder/b": "folder is a link: expected a file of its own",
		"loop":     "the file is a link",
		"outside":  "the file is a link",
		"nowhere":  "the file is a link",
		"pipe":     "the file is a pipe: expected a file",
		"d":        "the file is a folder",
		"gone":     "no such file",
		"gone/x":   "no such file",
		"a/x":      "a is a link", // or anything else that is no folder
	} {
		_, err := readRegular(root.FS(), name, 10)
		wants(t, err, want)
		if strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error tells the folder: %v", name, err)
		}
	}
	if data, err := readRegular(root.FS(), "d/b", 10); string(data) != "2" || err != nil {
		t.Error(data, err)
	}
}
