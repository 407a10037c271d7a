package rulebooks

import (
	"regexp"
	"strings"
)

// Subjects is the content of a file that says what rules are about, as YAML. A key is the id of a rule (schematron.Assertion.Key), or
// several ids separated by spaces.
type Subjects struct {
	// Members are members of the invoice by their JSON path, where the contract names one for a rule. A list in it has the index of the
	// place at which the rule fired (items[].unit).
	Members map[string]string `yaml:"members,omitempty"`
	// Terms are business terms that stand elsewhere than the element that the rule judges, separated by spaces. Of several the one counts
	// that is nearest to that element, of those alike the first; -BT-1 counts where the document lacks the term, +BT-1 where it has it.
	// Rules that compare members of a group are about the group. What begins with a slash is a member of the invoice (/servicePeriod).
	Terms map[string]string `yaml:"terms,omitempty"`
	// Named are the business terms that the rule's text names, and then the groups. They count where Terms has none and the element is
	// no member of the invoice itself.
	Named map[string]string `yaml:"named,omitempty"`
}

// termForm is the form of business terms and groups in texts, e.g. [BT-10], BT-31-1, (BG-25) or BT-DEX-002.
var termForm = regexp.MustCompile(`\bB[TG]-(DEX-)?[0-9]+(-[0-9]+)?\b`)

// termsRead is how many terms of a text count.
const termsRead = 8

// TermsIn lists the business terms that the text of a rule names, then the groups, as the text writes them. Of long lists the first count.
func TermsIn(text string) []string {
	var terms, groups []string
	for _, name := range termForm.FindAllString(text, termsRead) {
		if strings.HasPrefix(name, "BG") {
			groups = append(groups, name)
		} else {
			terms = append(terms, name)
		}
	}
	return append(terms, groups...)
}
