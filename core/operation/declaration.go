package operation

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/locale"
)

//go:embed declaration.json
var declarationTemplate []byte

// PrintDeclaration makes the PDF of the producer's responsible declaration, in Spanish. The Refusal is 409 where VeriFactu is not configured.
func (s *Service) PrintDeclaration(ctx context.Context) (*PagesAnswer, error) {
	if s.cfg.VeriFactu == nil {
		return nil, NoVeriFactu
	}
	declared := s.cfg.VeriFactu.Declaration()
	template, err := block.Parse(declarationTemplate)
	if err != nil {
		return nil, fmt.Errorf("read the template of the declaration: %w", err)
	}
	data, err := json.Marshal(map[string]any{"lines": declared.Lines()})
	if err != nil {
		return nil, fmt.Errorf("write the declaration: %w", err)
	}
	in := block.Input{Library: s.library, Language: "es", Title: template.Name, Author: declared.Producer.Name}
	in.Created, _ = time.Parse(time.DateOnly, declared.Date) // checked when it was loaded
	in.Locale, _ = locale.Of("es-ES")
	if in.Data, err = block.ParseValue(data); err != nil {
		return nil, fmt.Errorf("read the declaration: %w", err)
	}
	out, err := template.Render(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("lay out the declaration: %w", err)
	}
	return s.pages("declaracion", &laidOut{Output: out}), nil
}
