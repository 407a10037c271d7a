package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// convertToPages makes a PDF to look at of the invoice of a document.
func (s *Service) convertToPages(ctx context.Context, req ConvertRequest, c *Conversion) (*ConvertAnswer, error) {
	reading, err := s.readSource(ctx, req, c)
	if err != nil {
		return nil, err
	}
	inv := reading.Invoice
	made := &conversion{attached: -1, verdict: &checked{}, written: &written{chosen: c.choice, number: inv.InvoiceNumber, draft: &profile.Draft{Invoice: inv}}}
	if c.look.builtIn {
		made.written.lost = s.unseen(inv, c.country.Code)
	}
	made.lost = s.lossesOf(c, reading, made.written)
	if source, _ := attachSource(req, c, inv); source != nil {
		inv.Attachments = append(inv.Attachments, *source)
	}
	c.look.official = ksefCodeOf(c.opened, req.Document, inv)
	c.Release()
	out, err := s.layOut(ctx, c.country, inv, c.look, nil)
	if err != nil {
		return nil, err
	}
	made.data, made.warnings = out.PDF, out.warnings()
	answer := made.converted(c)
	answer.Warnings = append([]finding.Finding{}, answer.Warnings...)
	answer.Infos = slices.Concat(c.opened.infos, infosOf(c.opened.found), c.look.infos, req.Infos)
	return answer, nil
}

// unseen are the members that the template of the country does not show, each with how many entries of lists have it.
func (s *Service) unseen(inv *invoice.Invoice, country string) []mapping.Unwritten {
	var list []mapping.Unwritten
	at := map[string]int{}
	for leaf := range invoice.Leaves(inv) {
		path := invoice.AnyEntry(leaf)
		if s.layout.Shows(country, path) {
			continue
		}
		if i, known := at[path]; known {
			list[i].More++
			continue
		}
		at[path] = len(list)
		list = append(list, mapping.Unwritten{Field: leaf})
	}
	return list
}

// keepsPages tells whether the pages of the source become those of the target.
func (c *Conversion) keepsPages(req ConvertRequest) bool {
	return detect.Sniff(req.Document) == detect.LooksPDF && c.look.builtIn
}

// carryConverted puts the document of a conversion into a PDF: that of a hybrid source, whose pages stay, unless a template is asked for
// (supplement §1b); else one of ours.
func (s *Service) carryConverted(ctx context.Context, req ConvertRequest, c *Conversion, made *conversion, answer *ConvertAnswer) error {
	answer.EmbeddedXML = string(made.data)
	if c.keepsPages(req) {
		carried, err := s.carry(ctx, req.Document, made.written)
		if err != nil {
			return unusable(ctx, err)
		}
		answer.Data, answer.Warnings = carried.data, append(answer.Warnings, carried.warnings...)
		for _, w := range carried.done {
			answer.Warnings = append(answer.Warnings, finding.Finding{Code: w.Code, Field: "data", Message: w.Message})
		}
	} else {
		file := attachmentOf(made.written)
		out, err := s.layOut(ctx, c.country, made.read, c.look, &file)
		if err != nil {
			return err
		}
		answer.Data, answer.Warnings = out.PDF, append(answer.Warnings, out.warnings()...)
		answer.Infos = append(answer.Infos, c.look.infos...)
	}
	hash := sha256.Sum256(answer.Data)
	answer.Hash = hex.EncodeToString(hash[:])
	return nil
}
