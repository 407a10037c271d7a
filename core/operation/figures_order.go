package operation

import "slices"

// computation are the rules about amounts in the order in which EN 16931-1 (6.4) computes these: where one fails, those behind it often
// fail because of it. The rules of the groups of the VAT breakdown stand for those of each category, by their number.
var computation = []string{
	"BR-CO-10", "BR-CO-11", "BR-CO-12", // sums of the lines, allowances and charges
	"BR-CO-13",      // net total
	groupRule + "1", // a group for each category
	groupRule + "8", // its taxable base
	groupRule + "9", // its tax
	taxRule,         // the same
	"BR-CO-14",      // total tax
	"BR-CO-15",      // total with tax
	"BR-CO-16",      // amount due
}

// groupRule begins the entries of computation that stand for rules of each category.
const groupRule = "group "

// amounts are the terms that rules of other publishers are about which have ids of their own, with the first rule of the computation that
// such rules stand beside.
var amounts = map[string]string{"BT-106": "BR-CO-10", "BT-107": "BR-CO-11", "BT-108": "BR-CO-12", "BT-109": "BR-CO-13", "BT-116": groupRule + "8",
	"BT-117": groupRule + "9", "BT-110": "BR-CO-14", "BT-112": "BR-CO-15", "BT-115": "BR-CO-16"}

// turn is where the findings of a rule stand that is about a term: those about one member before those about how amounts go together, and
// these in the order of the computation.
func turn(rule, term string) int {
	if m := categoryRule.FindStringSubmatch(rule); m != nil {
		rule = groupRule + m[2]
	}
	if i := slices.Index(computation, rule); i >= 0 {
		return i + 1
	}
	return slices.Index(computation, amounts[term]) + 1
}
