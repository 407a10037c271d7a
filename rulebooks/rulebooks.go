// Package rulebooks holds the rules as data: the rulebooks that ship with the program, and the form of their manifests. It
// imports nothing of ours; core/rulebook loads and checks rulebooks, those in here and those of a folder.
package rulebooks

import (
	"embed"
	"io/fs"
)

//go:embed all:books
var books embed.FS

// Books gives the rulebooks that ship: a folder for each, with a manifest.
func Books() fs.FS {
	sub, err := fs.Sub(books, "books")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}
