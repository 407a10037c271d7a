// Command write brings the rulebooks that ship up to date: it writes the texts that are made from tables, and into each manifest
// the hashes of its files. Run it at the root of the repository after each change of a table or of a text:
//
//	go run ./rulebooks/write
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/einvoiced/einvoiced/rulebooks/write/be"
	"github.com/einvoiced/einvoiced/rulebooks/write/cius"
	"github.com/einvoiced/einvoiced/rulebooks/write/ebinterface"
	"github.com/einvoiced/einvoiced/rulebooks/write/en16931"
	"github.com/einvoiced/einvoiced/rulebooks/write/es"
	"github.com/einvoiced/einvoiced/rulebooks/write/facturx"
	"github.com/einvoiced/einvoiced/rulebooks/write/fr"
	"github.com/einvoiced/einvoiced/rulebooks/write/hr"
	"github.com/einvoiced/einvoiced/rulebooks/write/isdoc"
	"github.com/einvoiced/einvoiced/rulebooks/write/it"
	"github.com/einvoiced/einvoiced/rulebooks/write/ksef"
	"github.com/einvoiced/einvoiced/rulebooks/write/model"
	"github.com/einvoiced/einvoiced/rulebooks/write/mydata"
	"github.com/einvoiced/einvoiced/rulebooks/write/nav"
	"github.com/einvoiced/einvoiced/rulebooks/write/nl"
	"github.com/einvoiced/einvoiced/rulebooks/write/pint"
	"github.com/einvoiced/einvoiced/rulebooks/write/pt"
	"github.com/einvoiced/einvoiced/rulebooks/write/qrbill"
	"github.com/einvoiced/einvoiced/rulebooks/write/ro"
	"github.com/einvoiced/einvoiced/rulebooks/write/schema"
	"github.com/einvoiced/einvoiced/rulebooks/write/verifactu"
)

// A family makes the texts of some rulebooks from tables: path below the folder rulebooks, with slashes, to content. A manifest
// among them ends with the key files, and the shared files that it uses; the hashes are added.
type family func() (map[string][]byte, error)

// families lists all of them.
func families() []family {
	return []family{
		be.Files, cius.Files, ebinterface.Files, en16931.Files, es.Files, facturx.Files, fr.Files, hr.Files, isdoc.Files, it.Files,
		ksef.Files, model.Files, mydata.Files, nav.Files, nl.Files, pint.Files, pt.Files, qrbill.Files, ro.Files, verifactu.Files,
		schema.Files, schema.NationalOrder, schema.Order,
	}
}

func main() {
	if err := run("rulebooks", families()); err != nil {
		fmt.Fprintln(os.Stderr, "write rulebooks:", err)
		os.Exit(1)
	}
}

// run writes what differs below the folder.
func run(dir string, families []family) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made, err := texts(families)
	if err != nil {
		return err
	}
	heads := takeManifests(made)
	if err := store(root, made); err != nil {
		return err
	}
	manifests, err := manifests(root.FS(), heads)
	if err != nil {
		return err
	}
	return store(root, manifests)
}

// texts gives what the families make.
func texts(families []family) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, make := range families {
		files, err := make()
		if err != nil {
			return nil, err
		}
		for name, content := range files {
			if _, twice := all[name]; twice {
				return nil, fmt.Errorf("%s is made by two families", name)
			}
			all[name] = content
		}
	}
	return all, nil
}

// store writes the files that differ.
func store(root *os.Root, files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if old, err := fs.ReadFile(root.FS(), name); err == nil && bytes.Equal(old, files[name]) {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := root.WriteFile(name, files[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}
