package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/markup"
)

// writer writes the schema file of a namespace.
type writer struct {
	*markup.Writer
	table *table
	space *space
	used  map[string]bool // types that are written
}

// files gives the schema of a table: a file PREFIX.xsd for each namespace that has something in it.
func (t *table) files(comment string) (map[string][]byte, error) {
	used, err := t.reach()
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, s := range t.spaces {
		w := &writer{markup.NewWriter(comment), t, s, used}
		w.file()
		all[s.prefix+".xsd"] = w.Bytes()
	}
	return all, nil
}

// own tells whether a name is in the namespace of the file.
func (w *writer) own(name string) bool { return strings.HasPrefix(name, w.space.prefix+":") }

func (w *writer) file() {
	elements := slices.DeleteFunc(slices.Sorted(maps.Keys(w.table.elements)), func(name string) bool { return !w.own(name) })
	types := slices.DeleteFunc(slices.Clone(w.table.order), func(x *typ) bool { return !w.own(x.name) || !w.used[x.name] || anonymous(x.name) })
	imports := w.imports(elements, types)
	attributes := []string{"xmlns", "http://www.w3.org/2001/XMLSchema", "xmlns:" + w.space.prefix, w.space.uri}
	for _, s := range imports {
		attributes = append(attributes, "xmlns:"+s.prefix, s.uri)
	}
	form := "qualified"
	if w.space.unqualified {
		form = "" // which is what it is by default
	}
	w.Open("schema", append(attributes, "targetNamespace", w.space.uri, "elementFormDefault", form)...)
	for _, s := range imports {
		w.Empty("import", "namespace", s.uri, "schemaLocation", s.prefix+".xsd")
	}
	for _, name := range elements {
		w.global(name)
	}
	for _, x := range types {
		_, local := split(x.name)
		w.typ(x, local)
	}
	w.Close("schema")
}

// global writes the element of a document, with what must be unique in it.
func (w *writer) global(name string) {
	_, local := split(name)
	identities := w.table.identities[name]
	if len(identities) == 0 {
		w.Empty("element", "name", local, "type", builtin(w.table.elements[name]))
		return
	}
	w.Open("element", "name", local, "type", builtin(w.table.elements[name]))
	for _, x := range identities {
		refer := ""
		if x.refer != "" {
			refer = w.space.prefix + ":" + x.refer
		}
		w.Open(x.kind, "name", x.name, "refer", refer)
		w.Empty("selector", "xpath", x.selector)
		w.Empty("field", "xpath", x.field)
		w.Close(x.kind)
	}
	w.Close("element")
}

// imports lists the other namespaces that the file needs, in the order of the table.
func (w *writer) imports(elements []string, types []*typ) []*space {
	names := map[string]bool{}
	note := func(name string) {
		prefix, _ := split(name)
		names[prefix] = true
	}
	for _, prefix := range w.space.with {
		names[prefix] = true
	}
	for _, e := range elements {
		note(w.table.elements[e])
	}
	for _, x := range types {
		w.noteUses(x, note)
	}
	return slices.DeleteFunc(slices.Clone(w.table.spaces), func(s *space) bool { return s == w.space || !names[s.prefix] })
}

// noteUses gives all names that a type and those inside it use.
func (w *writer) noteUses(x *typ, note func(string)) {
	for _, name := range x.uses() {
		note(name)
		if anonymous(name) {
			w.noteUses(w.table.types[name], note)
		}
	}
	for p := range x.content.each {
		if p.isReference() {
			note(p.name)
		}
	}
}

// typ writes a type; one inside an element has no name.
func (w *writer) typ(x *typ, name string) {
	if x.simple {
		w.simple(x, name)
		return
	}
	w.Open("complexType", "name", name, "mixed", yes(x.mixed), "abstract", yes(x.abstract))
	switch {
	case x.restricts:
		w.derived(x, "complexContent", "restriction")
	case x.base != "":
		w.derived(x, "simpleContent", "extension")
	default:
		w.body(x)
	}
	w.Close("complexType")
}

// builtin is the name of a type as the files write it: XML Schema's own without prefix.
func builtin(name string) string { return strings.TrimPrefix(name, standard) }

func yes(b bool) string {
	if b {
		return "true"
	}
	return ""
}

func (w *writer) simple(x *typ, name string) {
	w.Open("simpleType", "name", name)
	w.Open("restriction", "base", builtin(x.base))
	for _, f := range x.facets {
		w.Empty(f.name, "value", f.value)
	}
	w.Close("restriction")
	w.Close("simpleType")
}

func (w *writer) derived(x *typ, content, derivation string) {
	w.Open(content)
	if x.content.isEmpty() && len(x.attributes) == 0 {
		w.Empty(derivation, "base", builtin(x.base))
	} else {
		w.Open(derivation, "base", builtin(x.base))
		w.body(x)
		w.Close(derivation)
	}
	w.Close(content)
}

// isEmpty tells whether a type has no content model.
func (p *particle) isEmpty() bool { return p == nil || len(p.children) == 0 }

// body writes what a complex type holds.
func (w *writer) body(x *typ) {
	if !x.content.isEmpty() {
		top := x.content
		if len(top.children) == 1 && top.children[0].isGroup() {
			top = top.children[0]
		}
		w.particle(top)
	}
	for _, a := range x.attributes {
		switch {
		case a.wildcard != nil:
			w.Empty("anyAttribute", a.wildcard.attributes()...)
		case a.required:
			w.Empty("attribute", "name", a.name, "type", builtin(a.typ), "use", "required", "fixed", a.fixed)
		default:
			w.Empty("attribute", "name", a.name, "type", builtin(a.typ), "fixed", a.fixed)
		}
	}
}

// attributes gives those of a wildcard, without what they are by default.
func (x *wildcard) attributes() []string {
	spaces, process := "##"+x.spaces, x.process
	switch {
	case x.spaces == "any":
		spaces = ""
	case x.spaces != "other":
		spaces = x.spaces
	}
	if x.process == "strict" {
		process = ""
	}
	return []string{"namespace", spaces, "processContents", process}
}

func (w *writer) particle(p *particle) {
	occurs := []string{"minOccurs", count(p.min), "maxOccurs", count(p.max)}
	switch {
	case p.wildcard != nil:
		w.Empty("any", append(p.wildcard.attributes(), occurs...)...)
	case p.isGroup():
		name := "sequence"
		if p.choice {
			name = "choice"
		}
		w.Open(name, occurs...)
		for _, c := range p.children {
			w.particle(c)
		}
		w.Close(name)
	case p.isReference():
		w.Empty("element", append([]string{"ref", p.name}, occurs...)...)
	case anonymous(p.typ):
		w.Open("element", append([]string{"name", p.name}, occurs...)...)
		w.typ(w.table.types[p.typ], "")
		w.Close("element")
	default:
		w.Empty("element", append([]string{"name", p.name, "type", builtin(p.typ), "default", p.value}, occurs...)...)
	}
}

// count gives a number of occurrences, empty for 1, which is the default.
func count(n int) string {
	switch n {
	case 1:
		return ""
	case unbounded:
		return "unbounded"
	}
	return strconv.Itoa(n)
}

// comment is what the files of a schema begin with.
func comment(title string, tables ...source) string {
	var names []string
	for _, t := range tables {
		names = append(names, "rulebooks/write/schema/"+t.name)
	}
	return fmt.Sprintf("%s. Made from %s by: go run ./rulebooks/write", title, strings.Join(names, " and "))
}
