// Package verifactu makes the rulebook of the Spanish records of invoices: the checks of the tax office (AEAT) that a record alone decides, by its codes.
package verifactu

import (
	"embed"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

const schemas = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/verifactu", texts, []ruletext.Book{{
		Folder: "verifactu-1.0", Title: "VeriFactu 1.0, checks of the AEAT",
		Namespaces: []sch.Namespace{{Prefix: "lr", URI: schemas + "SuministroLR.xsd"}, {Prefix: "sf", URI: schemas + "SuministroInformacion.xsd"}},
		Messages:   []string{"messages.txt"}, Texts: []string{"rules.txt"},
	}})
}
