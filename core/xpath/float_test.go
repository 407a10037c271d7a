package xpath

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
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
