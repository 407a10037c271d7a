package xpath

import (
	"fmt"
	"strings"
	"testing"
)

// wholes are integers around the bounds of 32 and 64 bits.
var wholes = []string{"0", "1", "-1", "7", "-3", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807",
	"-9223372036854775808", "9223372036854775808", "-9223372036854775809", "123456789012345678901234567890"}

// TestIntegersOfAnySizeAreExact compares arithmetic and comparisons of integers in 64 bits with the same on xs:decimal, whose
// values are equal.
func TestIntegersOfAnySizeAreExact(t *testing.T) {
	r := newRules(t, `<doc/>`)
	list := strings.Join(wholes, ", ")
	var pairs [][2]*Expr
	for _, op := range []string{"+", "-", "*", "mod", "=", "!=", "<", "<=", ">", ">="} {
		for _, b := range wholes {
			if op == "mod" && b == "0" {
				continue
			}
			pairs = append(pairs, [2]*Expr{
				r.compile(fmt.Sprintf("for $a in (%s) return string(($a + 0) %s (%s))", list, op, b)),
				r.compile(fmt.Sprintf("for $a in (%s) return string(xs:decimal($a) %s xs:decimal(%s))", list, op, b)),
			}, [2]*Expr{
				r.compile(fmt.Sprintf("for $a in (%s) return string((%s) %s $a * 1)", strings.Replace(list, "0, ", "", 1), b, op)),
				r.compile(fmt.Sprintf("for $a in (%s) return string(xs:decimal(%s) %s xs:decimal($a) * 1.0)", strings.Replace(list, "0, ", "", 1), b, op)),
			})
		}
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}

// TestIntegersKeepTheirErrors pins what integers cannot do.
func TestIntegersKeepTheirErrors(t *testing.T) {
	newFixture(t, orderXML).table(t, [][2]string{
		{"for $i in (1, 2) return $i mod ($i - $i)", "FOAR0001"},
		{"for $i in 9223372036854775807 return ($i + 1) mod 0", "FOAR0001"},
		{"for $i in 9223372036854775807 return (($i + 1) - 1) instance of xs:integer", "true"},
		{"for $i in (5, 6) return (-$i) mod 4", "(-1, -2)"},
		{"count((1, 2)) + 1 = 3, string-length('ab') * 2 > 4", "(true, false)"},
	})
}

// TestPlacesOfVariablesAreThoseOfPredicates compares $v[n], which is one look, with a predicate on position().
func TestPlacesOfVariablesAreThoseOfPredicates(t *testing.T) {
	r := newRules(t, `<doc><n>a</n><n>b</n></doc>`)
	r.static.DefaultElement = ""
	r.variable("list", "('x', 2, //n)", "", PerDocument)
	r.variable("none", "//absent", "", PerDocument)
	r.variable("only", "string(//n[1])", "", PerDocument)
	var pairs [][2]*Expr
	for _, v := range []string{"$list", "$none", "$only"} {
		for _, n := range []string{"1", "2", "4", "5", "0", "-1", "1.5", "3.0", "$i", "$i + 1", "$i * 4294967296", "count($list)", "1 idiv ($i - 1)"} {
			pairs = append(pairs, [2]*Expr{
				r.compile(fmt.Sprintf("for $i in (1, 2, 3, 4, 5) return %s[%s]", v, n)),
				r.compile(fmt.Sprintf("for $i in (1, 2, 3, 4, 5) return %s[position() = (%s)]", v, n)),
			}, [2]*Expr{
				r.compile(fmt.Sprintf("for $i in (1, 2, 3, 4, 5) return string(%s[%s])", v, n)),
				r.compile(fmt.Sprintf("for $i in (1, 2, 3, 4, 5) return string(%s[position() = (%s)])", v, n)),
			})
		}
	}
	compareForms(t, r.machine(t, r.b.Build()), pairs)
}
