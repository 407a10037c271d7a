package site

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// guide is one page of the guides.
type guide struct {
	Path    string // /guides/jobs
	Title   string // its first heading
	Summary string // a line for lists; may be empty
	Body    template.HTML
}

// group is guides for one kind of reader.
type group struct {
	Title  string
	Guides []*guide
}

// shelf is a part of the list of guides.
type shelf struct {
	title string
	names []string
}

// shelves say for whom each guide is, in the order of reading. The last one has those, too, that are not named.
var shelves = []shelf{
	{"Use the API", []string{"api", "countries", "matrix", "xrechnung", "ubl", "pint", "hybrid", "ebinterface", "facturae", "fatturapa", "isdoc", "ksef", "mydata", "nav", "qr-bill",
		"templates", "validate", "convert", "detection", "jobs", "webhooks", "peppol", "verifactu", "limits", "codes", "clients", "glossary"}},
	{"Run the service", []string{"operations", "database", "storage", "rulebooks"}},
	{"Look inside", []string{"architecture", "add-a-format", "mapping", "mapping-ubl", "mapping-cii", "mapping-ebinterface", "mapping-facturae", "mapping-fatturapa", "mapping-isdoc",
		"mapping-ksef", "mapping-mydata", "mapping-nav", "mapping-qrbill", "conformance", "speed", "measurements", "chaos", "dependencies"}},
}

// summaries are what lists of guides say of them.
var summaries = map[string]string{
	"api":                 "Keys, documents, batches, errors",
	"countries":           "Formats, law and words of each country",
	"matrix":              "What works for each country and format",
	"xrechnung":           "What an XRechnung gets of an invoice",
	"ubl":                 "UBL in Europe: Peppol BIS and NLCIUS",
	"ebinterface":         "ebInterface 6.1 of Austria",
	"pint":                "PINT of the Gulf, Australia and Japan; Portugal, Romania, Croatia",
	"facturae":            "Facturae of Spain",
	"fatturapa":           "FatturaPA of Italy",
	"isdoc":               "ISDOC of Czechia",
	"ksef":                "FA(3) and KSeF of Poland",
	"mydata":              "myDATA of Greece",
	"nav":                 "Online Számla of Hungary",
	"qr-bill":             "The Swiss QR-bill and its payment part",
	"templates":           "PDF in 37 countries, and templates of your own",
	"verifactu":           "QR codes, records and their chain in Spain",
	"hybrid":              "The invoice in a ZUGFeRD or Factur-X",
	"validate":            "How invoices and documents are judged",
	"detection":           "How format, version and country are told",
	"convert":             "From one format into another, and what is lost on the way",
	"jobs":                "Work that is answered later, and what it promises",
	"webhooks":            "How events arrive, and how to check them",
	"peppol":              "Sending through Peppol, providers, the laboratory",
	"limits":              "Plans, quotas, repeated requests, key rotation",
	"codes":               "What each code of an error or warning means",
	"clients":             "Clients in five languages, made from the description",
	"glossary":            "Words of the trade and of this program",
	"add-a-format":        "A folder, its rows, its rules",
	"mapping":             "How a table of business terms is written",
	"operations":          "Set-ups, sizes, backups, upgrades",
	"database":            "SQLite or PostgreSQL, and what it holds",
	"storage":             "Object store and Redis of many processes",
	"rulebooks":           "Official rules as data, and how to load them",
	"architecture":        "The rooms of the program",
	"mapping-ubl":         "Where each business term stands in UBL",
	"mapping-cii":         "Where each business term stands in CII",
	"mapping-ebinterface": "Where each business term stands in ebInterface",
	"mapping-facturae":    "Where each business term stands in Facturae",
	"mapping-fatturapa":   "Where each business term stands in FatturaPA",
	"mapping-isdoc":       "Where each business term stands in ISDOC",
	"mapping-ksef":        "Where each business term stands in FA(3)",
	"mapping-mydata":      "Where each business term stands in myDATA",
	"mapping-nav":         "Where each business term stands in Online Számla",
	"mapping-qrbill":      "Where each business term stands in the QR-bill",
	"conformance":         "Test suites of the standards and official rule sets",
	"speed":               "Measured, with the way to measure again",
	"measurements":        "The figures behind the page on speed, set by set",
	"chaos":               "What happens when things break",
	"dependencies":        "Modules of others, and their licences",
}

// grouped puts the guides on their shelves, but for those in folders, which a guide lists.
func grouped(list []*guide) []group {
	rest := slices.DeleteFunc(slices.Clone(list), func(g *guide) bool { return strings.Contains(strings.TrimPrefix(g.Path, guidePath("")), "/") })
	groups := make([]group, len(shelves))
	for i, s := range shelves {
		groups[i].Title = s.title
		for _, name := range s.names {
			at := slices.IndexFunc(rest, func(g *guide) bool { return g.Path == guidePath(name) })
			if at >= 0 {
				groups[i].Guides = append(groups[i].Guides, rest[at])
				rest = slices.Delete(rest, at, at+1)
			}
		}
	}
	last := &groups[len(groups)-1]
	last.Guides = append(last.Guides, rest...)
	return groups
}

func guidePath(name string) string { return "/guides/" + name }

// readGuides renders every Markdown file.
func readGuides(guides fs.FS) ([]*guide, error) {
	names, err := fs.Glob(guides, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list the guides: %w", err)
	}
	below, err := fs.Glob(guides, "*/*.md")
	if err != nil {
		return nil, fmt.Errorf("list the guides: %w", err)
	}
	names = append(names, below...)
	press := markdown()
	var list []*guide
	for _, name := range names {
		source, err := fs.ReadFile(guides, name)
		if err != nil {
			return nil, fmt.Errorf("read a guide: %w", err)
		}
		g, err := readGuide(press, strings.TrimSuffix(name, ".md"), source)
		if err != nil {
			return nil, fmt.Errorf("read the guide %s: %w", name, err)
		}
		list = append(list, g)
	}
	return list, nil
}

func readGuide(press goldmark.Markdown, name string, source []byte) (*guide, error) {
	g := &guide{Path: guidePath(name), Title: name, Summary: summaries[name]}
	in := parser.NewContext()
	in.Set(folder, path.Dir(name))
	tree := press.Parser().Parse(text.NewReader(source), parser.WithContext(in))
	if h, ok := tree.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		g.Title = string(h.Lines().Value(source))
	}
	var b bytes.Buffer
	if err := press.Renderer().Render(&b, source, tree); err != nil {
		return nil, err
	}
	g.Body = template.HTML(b.String()) // the renderer escapes, and leaves out raw HTML
	return g, nil
}

// markdown is GitHub's, for the pages of the site: with anchors at headings, and without raw HTML or styles in attributes.
func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.Linkify),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{}, 100))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(wide{}, 100))),
	)
}

// folder is where the context of a parser says in which folder of the guides the text is.
var folder = parser.NewContextKey()

// links leads what leads to files of the repository to where they are for readers of the site, and takes comments away.
type links struct{}

// Transform implements parser.ASTTransformer.
func (links) Transform(tree *ast.Document, _ text.Reader, in parser.Context) {
	from, _ := in.Get(folder).(string)
	var comments []ast.Node
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function gives no error
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				n.Destination = []byte(destination(from, string(n.Destination)))
			}
		case *ast.Image:
			if entering {
				n.Destination = []byte(destination(from, string(n.Destination)))
			}
		case *ast.HTMLBlock:
			if entering && n.HTMLBlockType == ast.HTMLBlockType2 {
				comments = append(comments, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, c := range comments {
		c.Parent().RemoveChild(c.Parent(), c)
	}
}

// repository is where files are that the program does not have.
const repository = "https://github.com/einvoiced/einvoiced/blob/main/"

// destination is where a link of a guide in a folder leads on the site.
func destination(from, link string) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "#") || strings.HasPrefix(link, "mailto:") {
		return link
	}
	file, fragment, _ := strings.Cut(link, "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	switch file = path.Join("docs", from, file); {
	case file == "api/openapi.yaml":
		return "/openapi.json"
	case file == "docs/example.json":
		return "/guides/example.json"
	case strings.HasPrefix(file, "docs/images/"):
		return "/guides/" + strings.TrimPrefix(file, "docs/")
	case strings.HasPrefix(file, "docs/") && path.Ext(file) == ".md":
		return guidePath(strings.TrimSuffix(strings.TrimPrefix(file, "docs/"), ".md")) + fragment
	}
	return repository + file + fragment
}
