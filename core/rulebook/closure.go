package rulebook

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
)

// resolve gives the file that a relative reference in a file means; ok is false for references that are no path inside the
// source.
func resolve(name, reference string) (target string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(reference))
	if err != nil || u.IsAbs() || u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return "", false
	}
	target = path.Join(path.Dir(name), u.Path)
	return target, validFile(target)
}

// codeLists are calls of document() and doc() with a literal file (XSLT 2.0, 16.1; XPath functions, 15.5.4).
var codeLists = regexp.MustCompile(`\bdoc(?:ument)?\(\s*(?:'([^']*)'|"([^"]*)")`)

// ruleFiles gives the files of a rule set: those that its reader opens, and those that its expressions name. missing lists the
// latter where they are not there.
func (s *source) ruleFiles(set *schematron.Ruleset) (files []string, missing []absence) {
	files = slices.Clone(set.Files)
	for _, e := range expressions(set) {
		for _, call := range codeLists.FindAllStringSubmatch(e.Text, -1) {
			target, ok := resolve(e.File, call[1]+call[2])
			switch {
			case ok && s.has(target):
				files = append(files, target)
			case call[1]+call[2] != "":
				missing = append(missing, absence{call[1] + call[2], fmt.Sprint(e.Place)})
			}
		}
	}
	return files, missing
}

// absence is something that the source does not have, and a place that refers to it.
type absence struct{ what, place string }

// notes says what is not there, each thing once.
func notes(missing []absence) []string {
	var order, all []string
	first, count := map[string]string{}, map[string]int{}
	for _, a := range missing {
		if count[a.what]++; count[a.what] == 1 {
			order, first[a.what] = append(order, a.what), a.place
		}
	}
	for _, what := range order {
		note := fmt.Sprintf("%s is not in the source; %s refers to it", what, first[what])
		if n := count[what]; n > 1 {
			note = fmt.Sprintf("%s is not in the source; places that refer to it: %d, the first %s", what, n, first[what])
		}
		all = append(all, note)
	}
	return all
}

// ambiguousNotes says that patterns give a parameter two values, of which the first was taken.
func ambiguousNotes(set *schematron.Ruleset) []string {
	if len(set.Ambiguous) == 0 {
		return nil
	}
	first := set.Ambiguous[0]
	return []string{fmt.Sprintf("parameters that a pattern gives two different values: %d, the first $%s at %s; the first value counts, as the ISO skeleton has it: "+
		"import with --parameters last where the publisher's own tools take the last, as those of EN 16931 CII do", len(set.Ambiguous), first.Name, first.Place)}
}

// expressions lists the expressions of a rule set.
func expressions(set *schematron.Ruleset) []schematron.Expression {
	var all []schematron.Expression
	lets := func(lets []schematron.Let) {
		for _, l := range lets {
			all = append(all, l.Value)
		}
	}
	message := func(parts []schematron.Part) {
		for _, p := range parts {
			if !p.IsText() {
				all = append(all, p.Select)
			}
		}
	}
	lets(set.Lets)
	for _, f := range set.Functions {
		all = appendBody(all, f.Body)
	}
	for _, p := range set.Phases {
		lets(p.Lets)
	}
	for _, p := range set.Patterns {
		lets(p.Lets)
		for _, r := range p.Rules {
			all = append(all, r.Context)
			lets(r.Lets)
			for _, a := range r.Assertions {
				all = append(all, a.Test)
				message(a.Message)
				for _, d := range a.Diagnostics {
					message(d.Message)
				}
			}
		}
	}
	return all
}

func appendBody(all []schematron.Expression, body []schematron.Instruction) []schematron.Expression {
	for _, i := range body {
		switch i := i.(type) {
		case *schematron.Variable:
			if i.Select != nil {
				all = append(all, *i.Select)
			}
			all = appendBody(all, i.Body)
		case *schematron.Sequence:
			all = append(all, i.Select)
		case *schematron.ValueOf:
			all = append(all, i.Select)
		case *schematron.Choose:
			for _, w := range i.When {
				all = appendBody(append(all, w.Test), w.Body)
			}
			all = appendBody(all, i.Otherwise)
		}
	}
	return all
}

// schemaFiles gives the files of a schema: what it includes, imports and redefines, and so on. An import without a file, or
// with one that is not in the source, takes the nearest file with its namespace; missing lists those without any.
func (s *source) schemaFiles(entry string) (files []string, missing []absence, err error) {
	files = []string{entry}
	for i := 0; i < len(files); i++ {
		doc, err := s.schema(files[i])
		if err != nil {
			return nil, nil, err
		}
		for _, child := range schemaReferences(doc) {
			targets, err := s.targets(files[i], child)
			if err != nil {
				return nil, nil, err
			}
			if len(targets) == 0 {
				missing = append(missing, absence{fmt.Sprintf("a file for the %s of %q", child.kind, child.what()), files[i]})
			}
			for _, target := range targets {
				if !slices.Contains(files, target) {
					files = append(files, target)
				}
			}
		}
	}
	return files, missing, nil
}

// schema parses a file that must be a schema.
func (s *source) schema(name string) (*xmltree.Document, error) {
	if !s.has(name) {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	data, err := s.read(name)
	if err != nil {
		return nil, err
	}
	doc, err := s.parser.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if root := doc.Root(); doc.Namespace(root) != xsdNamespace || doc.Local(root) != "schema" {
		return nil, fmt.Errorf("%s: the document element is %s: expected xs:schema", name, doc.QName(root))
	}
	return doc, nil
}

// schemaReference is an include, import or redefine (XML Schema part 1, clause 4.2).
type schemaReference struct{ kind, location, namespace string }

func (r schemaReference) what() string {
	if r.location != "" {
		return r.location
	}
	return r.namespace
}

func schemaReferences(doc *xmltree.Document) []schemaReference {
	var all []schemaReference
	first, end := doc.Children(doc.Root())
	for n := first; n < end; n = doc.End(n) {
		if kind := doc.Local(n); doc.Namespace(n) == xsdNamespace && slices.Contains([]string{"include", "import", "redefine"}, kind) {
			location, _ := doc.AttrValue(n, "schemaLocation")
			namespace, _ := doc.AttrValue(n, "namespace")
			all = append(all, schemaReference{kind, string(location), string(namespace)})
		}
	}
	return all
}

// targets gives the files that a reference in a schema means, several where it does not say which.
func (s *source) targets(name string, r schemaReference) ([]string, error) {
	if target, ok := resolve(name, r.location); ok && s.has(target) {
		return []string{target}, nil
	}
	if r.kind != "import" {
		return nil, nil
	}
	schemas, err := s.schemas()
	if err != nil {
		return nil, err
	}
	candidates := func(included bool) (names []string) {
		for _, other := range schemas {
			if other.namespace == r.namespace && other.included == included {
				names = append(names, other.name)
			}
		}
		return names
	}
	if own := candidates(false); len(own) > 0 {
		return nearest(name, own), nil
	}
	return nearest(name, candidates(true)), nil // they include each other
}

// nearest gives the files that share the most folders with one.
func nearest(name string, others []string) (nearest []string) {
	most := 0
	for _, other := range others {
		most = max(most, xsd.SharedFolders(name, other))
	}
	for _, other := range others {
		if xsd.SharedFolders(name, other) == most {
			nearest = append(nearest, other)
		}
	}
	return nearest
}

// schemaInfo is what the search by namespace needs to know about a schema.
type schemaInfo struct {
	name, namespace string
	included        bool // by another one, which then stands for it
}

// schemas lists the schemas of the source. Files that are none are left out.
func (s *source) schemas() ([]schemaInfo, error) {
	if s.listed != nil {
		return s.listed, nil
	}
	included := map[string]bool{}
	for _, name := range s.with(".xsd") {
		doc, ok, err := s.parse(name)
		if err != nil {
			return nil, err
		}
		if !ok || doc.Namespace(doc.Root()) != xsdNamespace {
			continue
		}
		space, _ := doc.AttrValue(doc.Root(), "targetNamespace")
		s.listed = append(s.listed, schemaInfo{name: name, namespace: string(space)})
		for _, other := range references(doc, name, xsdNamespace, "schemaLocation", "include", "redefine") {
			included[other] = included[other] || other != name
		}
	}
	for i := range s.listed {
		s.listed[i].included = included[s.listed[i].name]
	}
	return s.listed, nil
}
