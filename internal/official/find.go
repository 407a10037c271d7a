package official

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// layouts are the folders that a path of a module may lie in below that of the module: in a check-out of phive-rules, in an
// unpacked jar, or as is.
var layouts = []string{"src/main/resources/external/schematron", "src/test/resources/external/rule-source", "external/schematron", "."}

// packed names the modules whose rule sets are in the jar of another.
var packed = map[string]string{"phive-rules-peppol-pint": "phive-rules-peppol"}

// Find gives the path of a form of a rule set, module:path, below one of the folders, a list like PATH; empty where none has it.
func Find(folders, form string) string {
	module, name, _ := strings.Cut(form, ":")
	if module == "" {
		return ""
	}
	for _, folder := range filepath.SplitList(folders) {
		for _, layout := range layouts {
			for _, in := range []string{module, cmp.Or(packed[module], module)} {
				file := filepath.Join(folder, in, layout, name)
				if _, err := os.Stat(file); err == nil {
					return file
				}
			}
		}
	}
	return ""
}

// Open gives the folder that a file of a rule set needs, and the name in it: the folder above its own, because XRechnung includes
// a file from there.
func Open(file string) (fs.FS, string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, "", fmt.Errorf("find %s: %w", file, err)
	}
	own, name := filepath.Split(file)
	own = filepath.Clean(own)
	return os.DirFS(filepath.Dir(own)), path.Join(filepath.Base(own), name), nil
}
