// Package lists holds code lists as data: a folder for each list, and in it a file for each version. Rulebooks and Go tables are
// made from them by generators, so that a list stands in one place. It imports nothing of ours.
//
// A file begins with a header, a key and its value a line, up to an empty line:
//
//	title: Countries (ISO 3166-1 alpha-2)
//	version: EN 16931 1.3.16
//	base: en16931-1.3.15
//	source: where the codes come from
//
// Then there is a code a line, which a name for people may follow. Rule sets differ in what they take of a list: codes below a
// heading such as [ubl] or [invoice cii] belong to these variants of the list only, those above the first heading to all. With a
// base, which is the name of another version, the file holds the differences: codes that come in, and with a minus those that go.
package lists

import (
	"bufio"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed */*.txt
var embedded embed.FS

// List is one version of a code list.
type List struct {
	Name    string // such as iso-4217: the name of its folder
	Version string // such as en16931-1.3.16: the name of its file
	Title   string // for people
	Edition string // the version for people
	Source  string // for people
	Codes   []Code // in the order of the file; with a base, those that come in last

	base     string
	removed  map[string]bool
	variants map[string]bool
}

// Code is an entry of a list.
type Code struct {
	Code     string
	Name     string   // for people; may be empty
	Variants []string // the variants that have it; none: all
}

// Open gives the list of a name and version. The error names the file, and the line where there is one.
func Open(name, version string) (*List, error) { return open(embedded, name, version, nil) }

// All gives all versions of all lists, by name and version.
func All() ([]*List, error) {
	files, err := fs.Glob(embedded, "*/*.txt")
	if err != nil {
		return nil, err
	}
	var all []*List
	for _, file := range files {
		l, err := Open(path.Dir(file), strings.TrimSuffix(path.Base(file), ".txt"))
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// Variant gives the codes of a variant; the empty name stands for a list without variants. Each error tells which there are.
func (l *List) Variant(variant string) ([]string, error) {
	if variant == "" && len(l.variants) > 0 || variant != "" && !l.variants[variant] {
		return nil, fmt.Errorf("code list %s %s has no variant %q: it has %q", l.Name, l.Version, variant, slices.Sorted(maps.Keys(l.variants)))
	}
	var codes []string
	for _, c := range l.Codes {
		if len(c.Variants) == 0 || slices.Contains(c.Variants, variant) {
			codes = append(codes, c.Code)
		}
	}
	return codes, nil
}

// open reads a list; from are the versions that rest on it.
func open(fsys fs.FS, name, version string, from []string) (*List, error) {
	file := path.Join(name, version+".txt")
	if slices.Contains(from, version) {
		return nil, fmt.Errorf("%s rests on itself", file)
	}
	data, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, fmt.Errorf("read code list: %w", err)
	}
	l := &List{Name: name, Version: version, removed: map[string]bool{}, variants: map[string]bool{}}
	if line, err := l.parse(data); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	if l.base == "" {
		return l, l.check(file)
	}
	base, err := open(fsys, name, l.base, append(from, version))
	if err != nil {
		return nil, err
	}
	return l, l.onto(base, file)
}

// parse takes in the lines of a file; the error belongs to the line.
func (l *List) parse(data []byte) (line int, err error) {
	header, variants := true, []string(nil)
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan() && err == nil; {
		line++
		switch text := s.Text(); {
		case text == "":
			header = false
		case header:
			err = l.header(text)
		case strings.HasPrefix(text, "["):
			variants = strings.Fields(strings.Trim(text, "[]"))
			for _, v := range variants {
				l.variants[v] = true
			}
		default:
			err = l.entry(text, variants)
		}
	}
	return line, err
}

func (l *List) header(text string) error {
	key, value, _ := strings.Cut(text, ": ")
	to, ok := map[string]*string{"title": &l.Title, "version": &l.Edition, "source": &l.Source, "base": &l.base}[key]
	if !ok || value == "" {
		return fmt.Errorf("%q is no line of a header: expected title, version, source or base, a colon and a value", text)
	}
	*to = value
	return nil
}

func (l *List) entry(text string, variants []string) error {
	if code, minus := strings.CutPrefix(text, "-"); minus {
		l.removed[code] = true
		return nil
	}
	code, name, _ := strings.Cut(text, " ")
	if code == "" || strings.ContainsAny(code, "'\"&<\t") {
		return fmt.Errorf("%q is no code", text)
	}
	if slices.ContainsFunc(l.Codes, func(c Code) bool { return c.Code == code }) {
		return fmt.Errorf("the code %s is there twice", code)
	}
	l.Codes = append(l.Codes, Code{code, name, variants})
	return nil
}

// onto puts the codes upon those of a base.
func (l *List) onto(base *List, file string) error {
	own := l.Codes
	l.Codes = nil
	for _, c := range base.Codes {
		if !l.removed[c.Code] {
			l.Codes = append(l.Codes, c)
		}
		delete(l.removed, c.Code)
	}
	for _, c := range own {
		if slices.ContainsFunc(l.Codes, func(b Code) bool { return b.Code == c.Code }) {
			return fmt.Errorf("%s: its base has the code %s", file, c.Code)
		}
	}
	l.Codes = append(l.Codes, own...)
	maps.Copy(l.variants, base.variants)
	return l.check(file)
}

// check holds what a list must have in the end.
func (l *List) check(file string) error {
	if len(l.removed) > 0 {
		return fmt.Errorf("%s: there is no base with the codes %q", file, slices.Sorted(maps.Keys(l.removed)))
	}
	if l.Title == "" || l.Edition == "" || l.Source == "" || len(l.Codes) == 0 {
		return fmt.Errorf("%s: expected title, version, source and codes", file)
	}
	return nil
}
