package facturx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// business is what rules.txt says.
type business struct {
	paths    []let // that stand for $NAME, each after those that it names
	lets     []let
	contexts []ruleContext
}

// let is a variable in some sets.
type let struct {
	name, value string
	in          limit
}

// ruleContext is a context with its variables and assertions in some sets.
type ruleContext struct {
	path       string
	in         limit
	lets       []let
	assertions []assertion
}

// assertion is a business rule, or a version of it.
type assertion struct {
	key        string // its name in ids.txt
	in         limit
	test, text string
}

// category is a row of categories.txt: what the letters after % stand for, without the %.
type category map[string]string

// categoryLetters are the columns of categories.txt.
const categoryLetters = "CNTAPVR"

func readCategories() (map[string]category, error) {
	all := map[string]category{}
	return all, eachRow("categories.txt", func(columns []string) error {
		if len(columns) != len(categoryLetters) {
			return fmt.Errorf("%d columns", len(columns))
		}
		c := category{}
		for i, letter := range categoryLetters {
			c[string(letter)] = columns[i]
		}
		all[columns[0]] = c
		return nil
	})
}

// repeat gives a line for the category.
func (c category) repeat(line string) string {
	if c["C"] == "O" {
		line = dropMarked(line)
	}
	return c.fill(strings.NewReplacer("<<", "", ">>", "").Replace(line))
}

// fill puts in what the names after % stand for, longer names first.
func (c category) fill(line string) string {
	names := slices.SortedFunc(maps.Keys(c), func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		line = strings.ReplaceAll(line, "%"+name, c[name])
	}
	return line
}

// dropMarked leaves out what stands between << and >>.
func dropMarked(line string) string {
	for {
		before, rest, found := strings.Cut(line, "<<")
		if !found {
			return line
		}
		_, after, _ := strings.Cut(rest, ">>")
		line = before + after
	}
}

// readBusiness reads rules.txt.
func readBusiness() (business, error) {
	categories, err := readCategories()
	if err != nil {
		return business{}, err
	}
	lines, err := logicalLines("rules.txt")
	if err != nil {
		return business{}, err
	}
	r := &businessReader{categories: categories, defined: category{}}
	for _, line := range lines {
		if err := r.line(line); err != nil {
			return business{}, fmt.Errorf("read rules.txt: %q: %w", line, err)
		}
	}
	return r.business, nil
}

// logicalLines gives the lines of a table, with those that go on in one, without comments.
func logicalLines(table string) ([]string, error) {
	text, err := tables.ReadFile(table)
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		more, goesOn := strings.CutPrefix(trimmed, "| ")
		switch {
		case trimmed == "", strings.HasPrefix(line, "#"):
		case goesOn && len(lines) > 0:
			lines[len(lines)-1] += " " + more
		default:
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// businessReader reads one line after the other.
type businessReader struct {
	business
	categories map[string]category
	defined    category
	block      []string // lines between categories and end
	repeat     []string // the categories of the block; nil outside
}

func (r *businessReader) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "end":
		repeat, block := r.repeat, r.block
		r.repeat, r.block = nil, nil
		return r.repeated(repeat, block)
	case r.repeat != nil:
		r.block = append(r.block, line)
		return nil
	case word == "categories":
		r.repeat = strings.Fields(rest)
		return nil
	case word == "define":
		name, text, _ := strings.Cut(rest, " = ")
		r.defined[name] = text
		return nil
	}
	return r.statement(line)
}

// repeated reads a block for each of its categories.
func (r *businessReader) repeated(codes, block []string) error {
	for _, code := range codes {
		c, known := r.categories[code]
		if !known {
			return fmt.Errorf("no category %s", code)
		}
		for _, line := range block {
			if err := r.statement(c.repeat(r.defined.fill(line))); err != nil {
				return err
			}
		}
	}
	return nil
}

// statement reads let, context, the id of an assertion, its test or its text, which differ in their first word and how far they
// are indented.
func (r *businessReader) statement(line string) error {
	trimmed := strings.TrimSpace(line)
	word, rest, _ := strings.Cut(trimmed, " ")
	switch indent := len(line) - len(strings.TrimLeft(line, " ")); {
	case word == "path":
		return addLet(&r.paths, rest)
	case word == "let" && indent == 0:
		return addLet(&r.lets, rest)
	case word == "context" && indent == 0:
		path, in, err := cutLimit(rest)
		r.contexts = append(r.contexts, ruleContext{path: path, in: in})
		return err
	case len(r.contexts) == 0:
	case word == "let":
		return addLet(&r.contexts[len(r.contexts)-1].lets, rest)
	case indent == 2:
		key, in, err := cutLimit(trimmed)
		c := &r.contexts[len(r.contexts)-1]
		c.assertions = append(c.assertions, assertion{key: key, in: in})
		return err
	case indent == 4 && r.detail(word, rest):
		return nil
	}
	return fmt.Errorf("it is none of the lines that there are")
}

// detail reads the test or text of the assertion before it.
func (r *businessReader) detail(word, rest string) bool {
	c := &r.contexts[len(r.contexts)-1]
	if len(c.assertions) == 0 {
		return false
	}
	a := &c.assertions[len(c.assertions)-1]
	switch word {
	case "test":
		a.test = rest
	case "text":
		a.text = rest
	default:
		return false
	}
	return true
}

// addLet reads NAME [sets] = VALUE.
func addLet(lets *[]let, text string) error {
	head, value, found := strings.Cut(text, " = ")
	if !found {
		return fmt.Errorf("no value")
	}
	name, in, err := cutLimit(head)
	*lets = append(*lets, let{name: name, value: value, in: in})
	return err
}

// cutLimit takes [1.07 1.08x] from the end of a text, which predicates do not look like.
func cutLimit(text string) (string, limit, error) {
	before, last, found := cutLast(text, " [")
	if !found || !strings.HasPrefix(last, "1.") || !strings.HasSuffix(last, "]") {
		return text, nil, nil
	}
	in, err := readLimit(strings.TrimSuffix(last, "]"))
	return before, in, err
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}
