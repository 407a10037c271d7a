package schematron

import (
	"slices"

	"einvoiced/core/xmltree"
	"einvoiced/core/xpath"
)

// dispatch tells for a node which rules of which patterns may match it, by its kind and name.
type dispatch struct {
	vocabulary *xmltree.Vocabulary
	document   []candidates
	elements   [][]candidates // by number in the vocabulary, 0 for names outside it
	attributes [][]candidates
}

// candidates are the rules of one pattern that may match, in the order in which they are tried.
type candidates struct {
	pattern int
	rules   []*ruleProgram
}

func newDispatch(b *xpath.Builder, patterns []*patternProgram) *dispatch {
	var names []xmltree.Name
	targets := map[*ruleProgram][]xpath.Target{}
	for _, p := range patterns {
		for _, r := range p.rules {
			targets[r] = r.context.Targets(b)
			for _, t := range targets[r] {
				if !t.Any && !slices.Contains(names, t.Name) {
					names = append(names, t.Name)
				}
			}
		}
	}
	d := &dispatch{vocabulary: xmltree.NewVocabulary(names)}
	d.document = collect(patterns, targets, xmltree.KindDocument, xmltree.Name{})
	for number := range len(names) + 1 {
		name := xmltree.Name{}
		if number > 0 {
			name = names[number-1]
		}
		d.elements = append(d.elements, collect(patterns, targets, xmltree.KindElement, name))
		d.attributes = append(d.attributes, collect(patterns, targets, xmltree.KindAttribute, name))
	}
	return d
}

// collect lists the rules that may match nodes of a kind and name.
func collect(patterns []*patternProgram, targets map[*ruleProgram][]xpath.Target, kind xmltree.Kind, name xmltree.Name) []candidates {
	var all []candidates
	for i, p := range patterns {
		var rules []*ruleProgram
		for _, r := range p.rules {
			if slices.ContainsFunc(targets[r], func(t xpath.Target) bool { return t.Kind == kind && (t.Any || t.Name == name) }) {
				rules = append(rules, r)
			}
		}
		if len(rules) > 0 {
			all = append(all, candidates{pattern: i, rules: rules})
		}
	}
	return all
}

// of gives the candidates for a node.
func (d *dispatch) of(doc *xmltree.Document, names *xmltree.Translation, n xmltree.Node) []candidates {
	switch doc.Kind(n) {
	case xmltree.KindElement:
		return d.elements[names.Number(doc.Name(n))]
	case xmltree.KindAttribute:
		return d.attributes[names.Number(doc.Name(n))]
	case xmltree.KindDocument:
		return d.document
	}
	return nil
}
