package validate

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/progress"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// source is what judges in a pass: a rulebook (*rulebook.Book), or a Set of rules that are in none.
type source interface {
	Schemas() ([]rulebook.Schema, error)
	Programs() ([]*schematron.Program, error)
}

// pass is one way through the schemas and rules of sources, in their order. What it found is what Report and Verdict are made of.
type pass struct {
	sources []source
	doc     *xmltree.Document
	schemas []schemaSaid // the first schema for the document element alone; where there is none, all of them
	fired   []ruleFired
	gaps    []gap
}

// schemaSaid is what one schema said.
type schemaSaid struct {
	source     int
	schema     rulebook.Schema
	stranger   bool // it is for other document elements
	violations []xsd.Violation
}

// ruleFired is an assertion that fired.
type ruleFired struct {
	source  int
	ruleSet int // of those that were asked, in their order
	schematron.Fired
}

// gap is a rule that could not be evaluated, or a source that could not be applied.
type gap struct {
	source int
	rule   schematron.NotRun // where broken is nil
	broken error
}

// refused tells whether the schemas speak against the document.
func (p *pass) refused() bool { return len(p.schemaSaid().violations) > 0 }

// schemaSaid is the verdict of the schemas: that of the first one for the document element; where there is none, of the first one that
// said something. Its schema is nil where no schema was asked.
func (p *pass) schemaSaid() schemaSaid {
	for _, said := range p.schemas {
		if !said.stranger || len(said.violations) > 0 {
			return said
		}
	}
	return schemaSaid{}
}

// askSchemas asks the schemas of all sources until one is for the document element. The error is that of the context. A
// rulebook may have schemas for several syntaxes, and a plan several rulebooks with the same schema: one answer is enough.
func (p *pass) askSchemas(ctx context.Context) error {
	for i, source := range p.sources {
		schemas, err := source.Schemas()
		if err != nil {
			p.gaps = append(p.gaps, gap{source: i, broken: err})
			continue
		}
		for _, schema := range schemas {
			said, err := p.askSchema(ctx, schema)
			if err != nil {
				return err
			}
			said.source = i
			if !said.stranger {
				p.schemas = []schemaSaid{said}
				return nil
			}
			p.schemas = append(p.schemas, said)
		}
	}
	return nil
}

func (p *pass) askSchema(ctx context.Context, schema rulebook.Schema) (schemaSaid, error) {
	said := schemaSaid{schema: schema}
	root := p.doc.Root()
	if name := (xmltree.Name{Space: p.doc.Namespace(root), Local: p.doc.Local(root)}); schema.Root != (xmltree.Name{}) && schema.Root != name {
		said.stranger = true
		return said, nil
	}
	violations, err := schema.Validate(ctx, p.doc)
	if err != nil {
		return said, fmt.Errorf("validate by a schema: %w", err)
	}
	said.violations = violations
	said.stranger = len(violations) > 0 && violations[0].Kind == xsd.KindRoot
	return said, nil
}

// askRules asks the rules of all sources. The error is that of the context.
func (p *pass) askRules(ctx context.Context, opt schematron.EvaluateOptions) error {
	const ofSchemas = 30 // percent
	asked := 0
	for i, source := range p.sources {
		progress.Note(ctx, ofSchemas+(100-ofSchemas)*i/len(p.sources))
		programs, err := source.Programs()
		if err != nil {
			p.gaps = append(p.gaps, gap{source: i, broken: err})
			continue
		}
		for _, program := range programs {
			said, err := program.Evaluate(ctx, p.doc, opt)
			if err != nil {
				return fmt.Errorf("judge by rules: %w", err)
			}
			for _, fired := range said.Fired {
				p.fired = append(p.fired, ruleFired{i, asked, fired})
			}
			asked++
			for _, rule := range said.NotRun {
				p.gaps = append(p.gaps, gap{source: i, rule: rule})
			}
		}
	}
	progress.Note(ctx, 100)
	return nil
}
