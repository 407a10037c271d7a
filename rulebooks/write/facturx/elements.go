package facturx

import (
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// element is what an element may have in some sets: a row of elements.txt, below the path of the element.
type element struct {
	path string
	rule string // 1 CHILD, 0..1 CHILD, 1..n CHILD, 0..2 CHILD, unused, no @NAME, needs @NAME, code . LIST, code @NAME LIST
	ids  ids
}

// readElements reads elements.txt in its order: of the elements of one name that differ in a condition, the first that holds counts.
func readElements() ([]element, error) {
	var all []element
	var path string
	return all, eachRow("elements.txt", func(columns []string) error {
		if len(columns) == 1 {
			path = columns[0]
			return nil
		}
		if len(columns) < 5 || columns[0] != "" {
			return fmt.Errorf("%d columns", len(columns))
		}
		in, err := readColumns(columns[2])
		if err != nil {
			return err
		}
		official, err := readIDColumns(columns[4:])
		all = append(all, element{path: path, rule: columns[1], ids: ids{in: in, own: cell(columns[3]), official: official}})
		return err
	})
}

// conditions are those that paths have in braces. A path with {else} is that of elements of the name for which no other condition
// of the table holds.
func conditions() map[string]string {
	const currency = "/CrossIndustryInvoice/SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/"
	return map[string]string{
		"VA": "ID/@schemeID = 'VA'", "FC": "ID/@schemeID = 'FC'",
		"allowance": "ChargeIndicator/Indicator = 'false'", "charge": "ChargeIndicator/Indicator = 'true'",
		"916": "TypeCode = '916'", "50": "TypeCode = '50'", "130": "TypeCode = '130'",
		"5153": "@listID = '5153'", "unlisted": "not(@listID)",
		"invoice-currency": "@currencyID = " + currency + "InvoiceCurrencyCode", "tax-currency": "@currencyID = " + currency + "TaxCurrencyCode",
		"own-invoice-currency": "@currencyID = ../../InvoiceCurrencyCode", "own-tax-currency": "@currencyID = ../../TaxCurrencyCode",
	}
}

// alternatives are the conditions that {else} excludes, by the name of the element.
func alternatives() map[string][]string {
	return map[string][]string{
		"SpecifiedTaxRegistration": {"VA", "FC"}, "SpecifiedTradeAllowanceCharge": {"allowance", "charge"}, "AppliedTradeAllowanceCharge": {"allowance", "charge"},
		"AdditionalReferencedDocument": {"916", "50", "130"}, "ReasonCode": {"unlisted", "5153"},
		"SpecifiedTradeSettlementHeaderMonetarySummation/TaxTotalAmount": {"own-invoice-currency", "own-tax-currency"},
		"SpecifiedTradeSettlementLineMonetarySummation/TaxTotalAmount":   {"invoice-currency", "tax-currency"},
	}
}

// contextOf makes an XPath of a path of elements.txt.
func contextOf(path string) (string, error) {
	if path == "." {
		return "/" + qualify("CrossIndustryInvoice"), nil
	}
	expanded, err := expand(path)
	return qualify("/CrossIndustryInvoice/" + expanded), err
}

// expand puts predicates for the conditions in braces.
func expand(path string) (string, error) {
	before, rest, found := strings.Cut(path, "{")
	if !found {
		return path, nil
	}
	name, after, _ := strings.Cut(rest, "}")
	var predicate string
	if condition, known := conditions()[name]; known {
		predicate = condition
	} else if name != "else" {
		return "", fmt.Errorf("no condition %s", name)
	}
	if name == "else" {
		var none []string
		for _, other := range alternativesOf(before) {
			none = append(none, "not("+conditions()[other]+")")
		}
		if predicate = strings.Join(none, " and "); predicate == "" {
			return "", fmt.Errorf("no alternatives of %s", before)
		}
	}
	tail, err := expand(after)
	return before + "[" + predicate + "]" + tail, err
}

// alternativesOf finds the alternatives of the last element of a path.
func alternativesOf(path string) []string {
	for name, others := range alternatives() {
		if path == name || strings.HasSuffix(path, "/"+name) {
			return others
		}
	}
	return nil
}

// elementRules makes one pattern of all elements.
func (m *maker) elementRules() (sch.Pattern, error) {
	p := sch.Pattern{ID: "elements"}
	for _, e := range m.elements {
		if !e.ids.in.has(m.set) {
			continue
		}
		context, err := contextOf(e.path)
		if err != nil {
			return p, err
		}
		a, err := m.elementAssertion(e)
		if err != nil {
			return p, fmt.Errorf("%s: %s: %w", e.path, e.rule, err)
		}
		if last := len(p.Rules) - 1; last < 0 || p.Rules[last].Context != context {
			p.Rules = append(p.Rules, sch.Rule{Context: context})
		}
		r := &p.Rules[len(p.Rules)-1]
		r.Assertions = append(r.Assertions, a)
	}
	return p, nil
}

// elementAssertion makes the assertion of a row.
func (m *maker) elementAssertion(e element) (sch.Assertion, error) {
	ours, official, err := e.ids.resolve(m.set)
	if err == nil {
		err = m.claim(ours, official)
	}
	if err != nil {
		return sch.Assertion{}, err
	}
	a := sch.Assertion{ID: ours}
	word, rest, _ := strings.Cut(e.rule, " ")
	switch word {
	case "unused":
		a.Test, a.Text = "false()", m.unusedText(e.path)
	case "no":
		a.Test, a.Text = "not("+rest+")", m.attributeText(e.path, rest, false)
	case "needs":
		a.Test, a.Text = rest, m.attributeText(e.path, rest, true)
	case "code":
		value, list, _ := strings.Cut(rest, " ")
		var expected string
		a.Test, expected, err = m.codeTest(value, list)
		a.Text = m.codeText(e.path, value, expected)
	default:
		bounds, known := occurrences()[word]
		if !known {
			return a, fmt.Errorf("no such rule")
		}
		var child string
		child, err = expand(rest)
		child = qualify(child)
		a.Test, a.Text = "count("+child+") "+bounds.test, m.countText(e.path, rest, child, bounds)
	}
	return a, err
}

// occurrence is how often a child may be there.
type occurrence struct{ test, words string }

func occurrences() map[string]occurrence {
	return map[string]occurrence{
		"1": {"eq 1", "exactly once"}, "0..1": {"le 1", "at most once"}, "0..2": {"le 2", "at most twice"}, "1..n": {"ge 1", "at least once"},
	}
}

// codeTest looks a value up in a list, which is codes with | between them, or the name of a code list. An empty value is right.
// The words say what is expected.
func (m *maker) codeTest(value, list string) (test, words string, err error) {
	codes, words, err := m.codes(list)
	if err != nil || value == "." {
		return ". = " + codes, words, err
	}
	return "not(" + value + ") or " + value + " = " + codes, words, nil
}

// codes gives a list as an expression, and in words.
func (m *maker) codes(list string) (expression, words string, err error) {
	if inline(list) {
		return "('','" + strings.ReplaceAll(list, "|", "','") + "')", strings.ReplaceAll(list, "|", " or "), nil
	}
	l, err := codeList(list)
	if err != nil {
		return "", "", err
	}
	name := "codes-" + strings.ReplaceAll(list, "/", "-")
	m.lists[list] = name
	return "$" + name, "a code of " + l.Title, nil
}

// inline tells codes from the name of a list, which begins with a small letter and has a slash and no colon.
func inline(list string) bool {
	return strings.ContainsAny(list, ":|") || !strings.Contains(list, "/")
}
