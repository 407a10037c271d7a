package mutant

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
)

// kind is what a value is to the rules.
type kind struct {
	suffixes []string // of the names of its elements
	weight   int      // how often such an element is chosen, compared with others
	values   []string // odd and wrong ones
	derive   []func(old string) string
}

// kinds are tried in order; the last one takes all names. The names are those of UBL 2.1 and CII D16B.
var kinds = []kind{
	{suffixes: []string{"Amount"}, weight: 8, values: numbers, derive: []func(string) string{cent, cent, cent, cent, tenfold, tenfold, negative, precise, precise}},
	{suffixes: []string{"Percent", "Rate", "Numeric"}, weight: 10, values: append(numbers, "19.0000001", "7", "0.00", "19"),
		derive: []func(string) string{cent, cent, precise, negative}},
	{suffixes: []string{"Quantity"}, weight: 3, values: numbers, derive: []func(string) string{cent, negative, precise}},
	{suffixes: []string{"Date", "DateTimeString", "DateString", "DateTime"}, weight: 6,
		values: []string{"2024-13-01", "2023-02-29", "20241301", "2024-01-01Z", "2024-01-01+01:00", "01.01.2024", "", "0001-01-01", "20240101", "2024-1-1", "99999-01-01", "2030-01-01"},
		derive: []func(string) string{longer, longer, shorter}},
	{suffixes: []string{"CustomizationID", "ProfileID"}, weight: 10,
		values: []string{"", "urn:cen.eu:en16931:2017", "urn:example:unknown", "1"}, derive: []func(string) string{upper, longer}},
	{suffixes: []string{"PostcodeCode"}, weight: 1, values: []string{"", " "}, derive: []func(string) string{blanks}},
	{suffixes: []string{"Code", "CountryID", "CodeType"}, weight: 10,
		values: []string{"", "XX", "ZZZ", "380", "381", "384", "326", "389", "0", "S", "Z", "E", "AE", "K", "G", "O", "L", "M", "B", "EUR", "GBP", "US", "DE", "1A", "ZZ", "30", "58", "59", "49", "57", "-", "S E", "VATEX-EU-O", "AAA", "9999", "\u00a0"},
		derive: []func(string) string{lower, longer, longer, blanks}},
	{suffixes: []string{"Indicator"}, weight: 5, values: []string{"true", "false", "true", "false", "1", "0", "", "TRUE", "yes"}, derive: []func(string) string{upper}},
	{suffixes: []string{"IBANID", "EndpointID", "CompanyID", "URIID", "GlobalID"}, weight: 8,
		values: []string{"", "DE123456789", "1", "DE12500105170648489890", "0088", "XX00", "987654325", "BE0403199702", "NL123456789B01"},
		derive: []func(string) string{lower, longer, shorter}},
	{suffixes: []string{"ID"}, weight: 1,
		values: []string{"", "", "", " ", " ", "S", "Z", "E", "AE", "K", "G", "O", "VAT", "VA", "FC", "#", "1", "12345", "DE123456789"},
		derive: []func(string) string{lower, longer, shorter}},
	{suffixes: []string{""}, weight: 1,
		values: []string{"", "", "", "", " ", " ", "#SKONTO#TAGE=14#PROZENT=2.00#\n", "x", "\u00a0", "&#x9;", "&amp;", "<![CDATA[]]>", "person@example.com", "+49", "1.0", "\u0661", "e\u0301"},
		derive: []func(string) string{longer, blanks, upper}},
}

// numbers are odd and wrong numbers.
var numbers = []string{"", "0", "0.00", "-1", "abc", "1,00", "1e2", "NaN", "INF", "0x10", ".5", "5.", "+1.00", "1 000.00", "99999999999999999999.99", "1000000", "--1", "1.005"}

func kindOf(name string) *kind {
	for i := range kinds {
		for _, suffix := range kinds[i].suffixes {
			if strings.HasSuffix(name, suffix) {
				return &kinds[i]
			}
		}
	}
	return nil
}

// value makes another value, out of an old one or those that elements of this name have elsewhere.
func (k *kind) value(random *rand.Rand, old string, elsewhere []string) string {
	for range 8 {
		text := k.draw(random, old, elsewhere)
		if text != old {
			return text
		}
	}
	return old + "0"
}

func (k *kind) draw(random *rand.Rand, old string, elsewhere []string) string {
	switch n := random.IntN(20); {
	case n < 1:
		return forms[random.IntN(len(forms))](old)
	case n < 5 && len(elsewhere) > 0:
		return elsewhere[random.IntN(len(elsewhere))]
	case n < 12:
		return k.derive[random.IntN(len(k.derive))](old)
	}
	return k.values[random.IntN(len(k.values))]
}

// forms write a value differently; many rules must not see it.
var forms = []func(string) string{padded, padded, signed, split}

func cent(old string) string     { return calculated(old, "0.01", (*big.Rat).Add) }
func tenfold(old string) string  { return calculated(old, "10", (*big.Rat).Mul) }
func negative(old string) string { return calculated(old, "-1", (*big.Rat).Mul) }

// calculated gives the value with two decimals or as many as it has; what is no number stays.
func calculated(old, with string, operation func(z, x, y *big.Rat) *big.Rat) string {
	a, ok := new(big.Rat).SetString(strings.TrimSpace(old))
	if !ok || len(old) > 100 || strings.ContainsAny(old, "/eE") {
		return old
	}
	b, _ := new(big.Rat).SetString(with)
	_, decimals, _ := strings.Cut(strings.TrimSpace(old), ".")
	return operation(new(big.Rat), a, b).FloatString(max(2, len(decimals)))
}

func precise(old string) string {
	if !strings.Contains(old, ".") {
		return old + ".001"
	}
	return old + "1"
}

func padded(old string) string { return "\n  " + old + " " }
func signed(old string) string { return "+" + old }
func longer(old string) string { return old + "X" }
func blanks(old string) string { return strings.Repeat(" ", 1+len(old)%3) }
func lower(old string) string  { return strings.ToLower(old) }

// upper leaves references as they are: their names have a case.
func upper(old string) string {
	if strings.Contains(old, "&") {
		return old
	}
	return strings.ToUpper(old)
}

func shorter(old string) string {
	if len(old) < 2 || strings.ContainsAny(old, "&<") || old[0] >= 0x80 || old[1] >= 0x80 {
		return "0"
	}
	return old[1:]
}

// split puts a comment into a value, which must not change what it says.
func split(old string) string {
	if len(old) < 2 || strings.ContainsAny(old, "&<") || old[0] >= 0x80 || old[1] >= 0x80 {
		return old
	}
	return fmt.Sprintf("%s<!-- -->%s", old[:1], old[1:])
}
