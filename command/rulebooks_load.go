package command

import (
	"context"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// rulebooksFlag says where rulebooks lie besides those that ship.
type rulebooksFlag struct {
	Rulebooks string `env:"EINVOICED_RULEBOOKS" placeholder:"DIR" help:"Folder of rulebooks; adds to those that ship, and replaces those of the same id and version."`
}

// registry loads the rulebooks that ship and those of the folder, which are read and checked in full.
func (f *rulebooksFlag) registry(ctx context.Context) (*rulebook.Registry, error) {
	return f.load(ctx, false)
}

// registryOnUse is registry for a command that judges a few documents and ends: the rulebooks that it uses are read and checked then.
func (f *rulebooksFlag) registryOnUse(ctx context.Context) (*rulebook.Registry, error) {
	return f.load(ctx, true)
}

func (f *rulebooksFlag) load(ctx context.Context, onUse bool) (*rulebook.Registry, error) {
	layers := []rulebook.Layer{{Name: "shipped", Trusted: true, Open: func() (fs.FS, error) { return rulebooks.Books(), nil }}}
	if f.Rulebooks != "" {
		layers = append(layers, rulebook.Layer{Name: f.Rulebooks, Open: f.openFolder, OnUse: onUse})
	}
	registry, err := rulebook.NewRegistry(ctx, rulebook.Config{Layers: layers})
	if err != nil {
		return nil, f.refuse(err)
	}
	return registry, nil
}

// openFolder opens the folder anew, so that one that was put in its place is seen. No path leads out of it.
func (f *rulebooksFlag) openFolder() (fs.FS, error) {
	root, err := os.OpenRoot(f.Rulebooks)
	if err != nil {
		return nil, err
	}
	return openedFolder{root.FS().(fs.ReadLinkFS), root}, nil
}

// openedFolder is a folder to read and then to close.
type openedFolder struct {
	fs.ReadLinkFS
	io.Closer
}

func (f *rulebooksFlag) refuse(err error) error {
	return &failure{code: exitUsage, cause: err, hint: "--rulebooks (EINVOICED_RULEBOOKS) names a folder with a folder for each rulebook, as einvoiced rulebooks import writes them"}
}

// rulebooksList is einvoiced rulebooks list.
type rulebooksList struct {
	rulebooksFlag
	JSON bool `name:"json" help:"Print one line of JSON for each rulebook."`
}

// listedBook is a rulebook as it is listed.
type listedBook struct {
	ID         string   `json:"id"`
	Version    string   `json:"version"`
	Title      string   `json:"title,omitzero"`
	Syntax     string   `json:"syntax"`
	From       string   `json:"from,omitzero"` // first day in force
	To         string   `json:"to,omitzero"`   // last day in force
	XSD        []string `json:"xsd"`           // entry files
	Schematron []string `json:"schematron"`    // the same
	Layer      string   `json:"layer"`
	Digest     string   `json:"digest"` // SHA-256 of the manifest
}

func newListedBook(b *rulebook.Book) listedBook {
	m := b.Manifest
	l := listedBook{m.ID, m.Version, m.Title, m.Syntax, m.Valid.From, m.Valid.To, []string{}, []string{}, b.Layer, b.Digest}
	for _, x := range m.Schemas {
		l.XSD = append(l.XSD, x.File)
	}
	for _, r := range m.Rules {
		l.Schematron = append(l.Schematron, r.File)
	}
	return l
}

// Run prints the rulebooks by id and version.
func (c *rulebooksList) Run(m *Main, ctx context.Context) error {
	registry, err := c.registry(ctx)
	if err != nil {
		return err
	}
	return bookColumns.print(m.Stdout, c.JSON, mapped(registry.Current().Books(), newListedBook))
}

var bookColumns = columns[listedBook]{
	head: []string{"ID", "VERSION", "SYNTAX", "FROM", "TO", "LAYER", "FILES"},
	cells: func(l listedBook) []string {
		return []string{l.ID, l.Version, l.Syntax, orDash(l.From), orDash(l.To), l.Layer, strings.Join(append(l.XSD, l.Schematron...), " ")}
	},
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
