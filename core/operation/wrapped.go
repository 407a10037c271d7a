package operation

import (
	"context"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
	"github.com/einvoiced/einvoiced/core/finding"
)

// parsed reads the XML of a source. Where that is an envelope of the Peppol network, it reads the document inside, and gives the source of
// that. Kind is as for carriedBy. The caller releases the document.
func (s *Service) parsed(ctx context.Context, src *source, kind func(message string, cause error) *finding.Refusal) (*source, *xmltree.Document, error) {
	doc, err := s.parser.Parse(src.xml)
	if err != nil {
		return src, nil, unreadable(src.name, err, kind)
	}
	if !sbdh.Is(doc) {
		return src, doc, nil
	}
	inside, err := sbdh.Unwrap(doc)
	doc.Release()
	if err != nil {
		return src, nil, kind(src.name+": "+err.Error(), err)
	}
	inner, err := insideEnvelope(ctx, src, inside, kind)
	if err != nil {
		return src, nil, err
	}
	if doc, err = s.parser.Parse(inner.xml); err != nil {
		return inner, nil, unreadable(inner.name, err, kind)
	}
	return inner, doc, nil
}

// insideEnvelope is the source of what an envelope held.
func insideEnvelope(ctx context.Context, src *source, inside []byte, kind func(message string, cause error) *finding.Refusal) (*source, error) {
	inner := &source{name: "data: the document in the envelope (SBDH)", xml: inside}
	var err error
	switch detect.Sniff(inside) {
	case detect.LooksXML:
	case detect.LooksPDF:
		inner, err = carriedBy(ctx, inside, kind)
	default:
		if inner, err = enveloped(inside, kind); inner == nil && err == nil {
			err = kind("data: the envelope (SBDH) holds neither XML nor PDF", nil)
		}
	}
	if err != nil {
		return nil, err
	}
	inner.wrapped, inner.signed = true, inner.signed || src.signed
	return inner, nil
}
