package operation

import (
	"context"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/aade"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
	"github.com/einvoiced/einvoiced/core/finding"
)

// parsed reads the XML of a source. Where that is an envelope of the Peppol network, or an answer of the Greek tax authority, it reads the
// document inside, and gives the source of that. Kind is as for carriedBy. The caller releases the document.
func (s *Service) parsed(ctx context.Context, src *source, kind func(message string, cause error) *finding.Refusal) (*source, *xmltree.Document, error) {
	doc, err := s.parser.Parse(src.xml)
	if err != nil {
		return src, nil, unreadable(src.name, err, kind)
	}
	var inner *source
	switch {
	case sbdh.Is(doc):
		inner, err = insideEnvelope(ctx, src, doc, kind)
	case aade.Is(doc):
		inner, err = insideAnswer(src, doc, kind)
	default:
		return src, doc, nil
	}
	doc.Release()
	if err != nil {
		return src, nil, err
	}
	if doc, err = s.parser.Parse(inner.xml); err != nil {
		return inner, nil, unreadable(inner.name, err, kind)
	}
	return inner, doc, nil
}

// insideEnvelope is the source of what an envelope holds.
func insideEnvelope(ctx context.Context, src *source, doc *xmltree.Document, kind func(message string, cause error) *finding.Refusal) (*source, error) {
	inside, err := sbdh.Unwrap(doc)
	if err != nil {
		return nil, kind(src.name+": "+err.Error(), err)
	}
	inner := &source{name: "data: the document in the envelope (SBDH)", xml: inside}
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

// insideAnswer is the source of the invoices in an answer of the Greek tax authority.
func insideAnswer(src *source, doc *xmltree.Document, kind func(message string, cause error) *finding.Refusal) (*source, error) {
	inside, beside, err := aade.Unwrap(doc)
	if err != nil {
		return nil, kind(src.name+": "+err.Error(), err)
	}
	return &source{name: "data: the invoices in the authority's answer (RequestedDoc)", xml: inside, signed: src.signed, answered: true, beside: beside}, nil
}
