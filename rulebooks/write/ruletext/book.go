package ruletext

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks"
	"github.com/einvoiced/einvoiced/rulebooks/lists"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// Book is a rulebook and the texts that its rules are made from.
type Book struct {
	Folder      string // below rulebooks/books
	Title       string // for people
	Namespaces  []sch.Namespace
	Base        []sch.Pattern     // patterns that come before those of the texts. Default: none
	Lent        []string          // texts of levels and messages of other rulebooks, of which the rules may use some
	Messages    []string          // texts of levels and messages; of several for one rule the last counts, before those that are lent
	Texts       []string          // texts of conditions, in their order
	Definitions map[string]string // as if each text of conditions had them
	Codes       []Codes           // variables of the schema with code lists
	Finish      func(*sch.Schema) // what is done to the schema in the end, such as other ids. Default: nothing
	Shared      map[string]string // id of a pattern to its file below rulebooks/shared, which several books include. Default: all are the book's own
}

// Codes is a variable of a rulebook that holds a code list.
type Codes struct {
	Variable      string
	List, Version string   // of package lists
	Variant       string   // of the list. Default: all of its codes
	Besides       []string // further values that count
	Pattern       string   // id of the pattern that the variable belongs to. Default: the schema
}

// Files makes the Schematron of books from the texts in a folder: path below the folder rulebooks, with slashes, to content. from
// names the folder of the texts, for the head of the files. Errors name the book; a message without its rule is one, too.
func Files(from string, texts fs.FS, books []Book) (map[string][]byte, error) {
	files := map[string][]byte{}
	words := map[string]Message{}
	var schemas []*sch.Schema
	for i := range books {
		b := &books[i]
		own, err := readMessages(texts, b.Messages)
		if err != nil {
			return nil, err
		}
		known, err := readMessages(texts, b.Lent)
		if err != nil {
			return nil, err
		}
		maps.Copy(known, own)
		schema, err := b.schema(from, texts, known)
		if err != nil {
			return nil, fmt.Errorf("rules of %s: %w", b.Folder, err)
		}
		maps.Copy(words, own)
		schemas = append(schemas, schema)
		if err := b.write(schema, files); err != nil {
			return nil, fmt.Errorf("rules of %s: %w", b.Folder, err)
		}
	}
	if unused := Unused(words, schemas...); len(unused) > 0 {
		return nil, fmt.Errorf("there are messages for rules that are not there: %q", unused)
	}
	return files, nil
}

// readMessages reads texts of messages, of which the last counts.
func readMessages(texts fs.FS, names []string) (map[string]Message, error) {
	words := map[string]Message{}
	for _, name := range names {
		text, err := fs.ReadFile(texts, name)
		if err != nil {
			return nil, err
		}
		read, err := Messages(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s, %w", name, err)
		}
		maps.Copy(words, read)
	}
	return words, nil
}

func (b *Book) schema(from string, texts fs.FS, words map[string]Message) (*sch.Schema, error) {
	s := &sch.Schema{
		Comment:    "made by go run ./rulebooks/write from the texts in " + from,
		Title:      b.Title,
		Namespaces: b.Namespaces,
		Patterns:   slices.Clone(b.Base),
	}
	if err := b.codes(s, ""); err != nil {
		return nil, err
	}
	source := Source{Files: texts, Messages: words, Definitions: b.Definitions}
	if err := source.Read(s, b.Texts...); err != nil {
		return nil, err
	}
	for i := range s.Patterns {
		if err := b.codes(s, s.Patterns[i].ID); err != nil {
			return nil, err
		}
	}
	if b.Finish != nil {
		b.Finish(s)
	}
	return s, nil
}

// codes adds the variables with code lists that belong to a pattern; the empty id stands for the schema.
func (b *Book) codes(s *sch.Schema, pattern string) error {
	lets := &s.Lets
	for i := range s.Patterns {
		if s.Patterns[i].ID == pattern {
			lets = &s.Patterns[i].Lets
		}
	}
	for _, c := range b.Codes {
		if c.Pattern != pattern {
			continue
		}
		value, err := c.value()
		if err != nil {
			return err
		}
		*lets = append(*lets, sch.Let{Name: c.Variable, Value: value})
	}
	return nil
}

// write puts the schema among the files: shared patterns into files of their own, which must be the same for all books that have them.
func (b *Book) write(s *sch.Schema, files map[string][]byte) error {
	own, all := *s, s.Patterns
	own.Patterns = nil
	for i := range all {
		file, shared := b.Shared[all[i].ID]
		if !shared {
			own.Patterns = append(own.Patterns, all[i])
			continue
		}
		text, name := all[i].Bytes(s.Comment), rulebooks.SharedFolder+"/"+file
		if other, made := files[name]; made && !bytes.Equal(other, text) {
			return fmt.Errorf("its pattern %s is not that of the other books with %s", all[i].ID, name)
		}
		files[name] = text
		own.Includes = append(own.Includes, name)
	}
	if len(own.Includes) != len(b.Shared) {
		return fmt.Errorf("it has %d of the %d patterns that it shares", len(own.Includes), len(b.Shared))
	}
	files["books/"+b.Folder+"/rules.sch"] = own.Bytes()
	return nil
}

// value gives the codes as an XPath sequence of strings.
func (c *Codes) value() (string, error) {
	list, err := lists.Open(c.List, c.Version)
	if err != nil {
		return "", err
	}
	values, err := list.Variant(c.Variant)
	if err != nil {
		return "", err
	}
	return "('" + strings.Join(slices.Concat(c.Besides, values), "', '") + "')", nil
}
