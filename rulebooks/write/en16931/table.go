package en16931

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// table is a file of lines: comments and empty lines are passed over, those that begin with let give a name to a text, which
// stands for it from then on where # comes before it.
type table struct {
	file  string
	lines []string
	line  int // number of the current one, from 1
	text  string
	names map[string]string
	fault error
}

func readTable(fsys fs.FS, file string) (*table, error) {
	data, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	return &table{file: file, lines: strings.Split(string(data), "\n"), names: map[string]string{}}, nil
}

// next goes on to the next line that says something.
func (t *table) next() bool {
	for t.line < len(t.lines) {
		t.text = t.lines[t.line]
		t.line++
		definition, isLet := strings.CutPrefix(t.text, "let ")
		switch {
		case isLet:
			name, text, _ := strings.Cut(definition, " ")
			t.names["#"+name] = text
		case t.text != "" && !strings.HasPrefix(t.text, "#"):
			return true
		}
	}
	return false
}

func (t *table) place() string { return fmt.Sprintf("%s:%d", t.file, t.line) }

// field takes the first word off the line.
func (t *table) field() string {
	word, rest, _ := strings.Cut(t.text, " ")
	t.text = rest
	return word
}

// expression takes the line up to the words for people, with all names resolved.
func (t *table) expression() string {
	text, words, _ := strings.Cut(t.text, " -- ")
	t.text = words
	return t.resolve(text)
}

// words gives what is left of the line, a text for people.
func (t *table) words() string { return t.resolve(t.text) }

// name is a name that a table gave to a text.
var name = regexp.MustCompile(`#[A-Z-]+`)

// resolve puts the texts in the place of names. One that is not known is a fault of the line.
func (t *table) resolve(text string) string {
	return name.ReplaceAllStringFunc(text, func(name string) string {
		meant, ok := t.names[name]
		if !ok && t.fault == nil {
			t.fault = fmt.Errorf("the name %s is not known", name)
		}
		return meant
	})
}
