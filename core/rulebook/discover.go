package rulebook

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

const (
	schematronNamespace = "http://purl.oclc.org/dsdl/schematron"
	svrlNamespace       = "http://purl.oclc.org/dsdl/svrl"
	xslNamespace        = "http://www.w3.org/1999/XSL/Transform"
	xsdNamespace        = "http://www.w3.org/2001/XMLSchema"
)

// findRules finds the one Schematron entry file of a source, if there is one. Publishers ship a rule set in up to three forms;
// the source with everything filled in is taken before the source, and that before the stylesheet.
func (s *source) findRules() ([]string, error) {
	forms := map[string][]string{} // by the name of the rule set, the best form first
	included := map[string]bool{}
	var order []string
	for _, name := range s.with(".sch", ".xml", ".xslt", ".xsl") {
		doc, ok, err := s.parse(name)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		for _, other := range references(doc, name, schematronNamespace, "href", "include", "extends") {
			included[other] = true
		}
		if isRuleset(doc) {
			rules := stem(name)
			if len(forms[rules]) == 0 {
				order = append(order, rules)
			}
			forms[rules] = append(forms[rules], name)
		}
	}
	var entries []string
	for _, rules := range order {
		names := slices.DeleteFunc(forms[rules], func(name string) bool { return included[name] })
		if len(names) == 0 {
			continue
		}
		slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
		if len(names) > 1 && rank(names[0]) == rank(names[1]) {
			entries = append(entries, names...)
			continue
		}
		entries = append(entries, names[0])
	}
	return one("Schematron", "--schematron", entries)
}

// isRuleset tells whether a document is a schema of ISO Schematron, or a stylesheet that the skeleton made of one.
func isRuleset(doc *xmltree.Document) bool {
	root := doc.Root()
	switch doc.Namespace(root) {
	case schematronNamespace:
		return doc.Local(root) == "schema"
	case xslNamespace:
		return len(named(doc, svrlNamespace, "schematron-output")) > 0
	}
	return false
}

// stem is the name that the forms of one rule set share: that of the file without ending and the word preprocessed.
func stem(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	return strings.TrimRight(strings.Replace(strings.ToLower(base), "preprocessed", "", 1), "-_.")
}

// rank orders the forms of one rule set.
func rank(name string) int {
	switch {
	case strings.Contains(strings.ToLower(path.Base(name)), "preprocessed") && path.Ext(name) == ".sch":
		return 0
	case path.Ext(name) == ".sch", path.Ext(name) == ".xml":
		return 1
	}
	return 2
}

// findSchemas finds the one XML Schema of a source that no other includes or imports, if there is one.
func (s *source) findSchemas() ([]string, error) {
	used := map[string]bool{}
	var schemas []string
	for _, name := range s.with(".xsd") {
		doc, ok, err := s.parse(name)
		if err != nil {
			return nil, err
		}
		if !ok || doc.Namespace(doc.Root()) != xsdNamespace {
			continue
		}
		schemas = append(schemas, name)
		for _, other := range references(doc, name, xsdNamespace, "schemaLocation", "include", "import", "redefine") {
			if other != name {
				used[other] = true
			}
		}
	}
	return one("XML Schema", "--xsd", slices.DeleteFunc(schemas, func(name string) bool { return used[name] }))
}

// one refuses several entry files.
func one(what, flag string, entries []string) ([]string, error) {
	if len(entries) <= 1 {
		return entries, nil
	}
	const most = 20
	list := strings.Join(entries[:min(len(entries), most)], ", ")
	if len(entries) > most {
		list += " …"
	}
	return nil, fmt.Errorf("there are %d %s files that could be the entry (%s): name yours with %s", len(entries), what, list, flag)
}

// references gives the files that elements of a namespace with one of these names refer to. What leads out of the source, and
// what is no path, is left out.
func references(doc *xmltree.Document, name, space, attribute string, locals ...string) []string {
	var targets []string
	for _, local := range locals {
		for _, n := range named(doc, space, local) {
			value, ok := doc.AttrValue(n, attribute)
			if target, valid := resolve(name, string(value)); ok && valid {
				targets = append(targets, target)
			}
		}
	}
	return targets
}

// named gives the elements of a document with a name.
func named(doc *xmltree.Document, space, local string) []xmltree.Node {
	id := doc.Names().Lookup(space, local)
	if id == 0 || id >= doc.NameLimit() {
		return nil
	}
	return doc.Elements(id)
}
