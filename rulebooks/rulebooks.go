// Package rulebooks holds the rules as data: the rulebooks that ship with the program, and the form of their manifests. It
// imports nothing of ours; core/rulebook loads and checks rulebooks, those in here and those of a folder.
package rulebooks

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:books all:shared
var embedded embed.FS

// SharedFolder is the folder that every rulebook that ships has: one for all of them, with the texts that several include.
const SharedFolder = "shared"

// Books gives the rulebooks that ship: a folder for each, with a manifest and, as SharedFolder, the texts that they share.
func Books() fs.FS { return WithShared(embedded) }

// WithShared gives the folders of the folder books in root, and shows root's shared folder in each of them.
func WithShared(root fs.FS) fs.FS { return overlay{root} }

// overlay shows one folder in many places.
type overlay struct{ root fs.FS }

// Open opens a file or folder.
func (o overlay) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if _, inner, below := strings.Cut(name, "/"); below && (inner == SharedFolder || strings.HasPrefix(inner, SharedFolder+"/")) {
		return o.root.Open(inner)
	}
	if name == "." {
		return o.root.Open("books")
	}
	return o.root.Open("books/" + name)
}
