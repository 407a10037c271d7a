package syntax

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The right column is how Print writes the tree, which shows how operators were grouped.
var parsed = [][2]string{
	{`1`, `1`},
	{`.5`, `.5`},
	{`5.`, `5.`},
	{`1e-3`, `1e-3`},
	{`.5E+2`, `.5E+2`},
	{`'a''b'`, `'a''b'`},
	{`"a""b'"`, `'a"b'''`},
	{`()`, `()`},
	{`((1))`, `1`},
	{`1, 2, 3`, `(1, 2, 3)`},
	{`(1, (2, 3))`, `(1, (2, 3))`},
	{`.`, `.`},
	{`$p:x`, `$p:x`},
	{`1 + 2 * 3`, `1 + (2 * 3)`},
	{`1 - 2 - 3`, `(1 - 2) - 3`},
	{`a-b - c`, `(child::a-b) - (child::c)`},
	{`a or b and c`, `(child::a) or ((child::b) and (child::c))`},
	{`or or or`, `(child::or) or (child::or)`},
	{`* * *`, `(child::*) * (child::*)`},
	{`div div div`, `(child::div) div (child::div)`},
	{`8 idiv 3 mod 2`, `(8 idiv 3) mod 2`},
	{`1 to 3 = 2`, `(1 to 3) = 2`},
	{`a << b`, `(child::a) << (child::b)`},
	{`a is b`, `(child::a) is (child::b)`},
	{`a|b intersect c except d`, `(child::a) union (((child::b) intersect (child::c)) except (child::d))`},
	{`-a|b`, `(-(child::a)) union (child::b)`},
	{`--5`, `+5`},
	{`-+-+-5`, `-5`},
	{`2 * -3`, `2 * (-3)`},
	{`a cast as xs:int? castable as xs:string treat as item()+ instance of item()*`,
		`((((child::a) cast as xs:int?) castable as xs:string) treat as item()+) instance of item()*`},
	{`if (a) then b else c`, `if (child::a) then (child::b) else (child::c)`},
	{`if (1) then 2 else if (3) then 4 else 5`, `if (1) then 2 else (if (3) then 4 else 5)`},
	{`if`, `child::if`},
	{`for $x in 1, $y in 2 return $x`, `for $x in 1 return (for $y in 2 return $x)`},
	{`some $x in a, $y in b satisfies $x = $y`, `some $x in (child::a) satisfies (some $y in (child::b) satisfies ($x = $y))`},
	{`every $x in a satisfies b or c`, `every $x in (child::a) satisfies ((child::b) or (child::c))`},
	{`for`, `child::for`},
	{`/`, `/`},
	{`/ = 1`, `(/) = 1`},
	{`/a`, `/child::a`},
	{`/*`, `/child::*`},
	{`//a`, `/descendant-or-self::node()/child::a`},
	{`a//b/..`, `child::a/descendant-or-self::node()/child::b/parent::node()`},
	{`@a`, `attribute::a`},
	{`attribute(a)`, `attribute::attribute(a)`},
	{`@*:a/p:*`, `attribute::*:a/child::p:*`},
	{`child::element(a, xs:b?)[1][. = 2]`, `child::element(a, xs:b?)[1][. = 2]`},
	{`ancestor-or-self::document-node(element(*))`, `ancestor-or-self::document-node(element(*))`},
	{`processing-instruction("x")`, `child::processing-instruction('x')`},
	{`processing-instruction(x)`, `child::processing-instruction('x')`},
	{`namespace::a`, `namespace::a`},
	{`schema-element(a)|schema-attribute(b)`, `(child::schema-element(a)) union (attribute::schema-attribute(b))`},
	{`text()/comment()/node()`, `child::text()/child::comment()/child::node()`},
	{`f()`, `f()`},
	{`p:f(1, (2, 3))[1]`, `p:f(1, (2, 3))[1]`},
	{`(a)[1]/b`, `(child::a)[1]/child::b`},
	{`a/(b|c)/d`, `child::a/((child::b) union (child::c))/child::d`},
	{`a/f(.)`, `child::a/f(.)`},
	{`$x[1][2]/'a'`, `$x[1][2]/'a'`},
	{`(a/b)/c`, `(child::a/child::b)/child::c`},
	{`(: one (: two :) :) 1 (::)`, `1`},
	{`1 instance of empty-sequence()`, `1 instance of empty-sequence()`},
	{`1 instance of document-node()?`, `1 instance of document-node()?`},
	{"a\r\n=\t'b'", `(child::a) = 'b'`},
	{`élan`, `child::élan`},
}

func TestParse(t *testing.T) {
	for _, c := range parsed {
		e, err := Parse(c[0])
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if got := Print(e); got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}

func TestPrintedTextIsAFixedPoint(t *testing.T) {
	for _, c := range parsed {
		e, err := Parse(c[0])
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(Print(e))
		if err != nil {
			t.Fatalf("%q was printed as %q: %v", c[0], Print(e), err)
		}
		if diff := cmp.Diff(e, again, cmpopts.IgnoreTypes(At(0))); diff != "" {
			t.Errorf("%q was printed as %q\n%s", c[0], Print(e), diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, offset := range map[string]int{
		``:                          0,
		`1 +`:                       3,
		`(1`:                        2,
		`1 2`:                       2,
		`a = b = c`:                 6,
		`1 to 2 to 3`:               7,
		`1 eq 2 eq 3`:               7,
		`'abc`:                      0,
		`(: x`:                      0,
		`10div 3`:                   2,
		`1e`:                        0,
		`a[`:                        2,
		`a[]`:                       2,
		`f(1,)`:                     4,
		`$`:                         1,
		`foo::a`:                    0,
		`p:child::a`:                0,
		`//`:                        2,
		`/ * 5`:                     4,
		`if (1) then 2`:             13,
		`if ()`:                     4,
		`for $x in 1`:               11,
		`some $x in 1 return 2`:     13,
		`item()`:                    0,
		`typeswitch(1)`:             0,
		`empty-sequence()`:          0,
		`1 cast as xs:int*`:         17,
		`1 cast as node()`:          14,
		`1 instance of`:             13,
		`a instance of element(`:    22,
		`#`:                         0,
		"a\x00":                     1,
		"\xff":                      0,
		`comment('x')`:              8,
		`document-node(a)`:          14,
		`processing-instruction(1)`: 23,
	} {
		_, err := Parse(text)
		var syntax *Error
		if !errors.As(err, &syntax) {
			t.Errorf("%s: error %v", text, err)
			continue
		}
		if syntax.Offset != offset {
			t.Errorf("%s: offset %d, want %d (%v)", text, syntax.Offset, offset, err)
		}
	}
}

func TestParseBoundsDepthAndLength(t *testing.T) {
	for name, text := range map[string]string{
		"parentheses": strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000),
		"predicates":  strings.Repeat("a[", 100_000) + "1" + strings.Repeat("]", 100_000),
		"ifs":         strings.Repeat("if(1)then 1 else ", 50_000) + "1",
		"variables":   "for $a in 1" + strings.Repeat(",$a in 1", 50_000) + " return 1",
		"operators":   "1" + strings.Repeat("+1", 50_000),
		"length":      strings.Repeat(" ", maxLength) + "1",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Parse("1" + strings.Repeat(" or 1", 10_000)); err != nil {
		t.Errorf("10,000 operands: %v", err)
	}
}

func TestPosIsTheFirstToken(t *testing.T) {
	e, err := Parse(` 1 + b/c`)
	if err != nil {
		t.Fatal(err)
	}
	sum := e.(*Binary)
	if got := []int{sum.Pos(), sum.Left.Pos(), sum.Right.Pos()}; !reflect.DeepEqual(got, []int{1, 1, 5}) {
		t.Errorf("offsets %v", got)
	}
}

func TestParseSequenceType(t *testing.T) {
	for text, want := range map[string]string{
		"xs:boolean":           "xs:boolean",
		" element( a , b ? )*": "element(a, b?)*",
		"item ( ) +":           "item()+",
		"empty-sequence()":     "empty-sequence()",
	} {
		got, err := ParseSequenceType(text)
		if err != nil || got.String() != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "xs:boolean??", "(xs:int)", "item", "1", "'"} {
		if got, err := ParseSequenceType(text); err == nil && text != "item" {
			t.Errorf("%s: %v and no error", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range parsed {
		f.Add(c[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		printed := Print(e)
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q was printed as %q: %v", text, printed, err)
		}
		if twice := Print(again); twice != printed {
			t.Fatalf("%q was printed as %q, then as %q", text, printed, twice)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	const text = `every $rate in cac:TaxTotal/cac:TaxSubtotal[normalize-space(cbc:ID) = 'S']/xs:decimal(cbc:Percent) ` +
		`satisfies (exists(//cac:InvoiceLine[cac:Item/cbc:Percent/xs:decimal(.) = $rate]) or not(cac:AllowanceCharge))`
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}
