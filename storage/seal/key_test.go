package seal

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestKeyTextIsChecked(t *testing.T) {
	good := NewKey()
	for name, text := range map[string]string{
		"one":                good,
		"white space around": " " + good + "\n",
		"two by a comma":     good + "," + NewKey(),
		"two by lines":       good + "\r\n" + NewKey() + "\n",
	} {
		if _, err := Open(Config{Key: text}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"white space alone": " \n",
		"a passphrase":      "correct horse battery staple",
		"31 bytes":          base64.StdEncoding.EncodeToString(make([]byte, 31)),
		"33 bytes":          base64.StdEncoding.EncodeToString(make([]byte, 33)),
		"no padding":        strings.TrimRight(good, "="),
		"hexadecimal":       strings.Repeat("0f", 32),
		"a bad second one":  good + ",x",
		"too many":          strings.Repeat(good+",", 17),
	} {
		_, err := Open(Config{Key: text})
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		for word := range strings.FieldsSeq(strings.ReplaceAll(text, ",", " ")) {
			if len(word) > 6 && strings.Contains(err.Error(), word) {
				t.Errorf("%s: the error tells the key: %v", name, err)
			}
		}
	}
}

func TestExactlyOnePlaceOfKeysIsNeeded(t *testing.T) {
	for name, cfg := range map[string]Config{
		"none": {},
		"both": {Key: NewKey(), KeyFile: filepath.Join(t.TempDir(), "key")},
	} {
		if _, err := Open(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestAbsentKeyFileIsMadeOnceForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "secret.key")
	var starts sync.WaitGroup
	sealers := make([]*Sealer, 8)
	for i := range sealers {
		starts.Go(func() {
			s, err := Open(Config{KeyFile: path})
			if err != nil {
				t.Error(err)
				return
			}
			sealers[i] = s
		})
	}
	starts.Wait()
	if t.Failed() {
		return
	}
	sealed := sealers[0].Seal([]byte("x"), "row")
	for i, s := range sealers {
		if _, err := s.Open(sealed, "row"); err != nil {
			t.Errorf("process %d has another key: %v", i, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v, want 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("beside the key are left %v, error %v", left, err)
	}
}

func TestKeyFileThatOthersCanReadIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(NewKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o620: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Config{KeyFile: path}); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %04o: error %v", mode, err)
		}
	}
}

func TestKeyFileThatIsNoneIsRefused(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "words": "no key at all", "huge": strings.Repeat(" ", 5000)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Config{KeyFile: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v does not name the file", name, err)
		}
	}
	if _, err := Open(Config{KeyFile: dir}); err == nil {
		t.Error("a folder: accepted")
	}
	if _, err := Open(Config{KeyFile: filepath.Join(dir, "empty", "key")}); err == nil {
		t.Error("a path through a file: accepted")
	}
}
