package finding

import (
	_ "embed"
	"strings"
	"sync"
)

// codes is the catalogue: under headings, a line for each code with its name in Go, what it is and what it means. The constants
// in codes.go, the list in docs/codes.md and the enumeration in the description of the interface are made of it, by
// go test ./core/finding -update.
//
//go:embed codes.txt
var codes string

// Entry says what a code means.
type Entry struct {
	Code     string
	Severity Severity
	Meaning  string // one line, for the documentation
	Group    string // a sentence about the codes that stand together
	name     string // of the constant
}

// catalogue reads the list once.
var catalogue = sync.OnceValue(func() []Entry {
	var list []Entry
	group := ""
	for line := range strings.Lines(codes) {
		line = strings.TrimSpace(line)
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			group = heading
			continue
		}
		if f := strings.SplitN(line, " ", 4); len(f) == 4 {
			severity := map[string]Severity{"error": Fatal, "warning": Warning}[f[2]]
			list = append(list, Entry{Code: f[0], Severity: severity, Meaning: f[3], Group: group, name: f[1]})
		}
	}
	return list
})

// Catalogue lists every code of this package with its meaning. The caller must not change it.
func Catalogue() []Entry { return catalogue() }

// Find gives the entry of a code.
func Find(code string) (Entry, bool) {
	for _, e := range catalogue() {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}
