package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// The last part of a manifest is written here, and begins with one of these keys; what stands before is written by people.
const (
	rulesKey = "\nrules:"
	filesKey = "\nfiles:"
)

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

// manifests gives the manifest of each rulebook, and the file of what its rules are about, with the hashes of the files as they are: of those in heads what is made anew, of
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
		made, err := parts(fsys, folder.Name(), old)
		if err != nil {
			return nil, fmt.Errorf("the manifest of %s: %w", folder.Name(), err)
		}
		all["books/"+folder.Name()+"/"+rulebooks.ManifestFile] = made.manifest
		if made.subjects != nil {
			all["books/"+folder.Name()+"/"+subjectsFile] = made.subjects
		}
	}
	return all, nil
}

// bookParts are the parts of a rulebook that are written here: its manifest, and the file of subjects where its rules name terms.
type bookParts struct{ manifest, subjects []byte }

// parts makes them: the manifest lists all files of the rulebook's folder, the shared ones that it names already, and those that say
// what its rules are about.
func parts(fsys fs.FS, folder string, old []byte) (bookParts, error) {
	head, names, err := listedFiles(old)
	if err != nil {
		return bookParts{}, err
	}
	own, err := ownFiles(fsys, folder)
	if err != nil {
		return bookParts{}, err
	}
	names = append(names, own...)
	books := rulebooks.WithShared(fsys)
	rules, err := rulesIn(books, folder, names)
	if err != nil {
		return bookParts{}, err
	}
	p := bookParts{subjects: subjectsOf(rules)}
	subjects, err := sharedSubjectsOf(fsys, rules)
	if err != nil {
		return bookParts{}, err
	}
	contents := map[string][]byte{}
	if p.subjects != nil {
		contents[subjectsFile] = p.subjects
		subjects = append(subjects, subjectsFile)
	}
	p.manifest, err = ending(head, countOf(rules), subjects), addContents(contents, books, folder, append(names, subjects...))
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		p.manifest = fmt.Appendf(p.manifest, "  %s: %x\n", name, sha256.Sum256(contents[name]))
	}
	return p, err
}

// addContents reads the files that are not there.
func addContents(contents map[string][]byte, books fs.FS, folder string, names []string) error {
	for _, name := range names {
		if contents[name] != nil {
			continue
		}
		data, err := fs.ReadFile(books, folder+"/"+name)
		if err != nil {
			return err
		}
		contents[name] = data
	}
	return nil
}

// ending is a manifest up to the list of its files.
func ending(head []byte, rules int, subjects []string) []byte {
	text := slices.Clone(head)
	if rules > 0 {
		text = fmt.Appendf(text, "%s %d", rulesKey, rules)
	}
	if len(subjects) > 0 {
		text = fmt.Appendf(text, "\nsubjects: [%s]", strings.Join(subjects, ", "))
	}
	return append(text, filesKey+"\n"...)
}

// listedFiles gives the part of a manifest that people write, and the shared files that it names, but for those of subjects.
func listedFiles(old []byte) (head []byte, shared []string, err error) {
	head, list, found := bytes.Cut(old, []byte(filesKey))
	if !found {
		return nil, nil, fmt.Errorf("it has no files: expected that key at its end, with the shared files that it uses")
	}
	head, _, _ = bytes.Cut(head, []byte(rulesKey))
	for line := range strings.Lines(string(list)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ": ")
		name = strings.TrimSuffix(name, ":")
		if strings.HasPrefix(name, rulebooks.SharedFolder+"/") && !strings.HasPrefix(name, sharedSubjects+"/") {
			shared = append(shared, name)
		}
	}
	return head, shared, nil
}

// ownFiles lists the files in the folder of a rulebook and below, but not those that are written here.
func ownFiles(fsys fs.FS, folder string) ([]string, error) {
	dir := "books/" + folder
	var names []string
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		made := name == path.Join(dir, rulebooks.ManifestFile) || name == path.Join(dir, subjectsFile)
		if err == nil && !entry.IsDir() && !made {
			names = append(names, strings.TrimPrefix(name, dir+"/"))
		}
		return err
	})
	return names, err
}
