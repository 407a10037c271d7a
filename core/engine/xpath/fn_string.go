package xpath

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// stringFunctions are the functions of F&O 7.2 to 7.5.
var stringFunctions = []entry{
	{name: "string", params: "item()?", result: "xs:string", impl: itemFunc(stringOf), text: textOfString},
	{name: "codepoints-to-string", params: "xs:integer*", result: "xs:string", impl: sequenceFunc(codepointsToString)},
	{name: "string-to-codepoints", params: "xs:string?", result: "xs:integer*", each: eachCodepoint},
	{name: "compare", params: "xs:string? xs:string?", result: "xs:integer?", impl: itemFunc(compareStrings)},
	{name: "compare", params: "xs:string? xs:string? xs:string", result: "xs:integer?", impl: itemFunc(compareStrings)},
	{name: "codepoint-equal", params: "xs:string? xs:string?", result: "xs:boolean?", impl: itemFunc(codepointEqual)},
	{name: "concat", params: "xs:anyAtomicType? xs:anyAtomicType?...", result: "xs:string", impl: itemFunc(concat)},
	{name: "string-join", params: "xs:string* xs:string", result: "xs:string", impl: sequenceFunc(stringJoin), text: textOfJoin},
	{name: "substring", params: "xs:string? xs:double", result: "xs:string", text: textOfSubstring},
	{name: "substring", params: "xs:string? xs:double xs:double", result: "xs:string", text: textOfSubstring},
	{name: "string-length", params: "xs:string?", result: "xs:integer", one: oneLength},
	{name: "normalize-space", params: "xs:string?", result: "xs:string", text: onText(xdm.Collapse), truth: truthOfNormalized},
	{name: "normalize-unicode", params: "xs:string?", result: "xs:string", impl: itemFunc(normalizeUnicode)},
	{name: "normalize-unicode", params: "xs:string? xs:string", result: "xs:string", impl: itemFunc(normalizeUnicode)},
	{name: "upper-case", params: "xs:string?", result: "xs:string", text: onText(upperCase)},
	{name: "lower-case", params: "xs:string?", result: "xs:string", text: onText(lowerCase)},
	{name: "translate", params: "xs:string? xs:string xs:string", result: "xs:string", impl: itemFunc(translate)},
	{name: "contains", params: "xs:string? xs:string?", result: "xs:boolean", truth: truthOfContains},
	{name: "starts-with", params: "xs:string? xs:string?", result: "xs:boolean", truth: onTexts(strings.HasPrefix)},
	{name: "ends-with", params: "xs:string? xs:string?", result: "xs:boolean", truth: onTexts(strings.HasSuffix)},
	{name: "substring-before", params: "xs:string? xs:string?", result: "xs:string", text: onTwoTexts(substringBefore)},
	{name: "substring-after", params: "xs:string? xs:string?", result: "xs:string", text: onTwoTexts(substringAfter)},
	{name: "contains", params: "xs:string? xs:string? xs:string", result: "xs:boolean", impl: boolItem(strings.Contains)},
	{name: "starts-with", params: "xs:string? xs:string? xs:string", result: "xs:boolean", impl: boolItem(strings.HasPrefix)},
	{name: "ends-with", params: "xs:string? xs:string? xs:string", result: "xs:boolean", impl: boolItem(strings.HasSuffix)},
	{name: "substring-before", params: "xs:string? xs:string? xs:string", result: "xs:string", impl: textItem(substringBefore)},
	{name: "substring-after", params: "xs:string? xs:string? xs:string", result: "xs:string", impl: textItem(substringAfter)},
}

// truthOfContains knows the idiom of code lists.
func truthOfContains(k *compiler, args []expr) boolFunc {
	if set := k.containsCode(args); set != nil {
		return set
	}
	return onTexts(strings.Contains)(k, args)
}

// onText makes a text hook of a function of one string, where a missing one is empty.
func onText(fn func(string) string) textHook {
	return func(k *compiler, args []expr) textFunc {
		text := k.text(args[0])
		return func(m *Machine, f node) string {
			s := text(m, f)
			m.tick(len(s) / textStep)
			return fn(s)
		}
	}
}

// onTwoTexts makes a text hook of a function of two strings.
func onTwoTexts(fn func(a, b string) string) textHook {
	return func(k *compiler, args []expr) textFunc {
		left, right := k.text(args[0]), k.text(args[1])
		return func(m *Machine, f node) string {
			a := left(m, f)
			return fn(a, right(m, f))
		}
	}
}

// textItem makes a function of two strings and a collation.
func textItem(fn func(a, b string) string) itemFunc {
	return func(m *Machine, args []xdm.Item) xdm.Item {
		m.collation(args[2].Text())
		return xdm.Text(fn(args[0].Text(), args[1].Text()))
	}
}

func stringOf(_ *Machine, args []xdm.Item) xdm.Item { return xdm.Text(String(args[0])) }

// textOfString is fn:string of a node or of what is a string already.
func textOfString(k *compiler, args []expr) textFunc {
	if text := k.textOfNode(args[0]); text != nil {
		return text
	}
	if args[0].info().typ.kinds.within(textKinds) {
		return k.text(args[0])
	}
	if isWhole(args[0]) {
		whole := k.whole(args[0])
		return func(m *Machine, f node) string {
			if n, ok := whole(m, f); ok {
				return strconv.FormatInt(n, 10)
			}
			return m.wide.String()
		}
	}
	return nil
}

// isXMLChar tells whether r is a character of XML 1.0, production 2.
func isXMLChar(r int64) bool {
	return r == 0x9 || r == 0xA || r == 0xD || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD ||
		r >= 0x10000 && r <= utf8.MaxRune
}

func codepointsToString(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	var b strings.Builder
	for _, i := range args[0] {
		r, ok := i.Int64()
		if !ok || !isXMLChar(r) {
			m.fail("FOCH0001", "%v is no character of XML", i)
		}
		b.WriteRune(rune(r))
	}
	return append(out, xdm.Text(b.String()))
}

func eachCodepoint(k *compiler, args []expr, sink itemSink) walkFunc {
	text := k.text(args[0])
	return func(m *Machine, f node) bool {
		for _, r := range text(m, f) {
			m.tick(1)
			if sink(m, xdm.Int64(int64(r))) {
				return true
			}
		}
		return false
	}
}

func compareStrings(m *Machine, args []xdm.Item) xdm.Item {
	if len(args) > 2 {
		m.collation(args[2].Text())
	}
	if !args[0].Exists() || !args[1].Exists() {
		return xdm.Item{}
	}
	return xdm.Int64(int64(compareText(args[0].Text(), args[1].Text())))
}

func codepointEqual(_ *Machine, args []xdm.Item) xdm.Item {
	if !args[0].Exists() || !args[1].Exists() {
		return xdm.Item{}
	}
	return xdm.Bool(args[0].Text() == args[1].Text())
}

// mostText bounds the strings that functions make out of several, in bytes, and textStep is how many of them count as a step.
const (
	mostText = 1 << 26
	textStep = 16
)

// build counts the work to make a string of n bytes before it is made.
func (m *Machine) build(n int) {
	if n > mostText || n < 0 {
		m.fail("XPDY0130", "a string would have more than %d bytes", mostText)
	}
	m.tick(n / textStep)
}

func concat(m *Machine, args []xdm.Item) xdm.Item {
	size := 0
	for _, i := range args {
		size += len(i.Text())
	}
	m.build(size)
	var b strings.Builder
	b.Grow(size)
	for _, i := range args {
		b.WriteString(i.String())
	}
	return xdm.Text(b.String())
}

// textOfJoin is fn:string-join with a constant separator: texts are put together as they come. Joins inside others put their
// texts behind what the outer ones have so far, and take them off again.
func textOfJoin(k *compiler, args []expr) textFunc {
	l, constant := args[1].(*literal)
	if !constant {
		return nil
	}
	first, separator := place(&k.layout.counts), l.item.Text()
	walk := k.each(args[0], func(m *Machine, i xdm.Item) bool {
		if m.frame.counts[first] == 0 {
			m.joined = append(m.joined, separator...)
		}
		m.frame.counts[first] = 0
		text := i.Text()
		if m.tick(len(text) / textStep); len(m.joined)+len(text) > mostText {
			m.build(len(m.joined) + len(text))
		}
		m.joined = append(m.joined, text...)
		return false
	})
	return func(m *Machine, f node) string {
		m.frame.counts[first] = 1
		start := len(m.joined)
		walk(m, f)
		text := string(m.joined[start:])
		m.joined = m.joined[:start]
		return text
	}
}

func stringJoin(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item {
	separator := args[1][0].Text()
	size := len(args[0]) * len(separator)
	for _, i := range args[0] {
		size += len(i.Text())
	}
	m.build(size)
	var b strings.Builder
	b.Grow(size)
	for n, i := range args[0] {
		if n > 0 {
			b.WriteString(separator)
		}
		b.WriteString(i.Text())
	}
	return append(out, xdm.Text(b.String()))
}

// textOfSubstring is fn:substring.
func textOfSubstring(k *compiler, args []expr) textFunc {
	if part := k.fixedSubstring(args); part != nil {
		return part
	}
	text, start := k.text(args[0]), k.float(args[1])
	if len(args) == 2 {
		return func(m *Machine, f node) string {
			s := text(m, f)
			return substring(s, rounded(start(m, f)), math.Inf(1))
		}
	}
	length := k.float(args[2])
	return func(m *Machine, f node) string {
		s := text(m, f)
		first := rounded(start(m, f))
		return substring(s, first, first+rounded(length(m, f)))
	}
}

// fixedSubstring compiles fn:substring with constant places; nil for others.
func (k *compiler) fixedSubstring(args []expr) textFunc {
	if len(args) != 3 || !isLiteral(args[1]) || !isLiteral(args[2]) {
		return nil
	}
	first := rounded(args[1].(*literal).item.AsFloat())
	end := first + rounded(args[2].(*literal).item.AsFloat())
	text := k.text(args[0])
	if !(first >= 1 && first < end && end <= mostText) {
		return func(m *Machine, f node) string { return substring(text(m, f), first, end) }
	}
	from, to := int(first)-1, int(end)-1
	return func(m *Machine, f node) string {
		s := text(m, f)
		if to <= len(s) && isASCII(s[:to]) {
			return s[from:to]
		}
		return substring(s, first, end)
	}
}

// rounded is fn:round.
func rounded(x float64) float64 {
	if n := int64(x); float64(n) == x {
		return x
	}
	return xdm.Round(xdm.Float64(x)).Float()
}

// substring takes the characters whose position p has first <= p < end (F&O 7.4.3), which are whole numbers if they are numbers.
func substring(s string, first, end float64) string {
	if first > -mostText && first <= float64(len(s)) && first < end {
		from := max(int(first), 1) - 1
		to := int(min(end, float64(len(s)+1))) - 1
		if from >= to {
			return ""
		}
		if isASCII(s[:to]) {
			return s[from:to]
		}
	}
	from, to := len(s), len(s)
	p := 0.0
	for at := range s {
		p++
		if p >= first && from == len(s) {
			from = at
		}
		// Not p >= end: NaN has to end it as well.
		if !(p < end) {
			to = at
			break
		}
	}
	if math.IsNaN(first) || from >= to {
		return ""
	}
	return s[from:to]
}

func oneLength(k *compiler, args []expr) oneFunc {
	text := k.text(args[0])
	return func(m *Machine, f node) xdm.Item { return xdm.Int64(int64(utf8.RuneCountInString(text(m, f)))) }
}

// forms are the normalization forms of F&O 7.4.6.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func normalizeUnicode(m *Machine, args []xdm.Item) xdm.Item {
	name := "NFC"
	if len(args) > 1 {
		name = strings.ToUpper(xdm.Trim(args[1].Text()))
	}
	if name == "" {
		return xdm.Text(args[0].Text())
	}
	form, ok := forms[name]
	if !ok {
		m.fail("FOCH0003", "the normalization form %q is not supported", name)
	}
	return xdm.Text(form.String(args[0].Text()))
}

// upperCase and lowerCase map letters as Unicode does, in full. The functions of package strings make one letter of one and
// leave ß as it is.
func upperCase(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lowerCase(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// translate is fn:translate (F&O 7.4.9): of a character that stands several times in the second argument the first counts,
// and one without a counterpart in the third goes.
func translate(m *Machine, args []xdm.Item) xdm.Item {
	m.tick((len(args[0].Text()) + len(args[1].Text())) / textStep)
	from, to := []rune(args[1].Text()), []rune(args[2].Text())
	table := map[rune]rune{}
	for i, r := range from {
		if _, known := table[r]; known {
			continue
		}
		table[r] = -1
		if i < len(to) {
			table[r] = to[i]
		}
	}
	return xdm.Text(strings.Map(func(r rune) rune {
		if mapped, ok := table[r]; ok {
			return mapped
		}
		return r
	}, args[0].Text()))
}

func substringBefore(s, sep string) string {
	before, _, found := strings.Cut(s, sep)
	if !found {
		return ""
	}
	return before
}

func substringAfter(s, sep string) string {
	_, after, _ := strings.Cut(s, sep)
	return after
}
