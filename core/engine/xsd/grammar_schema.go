package xsd

import (
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// schemaForSchemas is the schema that schema documents are checked against, made from the grammar once. All rows get their
// types before the first is completed, since they name each other.
var schemaForSchemas = sync.OnceValue(func() *Schema {
	g := grammarBuilder{
		symbols: newSymbols(),
		types:   map[string]*simpleType{},
		rows:    map[string]*complexType{},
	}
	g.wordTypes()
	for _, row := range grammar {
		g.rows[row.name] = &complexType{name: schemaName(row.name), base: typeRef{complex: anyType}, by: byRestriction}
	}
	for _, row := range grammar {
		g.row(row)
	}
	root := g.element("schema", "schema")
	s := &Schema{vocabulary: xmltree.NewVocabulary(g.symbols.names), entries: []*element{root}, limit: maxSchemaErrors}
	s.elements = make([]*element, root.sym+1)
	s.elements[root.sym] = root
	return s
})

type grammarBuilder struct {
	symbols *symbols
	types   map[string]*simpleType
	rows    map[string]*complexType
	other   *wildcard
}

// wordTypes makes the attribute types that are no built-in ones. Attributes of other namespaces may stand on every element of
// a schema document (type openAttrs of the schema for schemas).
func (g *grammarBuilder) wordTypes() {
	g.other = &wildcard{process: processSkip, spaces: spaceSet{kind: notSpace, list: []string{schemaSpace}}}
	for name, words := range grammarWords {
		single := wordType(strings.Fields(words)...)
		if set, ok := strings.CutSuffix(name, "+"); ok {
			g.types[set] = unionOf(wordType("#all"), listOf(single))
			continue
		}
		g.types[name] = single
	}
	g.types["allNNI"] = unionOf(builtins["nonNegativeInteger"], wordType("unbounded"))
	g.types["QNames"] = listOf(builtins["QName"])
	g.types["spaces"] = unionOf(wordType("##any", "##other"), listOf(unionOf(wordType("##targetNamespace", "##local"), builtins["anyURI"])))
}

func wordType(words ...string) *simpleType {
	facets := make([]facetValue, len(words))
	for i, w := range words {
		facets[i] = facetValue{facet: facetEnumeration, name: "enumeration", text: w}
	}
	t, err := restrict(builtins["token"], facets, &checker{})
	if err != nil {
		panic("xsd: the grammar of schemas: " + err.Error())
	}
	return t
}

// listOf is the type of lists, whose white space is always collapsed (part 2, clause 4.3.6).
func listOf(item *simpleType) *simpleType {
	t := *anySimpleType
	t.base, t.by, t.variety, t.item, t.white = anySimpleType, byList, varietyList, item, collapse
	t.name, t.builtin, t.fixed = xmltree.Name{}, false, 1<<facetWhiteSpace
	t.seal()
	return &t
}

func unionOf(members ...*simpleType) *simpleType {
	t := *anySimpleType
	t.base, t.by, t.variety, t.members = anySimpleType, byUnion, varietyUnion, members
	t.name, t.builtin = xmltree.Name{}, false
	t.seal()
	return &t
}

func (g *grammarBuilder) element(name, row string) *element {
	q := schemaName(name)
	return &element{name: q, sym: g.symbols.intern(q), typ: typeRef{complex: g.rows[row]}, global: true}
}

// row completes the type of a row.
func (g *grammarBuilder) row(row grammarRow) {
	t := g.rows[row.name]
	t.any = g.other
	for attr := range strings.FieldsSeq(row.attributes) {
		name, typ, _ := strings.Cut(attr, ":")
		name, required := strings.CutSuffix(name, "!")
		st := g.types[typ]
		if st == nil {
			st = builtins[typ]
		}
		decl := &attribute{name: xmltree.Name{Local: name}, typ: st}
		decl.sym = g.symbols.intern(decl.name)
		t.uses = append(t.uses, attributeUse{sym: decl.sym, decl: decl, required: required})
		if required {
			t.required++
		}
	}
	if row.content == "ANY" {
		// An edge that names no state leads to the first, which is the only one.
		any := &wildcard{process: processSkip}
		t.mixed = true
		t.model = &model{states: []state{{wild: []wildEdge{{wildcard: any}}, accepts: true}}}
		return
	}
	p := grammarParser{g: g, text: row.content}
	m, err := newAssembler(nil).model(p.alternatives())
	if err != nil {
		panic("xsd: the grammar of schemas: " + row.name + ": " + err.Error())
	}
	t.model = m
}

// grammarParser reads the content of a row.
type grammarParser struct {
	g    *grammarBuilder
	text string
}

func (p *grammarParser) next() byte {
	p.text = strings.TrimLeft(p.text, " ")
	if p.text == "" {
		return 0
	}
	return p.text[0]
}

func (p *grammarParser) take(c byte) bool {
	if p.next() != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// alternatives reads parts joined by | or by , and gives them as a choice or a sequence.
func (p *grammarParser) alternatives() *particle {
	group := &particle{min: 1, max: 1, term: termSequence, children: []*particle{p.part()}}
	for {
		switch {
		case p.take('|'):
			group.term = termChoice
		case p.take(','):
		default:
			return group
		}
		group.children = append(group.children, p.part())
	}
}

func (p *grammarParser) part() *particle {
	var part *particle
	if p.take('(') {
		part = p.alternatives()
		p.take(')')
	} else {
		part = p.reference()
	}
	switch {
	case p.take('?'):
		part.min = 0
	case p.take('*'):
		part.min, part.max = 0, unbounded
	case p.take('+'):
		part.max = unbounded
	}
	return part
}

func (p *grammarParser) reference() *particle {
	p.next()
	n := strings.IndexAny(p.text, "?*+|,) ")
	if n < 0 {
		n = len(p.text)
	}
	name, row, named := strings.Cut(p.text[:n], "=")
	p.text = p.text[n:]
	if !named {
		row = name
	}
	return &particle{min: 1, max: 1, term: termElement, element: p.g.element(name, row)}
}
