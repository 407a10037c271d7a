package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/einvoiced/einvoiced/core/rulebook"
)

// rulebooksImport is einvoiced rulebooks import.
type rulebooksImport struct {
	Source     string   `arg:"" help:"Official distribution as published: a folder, ZIP or JAR."`
	Into       string   `required:"" placeholder:"DIR" help:"Folder of rulebooks that the new one is written to."`
	ID         string   `name:"id" placeholder:"ID" help:"Name of the rulebook; by default that of the Schematron file."`
	Version    string   `name:"version" placeholder:"V" help:"Publisher's version; by default the one in the names of file and folders."`
	Syntax     string   `placeholder:"NAME" help:"Syntax of the documents; by default ubl or cii, as the rules say."`
	Schematron []string `placeholder:"FILE" sep:"none" help:"Entry file of Schematron rules inside the source; by default the one that is found. May be repeated."`
	XSD        []string `name:"xsd" placeholder:"FILE" sep:"none" help:"Entry file of an XML Schema inside the source; by default the one that is found. May be repeated."`
	Parameters string   `enum:"first,last" default:"first" help:"Which of several parameters with one name counts in abstract patterns: first, as the ISO skeleton has it, or last; default ${default}."`
	Like       string   `placeholder:"ID" help:"Rulebook, ID or ID@VERSION, in whose place the new one judges the same documents, with the same levels and house codes; by default the one that has its id."`
	From       string   `name:"valid-from" placeholder:"DAY" help:"First day on which the rules are in force, YYYY-MM-DD; by default always."`
	Announce   bool     `help:"Have what is new in the rules warn until that day."`
	Replace    bool     `help:"Replace a rulebook of the same id and version."`
}

// Run writes the rulebook and prints the name of its folder.
func (c *rulebooksImport) Run(m *Main, ctx context.Context) error {
	source, closer, err := openSource(c.Source)
	if err != nil {
		return &failure{code: exitUsage, cause: fmt.Errorf("open source: %w", err), hint: "name the folder, ZIP or JAR as the publisher ships it"}
	}
	defer closer()
	if err := os.MkdirAll(c.Into, 0o755); err != nil {
		return &failure{code: exitUsage, cause: fmt.Errorf("open rulebooks: %w", err), hint: "--into names the folder of rulebooks; it must be writable"}
	}
	into, err := os.OpenRoot(c.Into)
	if err != nil {
		return err
	}
	defer into.Close()
	options := c.options()
	if options.Like, err = c.like(ctx); err != nil {
		return err
	}
	done, err := rulebook.Import(ctx, source, into, options)
	if err != nil {
		return &failure{code: exitInvalid, cause: err, hint: "einvoiced rulebooks import --help tells how to name what is not found"}
	}
	for _, note := range done.Notes {
		fmt.Fprintln(m.Stderr, "einvoiced: note:", note)
	}
	_, err = fmt.Fprintf(m.Stdout, "%s: %s %s, files: %d\n", done.Folder, done.Manifest.ID, done.Manifest.Version, len(done.Manifest.Files))
	return err
}

func (c *rulebooksImport) options() rulebook.ImportOptions {
	return rulebook.ImportOptions{ID: c.ID, Version: c.Version, Syntax: c.Syntax, Schematron: c.Schematron, Schemas: c.XSD,
		Parameters: c.Parameters, From: c.From, Announce: c.Announce, Replace: c.Replace}
}

// like finds the rulebook in whose place the new one judges, among those that ship and those of the folder; nil where there is none.
func (c *rulebooksImport) like(ctx context.Context) (*rulebook.Book, error) {
	name := cmp.Or(c.Like, c.ID)
	if name == "" {
		return nil, nil
	}
	folder := rulebooksFlag{Rulebooks: c.Into}
	registry, err := folder.registry(ctx)
	if err != nil && c.Like == "" { // a folder with something broken in it may be mended by the import
		folder.Rulebooks = ""
		registry, err = folder.registry(ctx)
	}
	if err != nil {
		return nil, err
	}
	id, version, _ := strings.Cut(name, "@")
	book, err := registry.Current().Latest(id, version)
	switch {
	case err == nil:
		return book, nil
	case c.Like == "":
		return nil, nil
	}
	return nil, &failure{code: exitUsage, cause: err, hint: "einvoiced rulebooks list has the rulebooks that there are"}
}

// openSource opens a folder or an archive.
func openSource(name string) (fs.FS, func() error, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root.Close, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	archive, err := rulebook.OpenArchive(file, info.Size(), rulebook.Limits{})
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return archive, file.Close, nil
}
