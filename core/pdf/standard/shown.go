package standard

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/country"
)

// unseen.txt lists the members of invoices that the standard template does not show, a line each. A test holds it.
//
//go:embed unseen.txt
var unseenList string

var unseen = sync.OnceValue(func() map[string]bool {
	list := map[string]bool{}
	for path := range strings.FieldsSeq(unseenList) {
		list[path] = true
	}
	return list
})

// onPaper are members of countrySpecific that are shown in other ways than by a line of their own, by country.
var onPaper = map[string][]string{"PT": {"seriesValidationCode", "documentHash", "taxRegion"}, "GR": {"qrUrl"}, "FR": {"notes.PMT", "notes.PMD", "notes.AAB"},
	"DK": {"fik.cardType", "fik.creditorNumber", "fik.paymentId"}}

// Shows tells whether the template of a country shows a member of the invoice, by its path as in the function Shows: what is shown everywhere, and the
// members of countrySpecific that the country has on paper.
func (l *Layout) Shows(code, path string) bool {
	member, national := strings.CutPrefix(path, "countrySpecific.")
	if !national || Shows(path) || l.load() != nil {
		return Shows(path)
	}
	of, _ := l.facts.Country(code)
	member = strings.TrimSuffix(member, "[]")
	return slices.Contains(onPaper[of.Code], member) ||
		slices.ContainsFunc(of.Keys, func(k country.Key) bool { return k.Name == member && k.Print != nil }) ||
		slices.ContainsFunc(of.Mentions, func(m country.Mention) bool {
			asked, _, _ := strings.Cut(m.When.Value, " ")
			return asked == "countrySpecific."+member
		})
}

// Shows tells whether the templates show a member of the invoice, by its path without the numbers of entries, such as
// items[].description.
// What lines show, lines within them do.
func Shows(path string) bool { return !unseen()[strings.ReplaceAll(path, ".subItems[]", "")] }
