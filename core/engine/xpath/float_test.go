package xpath

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// TestNumbersAsFloatsAreThoseOfItems compares arithmetic and comparisons whose types are known to be xs:double with the same on
// values whose type shows only when they are evaluated.
func TestNumbersAsFloatsAreThoseOfItems(t *testing.T) {
	r := newRules(t, `<doc><n>3</n><n> -7.5 </n><n>abc</n><n/><n>INF</n><n>-0</n><n>1e3</n></doc>`)
	r.static.DefaultElement = ""
	const values = "(for $n in (//n, //absent) return number($n), 10, 2.5, 0, number('x'), number(()), xs:float(1.5))"
	var pairs [][2]*Expr
	for _, op := range []string{"+", "-", "*", "div", "mod", "=", "!=", "<", "<=", ">", ">=", "eq", "lt"} {
		for _, other := range []string{"10", "2.5", "-3", "0", "xs:float('0.1')", "number('NaN')", "number(//n[1])", "(if ($b instance of xs:double) then 7 else 11)"} {
			pairs = append(pairs, [2]*Expr{
				r.compile(fmt.Sprintf("for $a in //n, $b in (1, 1e0) return string(number($a) %s %s)", op, other)),
				r.compile(fmt.Sprintf("for $a in //n, $b in (1, 1e0) return string((number($a), 1)[1] %s (%s, 1)[1])", op, other)),
			})
			pairs = append(pairs, [2]*Expr{
				r.compile(fmt.Sprintf("for $a in %s, $b in 1 return string(%s %s number($a))", values, other, op)),
				r.compile(fmt.Sprintf("for $a in %s, $b in 1 return string((%s, 1)[1] %s (number($a), 1)[1])", values, other, op)),
			})
		}
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}

// TestNumberOfTextsIsNaNForWhatIsNone pins the arguments of fn:number that need no item.
func TestNumberOfTextsIsNaNForWhatIsNone(t *testing.T) {
	newFixture(t, `<doc><n> 12.50 </n><n>x</n></doc>`).table(t, [][2]string{
		{"number((//*:n)[1]) + 1e0", "13.5"},
		{"number((//*:n)[2]) + 1e0, number(//*:absent) + 1", "(NaN, NaN)"},
		{"number(substring('a7', 2, 1)) mod 4", "3"},
		{"number(xs:anyURI('7')) + 1", "NaN"},
		{"number(true()) + 1e0", "2"},
		{"number(2.5) * 2, number(7) mod 0", "(5, NaN)"},
		{"number('-0') + -0e0", "-0"},
		{"number(//*:n) + 1", "XPTY0004"},
		{"number('7') idiv 2", "3"},
		{"number('7') idiv 0", "FOAR0001"},
	})
}

// TestSubstringsCountCharacters pins fn:substring with positions of every kind.
func TestSubstringsCountCharacters(t *testing.T) {
	newFixture(t, `<doc><n>2</n><s>äöüß€</s></doc>`).table(t, [][2]string{
		{"substring('12345', 2, 3), substring('12345', 1.5, 2.6)", "(234, 234)"},
		{"substring('12345', 0, 3), substring('12345', -42, 44)", "(12, 1)"},
		{"concat('[', substring('12345', 0 div 0e0, 3), substring('12345', 5, -3), ']')", "[]"},
		{"substring('12345', -42, 1 div 0e0), substring('12345', 4)", "(12345, 45)"},
		{"substring(//*:s, 2, 2), substring(//*:s, 5)", "(öü, €)"},
		{"substring(//*:s, number(//*:n), 1), substring(//*:s, //*:n + 1)", "(ö, üß€)"},
		{"concat('[', substring((), 1, 2), ']')", "[]"},
		{"substring('abc', ())", "XPTY0004"},
		{"substring(('a', 'b'), 1)", "XPTY0004"},
	})
}

// TestRemaindersAreExact compares the short way for whole numbers with the general one.
func TestRemaindersAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) }),
			rapid.Map(rapid.IntRange(-20, 20), func(n int) float64 { return float64(n) / 2 }),
			rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1 << 53}))
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if got, want := modulo(a, b), math.Mod(a, b); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%v mod %v is %v, not %v", a, b, got, want)
		}
	})
}

// TestRemaindersOfConstantsAreExact compares the remainder by a constant with the general one.
func TestRemaindersOfConstantsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) }),
			rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1<<31 - 1, 1 << 31, 1 << 32, 9.5, math.NaN(), math.Inf(1)})).Draw(t, "a")
		c := rapid.OneOf(rapid.Map(rapid.IntRange(-3, 40), func(n int) float64 { return float64(n) / 2 }), rapid.SampledFrom([]float64{1<<31 - 1, 1 << 31, 1 << 53})).Draw(t, "c")
		got, want := moduloOf(func(*Machine, node) float64 { return a }, c)(nil, node{}), math.Mod(a, c)
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%v mod %v is %v, not %v", a, c, got, want)
		}
	})
}

// TestSubstringsWithConstantPlaces compares fn:substring with constant places with that of computed ones.
func TestSubstringsWithConstantPlaces(t *testing.T) {
	texts := "('', '1', 'HR12345678901', 'äöü', 'aä', '12345')"
	r := newRules(t, "<doc/>")
	r.variable("nought", "count(//absent) * 0e0", "", PerDocument)
	var pairs [][2]*Expr
	for _, place := range []string{"0, 1", "1, 1", "1, 2", "3, 1", "5, 1", "13, 1", "2, 100", "-1, 3", "1.5, 1", "1, 0", "2, -1", "1e0, 2.5", "1, 1e300"} {
		start, length, _ := strings.Cut(place, ", ")
		pairs = append(pairs, [2]*Expr{
			r.compile(fmt.Sprintf("for $t in %s return concat('[', substring($t, %s), ']')", texts, place)),
			r.compile(fmt.Sprintf("for $t in %s return concat('[', substring($t, $nought + %s, $nought + %s), ']')", texts, start, length)),
		})
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}

// TestConstantsAreComputedBeforehand pins that arithmetic on constants keeps values, types and errors.
func TestConstantsAreComputedBeforehand(t *testing.T) {
	newFixture(t, `<doc/>`).table(t, [][2]string{
		{"(10 * 2) mod 11, 7 idiv 2, 1 - 5, 1 div 3", "(9, 3, -4, 0.333333333333333333)"},
		{"(6 div 2) instance of xs:decimal, (2.0 * 3) instance of xs:integer, (2 * 3) instance of xs:integer", "(true, false, true)"},
		{"9223372036854775807 + 1, 1 + 1 = 2", "(9223372036854775808, true)"},
		{"1 div 0", "FOAR0001"},
		{"if (true()) then 1 else 1 mod 0", "1"},
		{"('a', 'b')[3 - 1]", "b"},
		{"substring('12345', 1 + 1, 2)", "23"},
	})
}

// TestVariablesOfFunctionsAreThoseOfLoops compares the variables of a function, which stand one inside the other, with those of loops.
func TestVariablesOfFunctionsAreThoseOfLoops(t *testing.T) {
	r := newRules(t, `<doc><n>HR12</n><n>37</n><n>x</n></doc>`)
	r.static.DefaultElement = ""
	lets := [][2]string{
		{"prefix", "if (substring($v, 1, 2) = 'HR') then true() else false()"},
		{"a", "if ($prefix) then number(substring($v, 3, 1)) else number(substring($v, 1, 1))"},
		{"b", "if ((number($a) + 10) mod 10 = 0) then (10 * 2) mod 11 else (((number($a) + 10) mod 10) * 2) mod 11"},
		{"none", "()"},
		{"many", "($a, $b, 'z')"},
		{"a", "if ($prefix and not($none)) then $a + 1 else $b"},
	}
	const result = "string-join(for $i in ($prefix, $a, $b, count($many), $a = $b, 11 - $b) return string($i), ' ')"
	var body syntax.Expr = parse(t, result)
	loops := result
	for _, let := range slices.Backward(lets) {
		body = &Let{Var: syntax.Name{Local: let[0]}, Value: parse(t, let[1]), In: body}
		if let[0] == "none" || let[0] == "many" {
			continue
		}
		loops = fmt.Sprintf("for $%s in %s return %s", let[0], let[1], loops)
	}
	loops = strings.NewReplacer("count($many)", "3", "not($none)", "true()").Replace(loops)
	err := r.b.Function(&Function{Name: xdm.Name{Space: "urn:u", Local: "digits"}, Params: []Param{{Name: "v"}}, As: "xs:string", Body: body, Static: r.static})
	if err != nil {
		t.Fatal(err)
	}
	r.compareSources(t, [][2]string{
		{"for $v in (//n, '91') return u:digits($v)", "for $v in (//n, '91') return " + loops},
		{"u:digits(())", "for $v in '' return " + loops},
		{"u:digits(//n)", "error(QName('http://www.w3.org/2005/xqt-errors', 'err:XPTY0004'))"},
	})
}
