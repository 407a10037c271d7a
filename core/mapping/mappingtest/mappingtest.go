// Package mappingtest helps the tests of mappings.
package mappingtest

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Leaves counts the texts and attributes of a document that say something, apart from those about schemas: what an account has
// to add up to. It goes its own way, without a table.
func Leaves(doc *xmltree.Document) (count int) {
	for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
		switch doc.Kind(n) {
		case xmltree.KindText:
			if strings.Trim(doc.String(n), " \t\r\n") != "" {
				count++
			}
		case xmltree.KindAttribute:
			if doc.String(n) != "" && doc.Namespace(n) != "http://www.w3.org/2001/XMLSchema-instance" {
				count++
			}
		}
	}
	return count
}
