//go:build corpus

package xpath

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// environment is what a test runs in.
type environment struct {
	Name       string `xml:"name,attr"`
	Ref        string `xml:"ref,attr"`
	Namespaces []struct {
		Prefix string `xml:"prefix,attr"`
		URI    string `xml:"uri,attr"`
	} `xml:"namespace"`
	Sources []struct {
		Role       string `xml:"role,attr"`
		File       string `xml:"file,attr"`
		URI        string `xml:"uri,attr"`
		Validation string `xml:"validation,attr"`
	} `xml:"source"`
	Params []struct {
		Name   string `xml:"name,attr"`
		Select string `xml:"select,attr"`
	} `xml:"param"`
	Schemas     []struct{} `xml:"schema"`
	Collections []struct{} `xml:"collection"`
	Collations  []struct{} `xml:"collation"`
	StaticBase  *struct {
		URI string `xml:"uri,attr"`
	} `xml:"static-base-uri"`
	ContextItem *struct {
		Select string `xml:"select,attr"`
	} `xml:"context-item"`
	dir string
}

func asItIs(_ string, r io.Reader) (io.Reader, error) { return r, nil }

// run is a test under way.
type caseRun struct {
	env      *environment
	suite    string
	dir      string
	builder  *Builder
	static   *Static
	program  *Program
	machine  *Machine
	external map[string]*Variable
	root     *xmltree.Document
	context  []xdm.Item

	contradiction error // between the result and what was known of it
}

// suiteURI is where the suite's files are said to be; noBase stands for a missing base URI.
const (
	suiteURI = "http://www.w3.org/fots/"
	noBase   = "#UNDEFINED"
)

// runCase runs a test and compares its result.
func (s *suite) runCase(c *testCase, e *environment, dir string) error {
	r := &caseRun{env: e, suite: s.dir, dir: filepath.Join(s.dir, dir), builder: NewBuilder(), external: map[string]*Variable{},
		static: &Static{Namespaces: map[string]string{}, BaseURI: suiteURI + dir + "/"}}
	for _, n := range e.Namespaces {
		if n.Prefix == "" {
			r.static.DefaultElement = n.URI
		}
		r.static.Namespaces[n.Prefix] = n.URI
	}
	if e.StaticBase != nil {
		if r.static.BaseURI = e.StaticBase.URI; r.static.BaseURI == noBase {
			r.static.BaseURI = ""
		}
	}
	items, err := r.evaluate(c.Test.Text)
	if r.contradiction != nil {
		return r.contradiction
	}
	for _, a := range c.Result.Assertions {
		if failure := r.check(&a, items, err); failure != nil {
			return fmt.Errorf("%w\n        in %s", failure, strings.TrimSpace(c.Test.Text))
		}
	}
	return nil
}

// evaluate compiles and evaluates the test's expression.
func (r *caseRun) evaluate(source string) ([]xdm.Item, error) {
	r.static.Variables = map[string]*Variable{}
	for _, p := range r.env.Params {
		r.external[p.Name] = r.builder.External(p.Name)
		r.static.Variables[p.Name] = r.external[p.Name]
	}
	for _, source := range r.env.Sources {
		if name, ok := strings.CutPrefix(source.Role, "$"); ok {
			r.external[name] = r.builder.External(name)
			r.static.Variables[name] = r.external[name]
		}
	}
	e, err := r.builder.Compile(source, r.static)
	if err != nil {
		return nil, err
	}
	r.program = r.builder.Build()
	if err := r.start(); err != nil {
		return nil, err
	}
	items, err := r.items(e)
	if err == nil {
		r.contradiction = contradiction(e, items)
	}
	return items, err
}

// items evaluates the expression with the context item of the environment.
func (r *caseRun) items(e *Expr) ([]xdm.Item, error) {
	if r.root != nil {
		return e.Items(r.machine, 0, nil)
	}
	if r.context != nil {
		r.machine.item = r.context[0]
	} else {
		r.machine.pos, r.machine.size = 0, 0
	}
	return e.ItemsAbsent(r.machine, nil)
}

// start makes the machine and gives it documents and variables.
func (r *caseRun) start() error {
	config := Config{Now: time.Date(2024, 2, 29, 12, 30, 45, 123e6, time.FixedZone("", -5*3600)), Load: r.load}
	for _, source := range r.env.Sources {
		if source.Role == "." {
			config.URI = r.sourceURI(source.File, source.URI)
		}
	}
	var err error
	if r.machine, err = r.program.NewMachine(config); err != nil {
		return err
	}
	doc := emptyDocument
	for _, source := range r.env.Sources {
		if source.Role == "." {
			if r.root, err = r.file(source.File); err != nil {
				return err
			}
			doc = r.root
		}
	}
	r.machine.Start(context.Background(), doc)
	for _, source := range r.env.Sources {
		if name, ok := strings.CutPrefix(source.Role, "$"); ok {
			item, err := r.machine.Load(r.sourceURI(source.File, source.URI))
			if err != nil {
				return err
			}
			r.machine.Set(r.external[name], []xdm.Item{item})
		}
	}
	for _, p := range r.env.Params {
		items, err := r.constant(p.Select)
		if err != nil {
			return err
		}
		r.machine.Set(r.external[p.Name], items)
	}
	if r.env.ContextItem != nil {
		r.context, err = r.constant(r.env.ContextItem.Select)
	}
	return err
}

var emptyDocument, _ = xmltree.Parse([]byte("<empty/>"), xmltree.Options{})

// constant evaluates an expression without context.
func (r *caseRun) constant(source string) ([]xdm.Item, error) {
	b := NewBuilder()
	e, err := b.Compile(source, r.static)
	if err != nil {
		return nil, err
	}
	m, err := b.Build().NewMachine(Config{})
	if err != nil {
		return nil, err
	}
	m.Start(context.Background(), emptyDocument)
	return e.ItemsAbsent(m, nil)
}

func (r *caseRun) sourceURI(file, uri string) string {
	if uri != "" {
		return uri
	}
	return "file://" + filepath.ToSlash(filepath.Join(r.env.dir, file))
}

// load finds the document with a URI among the sources and beside the test.
func (r *caseRun) load(uri string) (*xmltree.Document, error) {
	for _, source := range r.env.Sources {
		if r.sourceURI(source.File, source.URI) == uri || source.URI == uri {
			return r.file(source.File)
		}
	}
	if name, ok := strings.CutPrefix(uri, suiteURI); ok {
		return parseLoosely(filepath.Join(r.suite, name))
	}
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return parseLoosely(u.Path)
	}
	return nil, errors.New("no such document")
}

func (r *caseRun) file(name string) (*xmltree.Document, error) {
	return parseLoosely(filepath.Join(r.env.dir, name))
}

var (
	doctype = regexp.MustCompile(`(?s)<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>`)
	entity  = regexp.MustCompile(`<!ENTITY\s+(\S+)\s+["']([^"']*)["']\s*>`)
)

// parseLoosely parses a document whose DTD, if it has one, only declares entities that matter.
func parseLoosely(file string) (*xmltree.Document, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text := string(b)
	if at := doctype.FindStringIndex(text); at != nil {
		subset := text[at[0]:at[1]]
		text = text[:at[0]] + text[at[1]:]
		for _, e := range entity.FindAllStringSubmatch(subset, -1) {
			text = strings.ReplaceAll(text, "&"+e[1]+";", e[2])
		}
	}
	return xmltree.Parse([]byte(text), xmltree.Options{})
}
