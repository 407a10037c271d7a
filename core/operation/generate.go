package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"einvoiced/core/finding"
	"einvoiced/core/format"
	"einvoiced/core/mapping"
	"einvoiced/core/profile"
	"einvoiced/core/xmltree"
)

// Generate writes the document of an invoice. The Refusal is 400 for a request that is no invoice for this country and format,
// 422 for an invoice that the format cannot express.
func (s *Service) Generate(ctx context.Context, req GenerateRequest) (*GenerateAnswer, error) {
	country, token, err := resolve(req.Country, req.Format)
	if err != nil {
		return nil, err
	}
	p := s.profiles[token.ID]
	if p == nil {
		return nil, badRequest("format", "format %s cannot be generated yet; GET /api/v1/invoice/%s/formats tells what can", token.ID, strings.ToLower(country.Code))
	}
	inv, warnings, err := s.decode(ctx, req, country, token)
	if err != nil {
		return nil, err
	}
	draft := p.Derive(inv)
	if len(draft.Errors) > 0 {
		return nil, notCompliant(draft.Errors)
	}
	data, unwritten, err := s.write(ctx, draft)
	if err != nil {
		return nil, err
	}
	warnings = append(warnings, draft.Warnings...)
	warnings = append(warnings, notWritten(unwritten, draft, token)...)
	warnings = append(warnings, finding.Finding{Code: finding.SelfCheckIncomplete,
		Message: "the document was not checked against the rules of " + token.Name + ": its rulebook is missing"})
	hash := sha256.Sum256(data)
	return &GenerateAnswer{Success: true, Format: token.ID, Filename: filename(inv.InvoiceNumber, token), MimeType: token.MimeType,
		Hash: hex.EncodeToString(hash[:]), Data: data, Errors: []finding.Finding{}, Warnings: warnings}, nil
}

// write makes the document of a canonical invoice.
func (s *Service) write(ctx context.Context, draft *profile.Draft) ([]byte, []mapping.Unwritten, error) {
	p := draft.Profile
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("generate %s: %w", p.Token, err)
	}
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	unwritten, err := s.ubl.Write(w, draft.Invoice, p.SpecificationOf(draft.Invoice))
	var illegal *mapping.FieldError
	if errors.As(err, &illegal) {
		field := draft.Original(illegal.Field)
		return nil, nil, badRequest(field, "%s holds a character that XML does not allow", field)
	}
	if err == nil {
		err = w.Finish()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write %s: %w", p.Token, err)
	}
	return w.Bytes(), unwritten, nil
}

// notCompliant is the 422 of an invoice that the target cannot express.
func notCompliant(errs []finding.Finding) *finding.Refusal {
	return &finding.Refusal{Kind: finding.Unprocessable, Word: "Unprocessable Entity", Message: errs[0].Message, Field: errs[0].Field, Errors: errs,
		Extra: []finding.Extra{{Name: "complianceErrors", Value: houseCodes(errs)}}}
}

// houseCodes gives the same findings under house codes, with the standard rule beside.
func houseCodes(errs []finding.Finding) []finding.Finding {
	coded := make([]finding.Finding, len(errs))
	for i, e := range errs {
		coded[i] = e
		if standardRule.MatchString(e.Code) {
			coded[i].Code, coded[i].Rule = finding.SpecRuleFailed, e.Code
		}
	}
	return coded
}

// standardRule matches the rule ids of EN 16931 and its CIUS, which have hyphens where house codes have underscores.
var standardRule = regexp.MustCompile(`^[A-Z0-9]+-[A-Z0-9-]+$`)

// notWritten warns of what the document could not hold, under the names that the caller used.
func notWritten(unwritten []mapping.Unwritten, draft *profile.Draft, token format.Token) []finding.Finding {
	var warnings []finding.Finding
	for _, u := range unwritten {
		field := draft.Original(u.Field)
		message := fmt.Sprintf("%s is not written: %s has no place for it", field, token.Name)
		if u.More > 0 {
			message += fmt.Sprintf("; the same holds for %d further entries", u.More)
		}
		warnings = append(warnings, finding.Finding{Code: finding.FieldNotWritten, Field: field, Message: message})
	}
	return warnings
}

// filename makes a safe file name of an invoice number: letters, digits, dots, underscores and hyphens, beginning and ending
// with a letter or digit, never two dots in a row (supplement §1, rule 7).
func filename(number string, token format.Token) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r == '.', r == '_':
			return r
		}
		return '-'
	}, number)
	for strings.Contains(safe, "..") {
		safe = strings.ReplaceAll(safe, "..", ".")
	}
	safe = strings.Trim(safe, "._-")
	if len(safe) > 100 {
		safe = strings.Trim(safe[:100], "._-")
	}
	if safe == "" {
		safe = "invoice"
	}
	return safe + "-" + token.ID + "." + token.Extension
}
