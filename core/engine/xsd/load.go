package xsd

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// source is a schema document in one of its readings: a document without target namespace is read anew for each namespace
// that includes it (XML Schema part 1, clause 4.2.1).
type source struct {
	path      string
	doc       *xmltree.Document
	root      xmltree.Node
	target    string
	chameleon bool // names without namespace are in target
	entry     bool
	imports   map[string]bool
	missing   []string // files it names that are not there
}

// redefinition is a redefine element with the document whose components it changes (clause 4.2.2).
type redefinition struct {
	in, of *source
	node   xmltree.Node
}

// loader reads schema documents and those they name.
type loader struct {
	fsys          fs.FS
	options       Options
	parser        *xmltree.Parser
	files         map[string]*file
	sources       map[[2]string]*source // by path and target namespace
	order         []*source
	redefinitions []redefinition
	folder        []string // all schema files of fsys, when they have been looked for
	faults        SchemaErrors
}

// file is a file that has been read, with what came of it.
type file struct {
	data    []byte
	err     error
	doc     *xmltree.Document // nil before parsing and where that failed
	fault   error
	checked bool // doc has been checked as a schema document
}

func newLoader(fsys fs.FS, opt Options) (*loader, error) {
	parser, err := xmltree.NewParser(xmltree.Options{Limits: opt.Limits, InternalSubset: true})
	if err != nil {
		return nil, err
	}
	return &loader{
		fsys: fsys, options: opt, parser: parser,
		files: map[string]*file{}, sources: map[[2]string]*source{},
	}, nil
}

func (l *loader) fault(file string, line int, format string, args ...any) {
	if !l.full() {
		l.faults = append(l.faults, &SchemaError{file, line, fmt.Sprintf(format, args...)})
	}
}

// full tells whether as many faults as are wanted have been found.
func (l *loader) full() bool { return len(l.faults) >= maxSchemaErrors }

func (s *source) line(n xmltree.Node) int {
	line, _ := s.doc.Position(n)
	return line
}

func (s *source) attr(n xmltree.Node, local string) (string, bool) {
	b, ok := s.doc.AttrValue(n, local)
	return string(trimBlank(b)), ok
}

// entry loads a file that Compile was asked for.
func (l *loader) entry(file string) {
	doc, err := l.document(file)
	if err != nil {
		l.fault(file, 0, "%s", err)
		return
	}
	if doc != nil {
		l.source(file, doc, targetOf(doc)).entry = true
	}
}

func targetOf(doc *xmltree.Document) string {
	b, _ := doc.AttrValue(doc.Root(), "targetNamespace")
	return string(trimBlank(b))
}

// read gives the content of a file, read once.
func (l *loader) read(name string) *file {
	f := l.files[name]
	if f == nil {
		f = &file{}
		f.data, f.err = fs.ReadFile(l.fsys, name)
		l.files[name] = f
	}
	return f
}

func (l *loader) parse(f *file) {
	if f.doc == nil && f.fault == nil && f.err == nil {
		f.doc, f.fault = l.parser.Parse(f.data)
	}
}

// document parses a file and checks it as a schema document; nil without error when it has faults, which are noted then.
func (l *loader) document(name string) (*xmltree.Document, error) {
	f := l.read(name)
	if f.err != nil || f.checked {
		return f.doc, f.err
	}
	l.parse(f)
	f.checked = true
	var parseError *xmltree.Error
	switch {
	case errors.As(f.fault, &parseError):
		l.fault(name, parseError.Line, "%s", parseError.Message)
		return nil, nil
	case f.fault != nil:
		return nil, f.fault
	}
	violations := schemaForSchemas().faults(f.doc)
	for _, v := range violations {
		l.fault(name, v.Line, "%s", v.Message)
	}
	if len(violations) > 0 {
		f.doc = nil
	}
	return f.doc, nil
}

// source reads a document for a target namespace and loads what it names. It is known before what it names is loaded, so that
// documents that include each other come to an end.
func (l *loader) source(file string, doc *xmltree.Document, target string) *source {
	key := [2]string{file, target}
	if s := l.sources[key]; s != nil {
		return s
	}
	s := &source{path: file, doc: doc, root: doc.Root(), target: target, imports: map[string]bool{}}
	s.chameleon = target != targetOf(doc)
	if _, says := s.attr(s.root, "targetNamespace"); says && targetOf(doc) == "" {
		l.fault(file, s.line(s.root), "targetNamespace must not be empty")
	}
	l.sources[key] = s
	l.order = append(l.order, s)
	first, end := doc.Children(s.root)
	for c := first; c < end; c = doc.End(c) {
		if doc.Kind(c) != xmltree.KindElement {
			continue
		}
		switch doc.Local(c) {
		case "include":
			l.include(s, c)
		case "redefine":
			if of := l.include(s, c); of != nil {
				l.redefinitions = append(l.redefinitions, redefinition{s, of, c})
			}
		case "import":
			l.importNamed(s, c)
		}
	}
	return s
}

// resolve gives the path of a file named by a document; ok is false for what is outside the folder.
func (s *source) resolve(location string) (file string, ok bool) {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return "", false
	}
	file = path.Join(path.Dir(s.path), u.Path)
	return file, fs.ValidPath(file)
}

// include loads the document that an include or redefine names; nil when there is none.
func (l *loader) include(s *source, n xmltree.Node) *source {
	location, _ := s.attr(n, "schemaLocation")
	file, ok := s.resolve(location)
	if !ok {
		s.missing = append(s.missing, location)
		return nil
	}
	doc, err := l.document(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.missing = append(s.missing, location)
		return nil
	case err != nil:
		l.fault(s.path, s.line(n), "read %s: %s", file, err)
	case doc == nil:
	case targetOf(doc) != "" && targetOf(doc) != s.target:
		l.fault(s.path, s.line(n), "%s has the target namespace %q and cannot be included in %q", file, targetOf(doc), s.target)
	default:
		return l.source(file, doc, s.target)
	}
	return nil
}

// importNamed loads the document for the namespace of an import.
func (l *loader) importNamed(s *source, n xmltree.Node) {
	space, named := s.attr(n, "namespace")
	s.imports[space] = true
	switch {
	case named && space == "":
		l.fault(s.path, s.line(n), "the namespace of an import must not be empty")
		return
	case space == s.target:
		l.fault(s.path, s.line(n), "a schema cannot import its own target namespace")
		return
	}
	location, _ := s.attr(n, "schemaLocation")
	file, ok := s.resolve(location)
	var doc *xmltree.Document
	err := fs.ErrNotExist
	if location != "" && ok {
		doc, err = l.document(file)
	}
	if errors.Is(err, fs.ErrNotExist) && !l.options.OnlyLocated {
		if file = l.nearest(s, space); file != "" {
			doc, err = l.document(file)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.missing = append(s.missing, location)
	case err != nil:
		l.fault(s.path, s.line(n), "read %s: %s", file, err)
	case doc == nil:
	case targetOf(doc) != space:
		l.fault(s.path, s.line(n), "%s has the target namespace %q instead of %q", file, targetOf(doc), space)
	default:
		l.source(file, doc, space)
	}
}
