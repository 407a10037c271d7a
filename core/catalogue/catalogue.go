// Package catalogue is the list of the formats that ship: countries, path tokens, syntaxes and customisations. A format is added by
// its folder below core/format and its rows here.
package catalogue

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/format/cii"
	"github.com/einvoiced/einvoiced/core/format/qrbill"
	"github.com/einvoiced/einvoiced/core/format/ubl"
)

// New gives the catalogue of what ships. The error is that of a table which cannot be compiled.
func New() (*format.Catalogue, error) {
	list, err := List()
	if err != nil {
		return nil, err
	}
	return format.New(list)
}

// List gives what the catalogue is made of, to which a caller may add. The error is as New's.
func List() (format.List, error) {
	inUBL, err := ubl.Syntax()
	if err != nil {
		return format.List{}, fmt.Errorf("compile the UBL table: %w", err)
	}
	inCII, err := cii.Syntax()
	if err != nil {
		return format.List{}, fmt.Errorf("compile the CII table: %w", err)
	}
	inLines, err := qrbill.Syntax()
	if err != nil {
		return format.List{}, fmt.Errorf("compile the table of QR-bills: %w", err)
	}
	national, err := nationalSyntaxes()
	if err != nil {
		return format.List{}, err
	}
	syntaxes := append([]*format.Syntax{inUBL, inCII, inLines}, national...)
	return format.List{Countries: Countries(), Tokens: tokens, Syntaxes: syntaxes, Customisations: customisations(), Versions: versions}, nil
}
