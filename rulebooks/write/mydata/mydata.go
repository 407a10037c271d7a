// Package mydata makes the rulebook of myDATA 2.0.1: the checks of the authority (AADE) that a document alone decides, by its codes.
package mydata

import (
	"embed"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// incomeFile has the combinations of income classifications.
const incomeFile = "income.txt"

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	table, err := texts.ReadFile(incomeFile)
	if err != nil {
		return nil, err
	}
	income, err := combinations(string(table))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", incomeFile, err)
	}
	return ruletext.Files("rulebooks/write/mydata", texts, []ruletext.Book{{
		Folder: "mydata-2.0.1", Title: "myDATA 2.0.1, checks of the authority",
		Namespaces: []sch.Namespace{{Prefix: "d", URI: "http://www.aade.gr/myDATA/invoice/v1.0"},
			{Prefix: "icls", URI: "https://www.aade.gr/myDATA/incomeClassificaton/v1.0"},
			{Prefix: "ecls", URI: "https://www.aade.gr/myDATA/expensesClassificaton/v1.0"}},
		Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"}, Definitions: map[string]string{"combinations": "'" + income + "'"},
	}})
}

// combinations gives the table as one text, #TYPE|CATEGORY E3|CATEGORY E3|#, which a condition looks into.
func combinations(table string) (string, error) {
	var all strings.Builder
	for line := range strings.Lines(table) {
		invoiceType, groups, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		all.WriteString("#" + invoiceType + "|")
		for group := range strings.SplitSeq(groups, " ; ") {
			categories, types, found := strings.Cut(group, ": ")
			if !found {
				return "", fmt.Errorf("%s: %q is not CATEGORIES: TYPES", invoiceType, group)
			}
			for category := range strings.SplitSeq(categories, ",") {
				for _, e3 := range typesIn(types) {
					all.WriteString("category" + category + " " + e3 + "|")
				}
			}
		}
	}
	return all.String() + "#", nil
}

// typesIn gives the E3 types of a group; - stays as it is.
func typesIn(group string) []string {
	var types []string
	for word := range strings.FieldsSeq(group) {
		head, numbers, several := strings.Cut(word, "_(")
		switch {
		case word == "-":
			types = append(types, word)
		case several:
			for number := range strings.SplitSeq(strings.TrimSuffix(numbers, ")"), ",") {
				types = append(types, "E3_"+head+"_00"+number)
			}
		default:
			types = append(types, "E3_"+word)
		}
	}
	return types
}
