package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
)

// byRulebook gives the verdicts of a rulebook, such as the official one that was imported, in the form of a file of verdicts on the rules
// of another one.
type byRulebook struct {
	official, ours *rulebook.Book
	documents      fs.FS
	now            time.Time
}

// pair finds the two rulebooks that the command line names.
func (c *rulebooksAgree) pair(books *rulebook.Generation, documents fs.FS) (*byRulebook, error) {
	p := &byRulebook{documents: documents, now: c.time()}
	for name, into := range map[string]**rulebook.Book{c.Official: &p.official, c.Ours: &p.ours} {
		id, version, _ := strings.Cut(name, "@")
		book, err := books.Latest(id, version)
		if err != nil {
			return nil, &failure{code: exitUsage, cause: err, hint: "--official and --ours name rulebooks of einvoiced rulebooks list"}
		}
		*into = book
	}
	return p, nil
}

// verdicts judges every XML document of the folder by the official rulebook.
func (p *byRulebook) verdicts(ctx context.Context) (*validate.Official, error) {
	set, err := validate.OfBook(p.official)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err}
	}
	parser, err := xmltree.NewParser(xmltree.Options{})
	if err != nil {
		return nil, err
	}
	name := p.ours.Manifest.ID
	all := &validate.Official{Rulesets: map[string]validate.OfficialRuleset{name: {Version: p.ours.Manifest.Version}}, Files: map[string]validate.OfficialFile{}}
	err = fs.WalkDir(p.documents, ".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.EqualFold(path.Ext(file), ".xml") {
			return err
		}
		source, err := fs.ReadFile(p.documents, file)
		if err != nil {
			return err
		}
		v, err := (&validate.Set{Rules: set.Rules}).Judge(ctx, parser, source, p.now)
		if err != nil {
			return err
		}
		all.Files[file] = validate.OfficialFile{Rules: map[string]validate.OfficialVerdict{name: p.verdict(v)}}
		return nil
	})
	if err == nil && len(all.Files) == 0 {
		err = errors.New("there are no XML documents in the folder")
	}
	if err != nil {
		return nil, &failure{code: exitUsage, cause: fmt.Errorf("read documents: %w", err), hint: "name a folder of invoices"}
	}
	return all, nil
}

// verdict gives a verdict in the form of the official ones: where a rule could not be evaluated, the run ends with its error, and what
// fired besides is right as well.
func (p *byRulebook) verdict(v *validate.Verdict) validate.OfficialVerdict {
	findings := []validate.OfficialFinding{}
	for i := range v.Schematron {
		f := &v.Schematron[i]
		findings = append(findings, validate.OfficialFinding{ID: p.official.PublisherID(f.ID), Flag: f.Level(), Count: f.Count})
	}
	if len(v.NotRun) == 0 {
		return validate.OfficialVerdict{Findings: findings}
	}
	return validate.OfficialVerdict{Error: v.NotRun[0].Code, Also: findings, AlsoFindings: true}
}
