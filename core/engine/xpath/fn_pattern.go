package xpath

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/regex"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// patternFunctions are the functions of F&O 7.6.
var patternFunctions = []entry{
	{name: "matches", params: "xs:string? xs:string", result: "xs:boolean", truth: truthOfMatches},
	{name: "matches", params: "xs:string? xs:string xs:string", result: "xs:boolean", truth: truthOfMatches},
	{name: "replace", params: "xs:string? xs:string xs:string", result: "xs:string", text: textOfReplace},
	{name: "replace", params: "xs:string? xs:string xs:string xs:string", result: "xs:string", text: textOfReplace},
	{name: "tokenize", params: "xs:string? xs:string", result: "xs:string*", each: eachToken},
	{name: "tokenize", params: "xs:string? xs:string xs:string", result: "xs:string*", each: eachToken},
}

// keptPatterns bounds the computed patterns that a machine keeps compiled. Patterns may be taken from the document, each one
// another.
const keptPatterns = 256

// patternCache keeps compiled patterns by pattern and flags.
type patternCache map[[2]string]*regex.Regexp

// pattern compiles a pattern, or takes it from the cache.
func (m *Machine) pattern(text, flags string) *regex.Regexp {
	key := [2]string{text, flags}
	if r, ok := m.patterns[key]; ok {
		return r
	}
	key = [2]string{strings.Clone(text), strings.Clone(flags)} // they may be of the document
	r, err := regex.Compile(key[0], key[1])
	m.patternError(err)
	if len(m.patterns) >= keptPatterns {
		clear(m.patterns)
	}
	m.patterns[key] = r
	return r
}

func (m *Machine) patternError(err error) {
	if err == nil {
		return
	}
	if refused, ok := err.(*regex.Error); ok {
		m.fail(refused.Code, "%s", refused.Error())
	}
	m.check(err)
}

// compiledPattern gives the pattern and flags of a call. Constant ones are compiled once; an error in them comes when the call
// is evaluated.
func (k *compiler) compiledPattern(args []expr) func(m *Machine, f node) *regex.Regexp {
	text, flags := k.text(args[0]), textFunc(func(*Machine, node) string { return "" })
	source, constant := constantText(args[0])
	options := ""
	if len(args) > 1 {
		var too bool
		flags = k.text(args[1])
		options, too = constantText(args[1])
		constant = constant && too
	}
	if constant {
		if r, err := regex.Compile(source, options); err == nil {
			return func(*Machine, node) *regex.Regexp { return r }
		}
	}
	return func(m *Machine, f node) *regex.Regexp { return m.pattern(text(m, f), flags(m, f)) }
}

// searched counts a text that a pattern is looked for in as work, a step for each byte: a pattern may be at many of its places at once.
func (m *Machine) searched(text string) { m.tick(len(text)) }

func truthOfMatches(k *compiler, args []expr) boolFunc {
	text, pattern := k.text(args[0]), k.compiledPattern(args[1:])
	return func(m *Machine, f node) bool {
		s := text(m, f)
		m.searched(s)
		return pattern(m, f).Match(s)
	}
}

// replaced is how much of the longest possible result, with a match at each character, a replacement may have.
const replaced = 4

func textOfReplace(k *compiler, args []expr) textFunc {
	text, replacement := k.text(args[0]), k.text(args[2])
	pattern := k.compiledPattern(append([]expr{args[1]}, args[3:]...))
	return func(m *Machine, f node) string {
		s, with := text(m, f), replacement(m, f)
		if most := (len(s) + 1) * (2*len(with) + 1); most > mostText {
			m.build(most / replaced)
		}
		m.searched(s)
		out, err := pattern(m, f).Replace(s, with)
		m.patternError(err)
		return out
	}
}

func eachToken(k *compiler, args []expr, sink itemSink) walkFunc {
	text, pattern := k.text(args[0]), k.compiledPattern(args[1:])
	return func(m *Machine, f node) bool {
		s := text(m, f)
		m.searched(s)
		tokens, err := pattern(m, f).Split(s)
		m.patternError(err)
		for _, token := range tokens {
			if sink(m, xdm.Text(token)) {
				return true
			}
		}
		return false
	}
}
