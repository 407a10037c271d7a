// Package catalogue is the list of the formats that ship: countries, path tokens, syntaxes and customisations. A format is added by
// its folder below core/format and its rows here.
package catalogue

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/format/cii"
	"github.com/einvoiced/einvoiced/core/format/ksef"
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
	national := nationalSyntaxes()
	if err := complete(national, ksef.Syntax); err != nil {
		return format.List{}, err
	}
	syntaxes := append([]*format.Syntax{inUBL, inCII}, national...)
	return format.List{Countries: Countries(), Tokens: tokens, Syntaxes: syntaxes, Customisations: customisations(), Versions: versions}, nil
}

// complete gives the national syntaxes that can be read and written their places and codecs.
func complete(list []*format.Syntax, of ...func() (*format.Syntax, error)) error {
	for _, syntax := range of {
		made, err := syntax()
		if err != nil {
			return fmt.Errorf("compile a national table: %w", err)
		}
		for _, s := range list {
			if s.Name == made.Name {
				s.Places, s.Codec = made.Places, made.Codec
			}
		}
	}
	return nil
}
