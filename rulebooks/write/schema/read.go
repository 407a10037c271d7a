package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// reader reads the text files of a table.
type reader struct {
	table    *table
	variant  string // that is wanted
	variants []string
	word     func(word string) error // what a word of an indented line means in the open block
	typ      *typ                    // that is open
	open     []*particle             // groups that are open, the type's content first
}

// source is a text file.
type source struct{ name, text string }

// read makes the table of a variant from its text files. Tables without variants have the variant "".
func read(variant string, files ...source) (*table, error) {
	r := &reader{variant: variant, table: &table{types: map[string]*typ{}, elements: map[string]string{}, identities: map[string][]identity{}}}
	for _, f := range files {
		n := 0
		for line := range strings.Lines(f.text) {
			n++
			if err := r.read(strings.TrimRightFunc(line, unicode.IsSpace)); err != nil {
				return nil, fmt.Errorf("%s line %d: %w", f.name, n, err)
			}
		}
		if err := r.end(); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if !slices.Contains(r.variants, variant) && variant != "" {
		return nil, fmt.Errorf("there is no variant %q", variant)
	}
	return r.table, nil
}

// read takes a line.
func (r *reader) read(line string) error {
	switch {
	case line == "" || line[0] == '#':
		return nil
	case line[0] != ' ':
		if err := r.end(); err != nil {
			return err
		}
		return r.header(strings.Fields(line))
	case r.word == nil:
		return fmt.Errorf("an indented line that belongs to nothing")
	case len(r.variants) > 0 && !strings.HasPrefix(line, "  <"):
		return r.row(words(line))
	}
	for _, word := range words(line) {
		if err := r.word(word); err != nil {
			return err
		}
	}
	return nil
}

// words splits a line at blanks that are not in quotes.
func words(line string) []string {
	var all []string
	quoted, from := false, 0
	for i := range len(line) {
		if line[i] == '"' {
			quoted = !quoted
		}
		if line[i] == ' ' && !quoted {
			all = append(all, line[from:i])
			from = i + 1
		}
	}
	return slices.DeleteFunc(append(all, line[from:]), func(w string) bool { return w == "" })
}

// row takes a line with a column for each variant: how often what it names occurs there.
func (r *reader) row(fields []string) error {
	if len(fields) != len(r.variants)+1 {
		return fmt.Errorf("%d fields instead of %d", len(fields), len(r.variants)+1)
	}
	occurs := fields[slices.Index(r.variants, r.variant)]
	switch occurs {
	case "-":
		return nil
	case "1":
		occurs = ""
	}
	return r.word(fields[len(fields)-1] + occurs)
}

// end closes the open block.
func (r *reader) end() error {
	if len(r.open) > 1 {
		return fmt.Errorf("a group of %s is not closed", r.typ.name)
	}
	r.typ, r.open, r.word = nil, nil, nil
	return nil
}

// header begins a block.
func (r *reader) header(f []string) error {
	switch {
	case f[0] == "namespace" && len(f) >= 3:
		r.table.spaces = append(r.table.spaces, &space{prefix: f[1], uri: f[2], with: f[3:]})
		return nil
	case f[0] == "unqualified" && len(f) == 2:
		return r.unqualified(f[1])
	case f[0] == "variants":
		if r.variants = f[1:]; !slices.Contains(r.variants, r.variant) {
			return fmt.Errorf("there is no variant %q", r.variant)
		}
		return nil
	case f[0] == "elements" && len(f) == 2:
		r.word = func(word string) error { return r.global(f[1], word) }
		return nil
	case f[0] == "identities" && len(f) == 2:
		r.word = func(word string) error { return r.identity(f[1], word) }
		return nil
	case f[0] == "values" && len(f) == 4 && f[2] == ":":
		r.word = func(word string) error { return r.value(f[1], word, f[3]) }
		return nil
	}
	return r.typeHeader(f)
}

// unqualified says that the elements of a namespace are in none, but for those of documents.
func (r *reader) unqualified(prefix string) error {
	for _, s := range r.table.spaces {
		if s.prefix == prefix {
			s.unqualified = true
			return nil
		}
	}
	return fmt.Errorf("the prefix %s is not declared", prefix)
}

// global takes a word NAME=TYPE.
func (r *reader) global(prefix, word string) error {
	local, typ, ok := strings.Cut(word, "=")
	if !ok {
		return fmt.Errorf("%s is not of the form NAME=TYPE", word)
	}
	return r.element(prefix+":"+local, typ)
}

// identity takes a word KIND;NAME;SELECTOR;FIELD, of a keyref with ;NAME of what it refers to.
func (r *reader) identity(element, word string) error {
	parts := strings.Split(word, ";")
	if refers := parts[0] == "keyref"; len(parts) != 4 && !refers || refers && len(parts) != 5 || !slices.Contains([]string{"unique", "key", "keyref"}, parts[0]) {
		return fmt.Errorf("%s is no identity constraint", word)
	}
	parts = append(parts, "")
	r.table.identities[element] = append(r.table.identities[element], identity{parts[0], parts[1], parts[2], parts[3], parts[4]})
	return nil
}

// value takes a word NAME: an element of the type NAMEType with the content of base.
func (r *reader) value(prefix, word, base string) error {
	x := &typ{name: prefix + ":" + word + "Type", base: base}
	if err := r.add(x); err != nil {
		return err
	}
	return r.element(prefix+":"+word, x.name)
}

func (r *reader) element(name, typ string) error {
	if r.table.elements[name] != "" {
		return fmt.Errorf("the element %s is there twice", name)
	}
	r.table.elements[name] = typ
	return nil
}

func (r *reader) add(x *typ) error {
	if r.table.types[x.name] != nil {
		return fmt.Errorf("the type %s is there twice", x.name)
	}
	if prefix, _ := split(x.name); !slices.ContainsFunc(r.table.spaces, func(s *space) bool { return s.prefix == prefix }) {
		return fmt.Errorf("the prefix of %s is not declared", x.name)
	}
	r.table.types[x.name] = x
	r.table.order = append(r.table.order, x)
	return nil
}

// typeHeader begins a type: [simple|mixed|abstract] NAME [: BASE | restricts BASE].
func (r *reader) typeHeader(f []string) error {
	x := &typ{content: &particle{min: 1, max: 1}}
	for ; len(f) > 1 && slices.Contains([]string{"simple", "mixed", "abstract"}, f[0]); f = f[1:] {
		x.simple, x.mixed, x.abstract = x.simple || f[0] == "simple", x.mixed || f[0] == "mixed", x.abstract || f[0] == "abstract"
	}
	x.name = f[0]
	switch {
	case len(f) == 1:
	case len(f) == 3 && (f[1] == ":" || f[1] == "restricts"):
		x.restricts, x.base = f[1] == "restricts", f[2]
	default:
		return fmt.Errorf("%s begins no block", strings.Join(f, " "))
	}
	r.typ, r.open, r.word = x, []*particle{x.content}, r.content
	return r.add(x)
}
