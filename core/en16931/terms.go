package en16931

import (
	_ "embed"
	"strings"
	"sync"
)

// terms are the business terms and groups of EN 16931-1 (6.3) and their names, a line for each.
//
//go:embed terms.txt
var terms string

var termNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(terms) {
		if term, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			names[term] = name
		}
	}
	return names
})

// TermName gives the name of a business term or group (BT-10, BG-4), empty for one that the standard does not have. What stands
// beside a term, such as its scheme (BT-29-1), has the name of the term.
func TermName(term string) string {
	if parts := strings.SplitN(term, "-", 3); len(parts) > 2 {
		term = parts[0] + "-" + parts[1]
	}
	return termNames()[term]
}
