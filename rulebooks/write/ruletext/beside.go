package ruletext

import (
	"io/fs"
	"strings"
)

// Beside gives the texts of one rulebook with those of another below the folder cius, which the texts of Peppol BIS Billing and
// XRechnung are called by.
func Beside(own, cius fs.FS) fs.FS { return beside{own, cius} }

type beside struct{ own, cius fs.FS }

func (b beside) Open(name string) (fs.File, error) {
	if lent, ok := strings.CutPrefix(name, "cius/"); ok {
		return b.cius.Open(lent)
	}
	return b.own.Open(name)
}
