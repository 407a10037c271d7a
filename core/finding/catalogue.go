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
			severity := map[string]Severity{"error": Fatal, "warning": Warning, "information": Information}[f[2]]
			list = append(list, Entry{Code: f[0], Severity: severity, Meaning: f[3], Group: group, name: f[1]})
		}
	}
	return list
})

// Catalogue lists every code of this package with its meaning. The caller must not change it.
func Catalogue() []Entry { return catalogue() }

// contract is the list of the other codes that contract and supplement name: under headings, a line for each code with the test that has
// it given, or why it is not used, and what it means.
//
//go:embed contract.txt
var contract string

// Known is a code that contract or supplement name and Catalogue does not have: a word of the member error, a house code, or the id of a
// finding that no standard's rule has.
type Known struct {
	Code    string
	Shown   string // the test that has it given, or "not used, because …"
	Meaning string // one line; empty where nobody says it
	Group   string // a sentence about the codes that stand together
}

// known reads the list once.
var known = sync.OnceValue(func() []Known {
	var list []Known
	group := ""
	for line := range strings.Lines(contract) {
		line = strings.TrimSuffix(line, "\n")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			group = heading
			continue
		}
		if f := strings.SplitN(line, "\t", 3); len(f) == 3 {
			list = append(list, Known{f[0], f[1], f[2], group})
		}
	}
	return list
})

// Contract lists the codes that contract or supplement name and Catalogue does not have, and those of Catalogue that are ids of findings.
// The caller must not change it.
func Contract() []Known { return known() }

// Unused tells whether no operation gives the code.
func (k Known) Unused() bool { return strings.HasPrefix(k.Shown, "not used, because ") }

// FindKnown gives the entry of a code of Contract, in any case of letters.
func FindKnown(code string) (Known, bool) {
	for _, k := range known() {
		if strings.EqualFold(k.Code, code) {
			return k, true
		}
	}
	return Known{}, false
}

// Find gives the entry of a code.
func Find(code string) (Entry, bool) {
	for _, e := range catalogue() {
		if e.Code == code {
			return e, true
		}
	}
	return Entry{}, false
}
