package xpath

import (
	"maps"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Code lists come in three forms: contains(' A B C ', concat(' ', value, ' ')), value = ('A', 'B', 'C'), and a chain of
// value = 'A' or value = 'B'. All become sets. A list may also be a variable, or tokenize('A B C', ' ').

// codeSet is a set of constant strings.
type codeSet map[string]struct{}

func setOf(codes []string) codeSet {
	set := make(codeSet, len(codes))
	for _, code := range codes {
		set[code] = struct{}{}
	}
	return set
}

func (s codeSet) has(code string) bool {
	_, ok := s[code]
	return ok
}

// worthSet is the least number of codes that become a set.
const worthSet = 4

// containsCode compiles contains(' A B C ', concat(' ', value, ' ')); nil for other calls of contains. A value with a blank
// inside may still be found across codes.
func (k *compiler) containsCode(args []expr) boolFunc {
	value, set, list := codeIdiom(args)
	if set == nil {
		return nil
	}
	text := k.text(value)
	return func(m *Machine, f node) bool {
		s := text(m, f)
		if strings.IndexByte(s, ' ') >= 0 {
			return strings.Contains(list, " "+s+" ")
		}
		return set.has(s)
	}
}

// codeIdiom takes the arguments of contains apart; the set is nil unless they are a code list and a value between blanks.
func codeIdiom(args []expr) (value expr, set codeSet, list string) {
	list, ok1 := constantText(args[0])
	c, ok2 := args[1].(*call)
	if !ok1 || !ok2 || c.fn.name != "concat" || len(c.args) != 3 || !isText(c.args[0], " ") || !isText(c.args[2], " ") ||
		!c.args[1].info().typ.kinds.within(textKinds) {
		return nil, nil, ""
	}
	codes := strings.Split(list, " ")
	if len(codes) < worthSet+2 {
		return nil, nil, ""
	}
	// What stands before the first blank and behind the last one has no blank on its other side, so that it is never found.
	return c.args[1], setOf(codes[1 : len(codes)-1]), list
}

func isText(e expr, text string) bool {
	l, ok := e.(*literal)
	return ok && l.item.Type() == xdm.String && l.item.Text() == text
}

// guardedCode compiles not(contains(value, ' ')) and contains(' A B C ', concat(' ', value, ' ')); nil for other conjunctions.
func (k *compiler) guardedCode(e *logic) boolFunc {
	if !e.all || len(e.operands) != 2 {
		return nil
	}
	not, ok1 := e.operands[0].(*call)
	contains, ok2 := e.operands[1].(*call)
	if !ok1 || !ok2 || not.fn.name != "not" || contains.fn.name != "contains" || len(contains.args) != 2 {
		return nil
	}
	guard, ok := not.args[0].(*call)
	value, set, _ := codeIdiom(contains.args)
	if !ok || set == nil || guard.fn.name != "contains" || len(guard.args) != 2 || !isText(guard.args[1], " ") ||
		guard.args[0].info().key == 0 || guard.args[0].info().key != value.info().key {
		return nil
	}
	text := k.text(value)
	return func(m *Machine, f node) bool {
		s := text(m, f)
		return set.has(s) && strings.IndexByte(s, ' ') < 0
	}
}

// constantTexts gives the strings that an expression always has: a literal, a list of literals, a text of them with a blank
// between each two, or a variable of the program with such a value.
func constantTexts(e expr) ([]string, bool) {
	switch e := e.(type) {
	case *literal:
		return []string{e.item.Text()}, e.item.Type() == xdm.String
	case *sequence:
		var all []string
		for _, item := range e.items {
			texts, ok := constantTexts(item)
			if !ok {
				return nil, false
			}
			all = append(all, texts...)
		}
		return all, true
	case *call:
		if e.fn.name == "tokenize" && len(e.args) == 2 && isText(e.args[1], " ") {
			texts, ok := constantTexts(e.args[0])
			return strings.Split(strings.Join(texts, ""), " "), ok && len(texts) == 1 && texts[0] != ""
		}
	case *varRef:
		if e.v.scope == scopeDocument && e.v.value != nil {
			return constantTexts(e.v.value)
		}
	}
	return nil, false
}

// constantText gives the one string that an expression always has.
func constantText(e expr) (text string, ok bool) {
	texts, ok := constantTexts(e)
	if !ok || len(texts) != 1 {
		return "", false
	}
	return texts[0], true
}

// constantSet is constantTexts as a set, one for all occurrences of an expression; nil for expressions that are not constant.
func (k *compiler) constantSet(e expr) codeSet {
	key := e.info().key
	if set, known := k.codeSets[key]; known && key != 0 {
		return set
	}
	var set codeSet
	if texts, ok := constantTexts(e); ok {
		set = setOf(texts)
	}
	k.codeSets[key] = set
	return set
}

// equality takes a comparison value = constant or list of constants apart, whichever side is which; no codes for others.
func (k *compiler) equality(e expr) (value expr, codes codeSet) {
	c, isComparison := e.(*comparison)
	if !isComparison || !c.general || c.relation != xdm.Equal {
		return nil, nil
	}
	value = c.left
	if codes = k.constantSet(c.right); codes == nil {
		value = c.right
		codes = k.constantSet(c.left)
	}
	if codes == nil || value.info().key == 0 || !value.info().typ.kinds.within(textKinds) {
		return nil, nil
	}
	return value, codes
}

// codeList compiles a chain of value = 'A' or value = 'B' with one value; nil for other expressions.
func (k *compiler) codeList(e *logic) boolFunc {
	if guarded := k.guardedCode(e); guarded != nil {
		return guarded
	}
	if e.all || len(e.operands) < worthSet {
		return nil
	}
	var value expr
	set := codeSet{}
	for _, operand := range e.operands {
		v, codes := k.equality(operand)
		if codes == nil || value != nil && v.info().key != value.info().key {
			return nil
		}
		value = v
		maps.Copy(set, codes)
	}
	return k.among(value, set)
}

// among compiles whether one of the texts of an expression is in a set.
func (k *compiler) among(e expr, set codeSet) boolFunc {
	if a, ok := e.(*atomize); ok && a.operand.info().typ.nodes() {
		return boolFunc(k.nodes(a.operand, 0, func(_ *Machine, f node) bool { return set.has(f.value()) }))
	}
	if e.info().typ.occurs == oneItem {
		text := k.text(e)
		return func(m *Machine, f node) bool { return set.has(text(m, f)) }
	}
	return boolFunc(k.each(e, func(_ *Machine, i xdm.Item) bool { return set.has(i.Text()) }))
}

// inCodeList compiles value = ('A', 'B', 'C'); nil for other comparisons.
func (k *compiler) inCodeList(e *comparison) boolFunc {
	value, codes := k.equality(e)
	if len(codes) < worthSet {
		return nil
	}
	return k.among(value, codes)
}
