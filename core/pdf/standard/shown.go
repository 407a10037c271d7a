package standard

import (
	_ "embed"
	"strings"
	"sync"
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

// Shows tells whether the standard template shows a member of the invoice, by its path without the numbers of entries, such as
// items[].description.
// What lines show, lines within them do.
func Shows(path string) bool { return !unseen()[strings.ReplaceAll(path, ".subItems[]", "")] }
