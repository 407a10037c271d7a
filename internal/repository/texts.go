package repository

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A word is what must not stand in any file, and why.
type word struct {
	Pattern *regexp.Regexp
	Why     string
}

// words are written in parts so that this file does not contain them.
var words = []word{
	{regexp.MustCompile(`(^|[^\w./-])/(wo` + `rk|fa` + `rm)/[a-z]`), "a path of one machine; write it relative to the repository"},
	{regexp.MustCompile(`/tmp/bash` + `_jobs|/ro` + `ot/(go|\.cache|\.m2)\b`), "a path of one machine"},
	{regexp.MustCompile(`(proxy|sum)\.gol` + `ang\.org|registry\.npm` + `js|deb\.deb` + `ian\.org|repo1?\.mav` + `en|files\.python` + `hosted`),
		"the host of a package registry; plain clients know where to look"},
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|HA` + `CK)\b`), "unfinished work; finish it or write an issue"},
}

// Words finds words that must not stand in a file. Binary files and fuzz corpora are left out.
func Words(repository fs.FS) ([]string, error) {
	var faults []string
	err := walk(repository, func(name string) error {
		data, err := fs.ReadFile(repository, name)
		if err != nil || bytes.IndexByte(data, 0) >= 0 || strings.Contains(name, "testdata/fuzz/") {
			return err
		}
		for _, w := range words {
			if at := w.Pattern.FindIndex(data); at != nil {
				line := 1 + bytes.Count(data[:at[0]+1], []byte("\n"))
				faults = append(faults, fmt.Sprintf("%s:%d: %q: %s", name, line, data[at[0]:at[1]], w.Why))
			}
		}
		return nil
	})
	return faults, err
}

// Module finds what a released go.mod must not have.
func Module(repository fs.FS) ([]string, error) {
	data, err := fs.ReadFile(repository, "go.mod")
	if err != nil {
		return nil, err
	}
	var faults []string
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "replace") {
			faults = append(faults, fmt.Sprintf("go.mod:%d: a replace directive makes builds differ from what users get", i+1))
		}
	}
	return faults, nil
}

// texts that every release has, each with a line that it must contain.
var texts = []struct{ Name, Line string }{
	{"README.md", "# einvoiced"},
	{"LICENSE", "                                 Apache License"},
	{"CHANGELOG.md", "## [Unreleased]"},
	{"SECURITY.md", "# Security"},
	{"CONTRIBUTING.md", "# Contributing"},
	{"docs/architecture.md", "# Architecture"},
}

// Texts finds texts that are missing or are not what their name says.
func Texts(repository fs.FS) []string {
	var faults []string
	for _, text := range texts {
		data, err := fs.ReadFile(repository, text.Name)
		switch {
		case err != nil:
			faults = append(faults, err.Error())
		case !slices.Contains(strings.Split(string(data), "\n"), text.Line):
			faults = append(faults, fmt.Sprintf("%s has no line %q", text.Name, strings.TrimSpace(text.Line)))
		}
	}
	return faults
}

// Rooms finds top-level folders of Go packages that docs/architecture.md does not name.
func Rooms(repository fs.FS, files []*File) ([]string, error) {
	text, err := fs.ReadFile(repository, "docs/architecture.md")
	if err != nil {
		return nil, err
	}
	var faults []string
	seen := map[string]bool{".": true}
	for _, f := range files {
		if folder := top(f.Folder()); !seen[folder] {
			seen[folder] = true
			if !bytes.Contains(text, []byte(folder+"/")) {
				faults = append(faults, "docs/architecture.md does not name "+folder+"/")
			}
		}
	}
	return faults, nil
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

// Links finds links between our own texts that lead nowhere.
func Links(repository fs.FS) ([]string, error) {
	var faults []string
	err := walk(repository, func(name string) error {
		if path.Ext(name) != ".md" {
			return nil
		}
		data, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllSubmatch(data, -1) {
			target := string(m[1])
			if strings.Contains(target, ":") {
				continue
			}
			if _, err := fs.Stat(repository, path.Join(path.Dir(name), target)); err != nil {
				faults = append(faults, name+": the link to "+target+" leads nowhere")
			}
		}
		return nil
	})
	return faults, err
}

// Blocks gives the text of the fenced blocks of a Markdown text by the words after the fence, e.g. "sh test".
func Blocks(markdown string) map[string]string {
	blocks := map[string]string{}
	open, info := false, ""
	for line := range strings.Lines(markdown) {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && !open:
			open, info = true, strings.TrimSpace(fence)
		case isFence:
			open = false
		case open:
			blocks[info] += line
		}
	}
	return blocks
}

// News finds a changelog whose section Unreleased has no entry.
func News(repository fs.FS) ([]string, error) {
	data, err := fs.ReadFile(repository, "CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	_, unreleased, _ := strings.Cut(string(data), "## [Unreleased]")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	if !strings.Contains(unreleased, "\n- ") {
		return []string{"CHANGELOG.md: nothing stands under Unreleased"}, nil
	}
	return nil, nil
}
