package repository

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Dependency is a module of others that the program contains.
type Dependency struct {
	Module   string
	Version  string
	Licences []string // SPDX identifiers of the licences in its files, sorted; empty where none is known
}

// Dependencies lists the modules that the program of the checkout contains on Linux, by path. The error is that of the go command, or of
// reading their licences.
func Dependencies(ctx context.Context, checkout string) ([]Dependency, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", ".")
	cmd.Dir, cmd.Env = checkout, append(os.Environ(), "GOOS=linux")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list what the program contains: %w", err)
	}
	found := map[string]Dependency{}
	for packages := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what the program contains: %w", err)
		}
		if m := p.Module; m != nil && !m.Main && found[m.Path].Module == "" {
			licences, err := licencesIn(m.Dir)
			if err != nil {
				return nil, fmt.Errorf("licence of %s: %w", m.Path, err)
			}
			found[m.Path] = Dependency{m.Path, m.Version, licences}
		}
	}
	return sorted(found), nil
}

func sorted(found map[string]Dependency) (list []Dependency) {
	for _, d := range found {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Dependency) int { return strings.Compare(a.Module, b.Module) })
	return list
}

// licences are told by words that each of them has and the others have not. All of them let the program be given to anybody; a text with
// none of these words has to be read by a person.
var licences = []struct {
	ID    string
	Words *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License,? Version 2\.0`)},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms`)},
	{"BSD-3-Clause", regexp.MustCompile(`[Nn]either the names? of`)},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge`)},
	{"OFL-1.1", regexp.MustCompile(`SIL OPEN FONT LICENSE`)},
	{"Unlicense", regexp.MustCompile(`free and unencumbered software released into the public domain`)},
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying)`)
	spaces      = regexp.MustCompile(`[\s/*]+`)
)

// licencesIn names the licences in the files of a module.
func licencesIn(dir string) (ids []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		ids = append(ids, licencesOf(string(text))...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// licencesOf names the licences of a text. The one of two clauses is contained in that of three.
func licencesOf(text string) (ids []string) {
	text = spaces.ReplaceAllString(text, " ")
	for _, l := range licences {
		if l.Words.MatchString(text) {
			ids = append(ids, l.ID)
		}
	}
	if slices.Contains(ids, "BSD-3-Clause") {
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "BSD-2-Clause" })
	}
	if slices.Contains(ids, "OFL-1.1") { // which begins as the MIT licence does
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "MIT" })
	}
	return ids
}

// Unlicensed finds the dependencies whose licence is none of those that are known.
func Unlicensed(list []Dependency) (faults []string) {
	for _, d := range list {
		if len(d.Licences) == 0 {
			faults = append(faults, d.Module+" has no licence that is known; read it before the program contains it")
		}
	}
	return faults
}

// fonts are those in the modules, whose licences stand beside the fonts and not at the top of the modules.
const fonts = `
## Fonts

The fonts are in the program as their makers gave them out. PDF files embed the glyphs that they show, which these licences allow.

| Fonts | Module | Licence |
|---|---|---|
| Liberation Sans, Serif and Mono | codeberg.org/go-fonts/liberation | OFL-1.1, with the reserved name Liberation |
| Noto Sans Arabic | eliasnaur.com/font | OFL-1.1 |
| M+ 1p, Press Start 2P (not used) | github.com/hajimehoshi/ebiten/v2, package examples/resources/fonts | M+ FONTS LICENSE (free to use, change and give out), OFL-1.1 |
`

// Bill is the page docs/dependencies.md: what the program contains that others wrote.
func Bill(list []Dependency) string {
	var b strings.Builder
	b.WriteString(`# What the program contains

The modules of others in the Linux program, with the licences in their files. ` + "`go version -m einvoiced`" + ` tells the same of a built program.
The page is generated: ` + "`go test ./internal/repository -run Dependencies -update`" + `; a test fails when it is not what is built.

| Module | Version | Licence |
|---|---|---|
`)
	for _, d := range list {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.Module, d.Version, strings.Join(d.Licences, ", "))
	}
	b.WriteString(fonts)
	return b.String()
}
