package mapping

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Converter turns the text of a member into that of the document and back.
type Converter struct {
	// Write gives the text of the document; false where the syntax has none for it: the member stays unwritten and is listed.
	Write func(text string) (string, bool)
	// Read gives the text of the member; false for one that the syntax does not have.
	Read func(text string) (string, bool)
	// Number stands in place of both for members that are decimals, and for totals: the number with the digits that the syntax
	// can write. Numbers are read as they stand. A member that loses digits is listed.
	Number func(decimal.Decimal) decimal.Decimal
}

// complete tells whether a converter has what it needs for a decimal, or for another member.
func (c *Converter) complete(number bool) bool {
	return c == nil || number && c.Number != nil || c.Number == nil && c.Write != nil && c.Read != nil
}

// Format102 writes days as YYYYMMDD (UNTDID 2379, code 102).
var Format102 = &Converter{
	Write: func(day string) (string, bool) { return strings.ReplaceAll(day, "-", ""), true },
	Read: func(text string) (string, bool) {
		if len(text) != len("YYYYMMDD") {
			return "", false
		}
		day := invoice.Date(text[:4] + "-" + text[4:6] + "-" + text[6:])
		return string(day), day.Valid()
	},
}

// Codes translates the codes of one list into those of another: pairs of the invoice's and the document's. Where several have
// the same counterpart the first counts.
func Codes(pairs ...[2]string) *Converter {
	to, from := map[string]string{}, map[string]string{}
	for _, pair := range pairs {
		for i, table := range []map[string]string{to, from} {
			if _, ok := table[pair[i]]; !ok {
				table[pair[i]] = pair[1-i]
			}
		}
	}
	translate := func(table map[string]string) func(string) (string, bool) {
		return func(code string) (string, bool) {
			other, ok := table[code]
			return other, ok
		}
	}
	return &Converter{Write: translate(to), Read: translate(from)}
}

// Decimals writes numbers with at least and at most so many decimals, rounded with halves away from zero.
func Decimals(least, most int) *Converter {
	return &Converter{Number: func(d decimal.Decimal) decimal.Decimal {
		return d.Round(most, decimal.HalfUp).WithMinScale(least)
	}}
}
