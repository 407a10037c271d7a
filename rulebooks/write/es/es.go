// Package es makes the rulebooks of Facturae 3.2, 3.2.1 and 3.2.2: what the point of entry for invoices of the Spanish administration (FACe)
// checks by Orden HAP/1650/2015, as far as a document alone decides it, and the sums of Facturae.
package es

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// versions are those of Facturae with their namespaces.
var versions = []struct{ name, namespace string }{
	{"3.2", "http://www.facturae.es/Facturae/2009/v3.2/Facturae"},
	{"3.2.1", "http://www.facturae.es/Facturae/2014/v3.2.1/Facturae"},
	{"3.2.2", "http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml"},
}

// Files gives the Schematron of the rulebooks: the same rules for each version.
func Files() (map[string][]byte, error) {
	var books []ruletext.Book
	for _, v := range versions {
		books = append(books, ruletext.Book{
			Folder: "facturae-" + v.name, Title: "Facturae " + v.name + ", checks of FACe", Namespaces: []sch.Namespace{{Prefix: "fe", URI: v.namespace}},
			Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"},
		})
	}
	return ruletext.Files("rulebooks/write/es", texts, books)
}
