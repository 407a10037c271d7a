package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// filesKey begins the last part of a manifest, which is written here; what stands before is written by people.
const filesKey = "\nfiles:"

// takeManifests takes the manifests out of texts, by the folder of their rulebook.
func takeManifests(texts map[string][]byte) map[string][]byte {
	heads := map[string][]byte{}
	for name, text := range texts {
		if dir, file := path.Split(name); file == rulebooks.ManifestFile {
			heads[path.Base(dir)] = text
			delete(texts, name)
		}
	}
	return heads
}

// manifests gives the manifest of each rulebook with the hashes of the files as they are: of those in heads what is made anew, of
// the others as it stands.
func manifests(fsys fs.FS, heads map[string][]byte) (map[string][]byte, error) {
	folders, err := fs.ReadDir(fsys, "books")
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		old, err := heads[folder.Name()], error(nil)
		if old == nil {
			old, err = fs.ReadFile(fsys, path.Join("books", folder.Name(), rulebooks.ManifestFile))
		}
		if err != nil {
			return nil, err
		}
		text, err := manifest(fsys, folder.Name(), old)
		if err != nil {
			return nil, fmt.Errorf("the manifest of %s: %w", folder.Name(), err)
		}
		all["books/"+folder.Name()+"/"+rulebooks.ManifestFile] = text
	}
	return all, nil
}

// manifest lists all files of the rulebook's folder, and the shared ones that the manifest names already.
func manifest(fsys fs.FS, folder string, old []byte) ([]byte, error) {
	head, list, found := bytes.Cut(old, []byte(filesKey))
	if !found {
		return nil, fmt.Errorf("it has no files: expected that key at its end, with the shared files that it uses")
	}
	names, err := ownFiles(fsys, folder)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(list)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name = strings.TrimSuffix(name, ":"); strings.HasPrefix(name, rulebooks.SharedFolder+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	text := append(head, filesKey+"\n"...)
	books := rulebooks.WithShared(fsys)
	for _, name := range slices.Compact(names) {
		data, err := fs.ReadFile(books, folder+"/"+name)
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, "  %s: %x\n", name, sha256.Sum256(data))
	}
	return text, nil
}

// ownFiles lists the files in the folder of a rulebook and below, but not the manifest.
func ownFiles(fsys fs.FS, folder string) ([]string, error) {
	dir := "books/" + folder
	var names []string
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && name != path.Join(dir, rulebooks.ManifestFile) {
			names = append(names, strings.TrimPrefix(name, dir+"/"))
		}
		return err
	})
	return names, err
}
