// Package catalogue is the list of the formats that ship: countries, path tokens, syntaxes and customisations. A format is added by
// its folder below core/format and its rows here.
package catalogue

import (
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/format/cii"
	"github.com/einvoiced/einvoiced/core/format/qrbill"
	"github.com/einvoiced/einvoiced/core/format/ubl"
)

// New gives the catalogue of what ships. The error is that of a row which names what is not there.
func New() (*format.Catalogue, error) {
	return format.New(List())
}

// List gives what the catalogue is made of, to which a caller may add.
func List() format.List {
	return format.List{Countries: Countries(), Tokens: tokens, Syntaxes: append([]*format.Syntax{ubl.Syntax(), cii.Syntax(), qrbill.Syntax()}, nationalSyntaxes()...),
		Customisations: customisations(), Versions: versions}
}
