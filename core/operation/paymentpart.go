package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/block"
	"github.com/einvoiced/einvoiced/core/pdf/qrbill"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/core/qrcode"
)

// billToken is the path token of QR-bills, and billCountry a country that has it.
const (
	billToken   = "qr-bill"
	billCountry = "CH"
)

// paymentPart is that of an invoice which asks for a transfer to a Swiss account, in francs or euros: it is made of the payload of its QR-bill.
// It is nil where the invoice asks for no such payment, and where its QR-bill would not be right, which the findings tell.
func (s *Service) paymentPart(ctx context.Context, country format.Country, inv *invoice.Invoice, language string) (block.Slip, []finding.Finding, error) {
	made, err := s.bill(ctx, country, inv)
	if err != nil || made == nil {
		return nil, nil, err
	}
	if errs := made.draft.Errors; len(errs) > 0 {
		return nil, withoutPaymentPart(errs), nil
	}
	check, err := s.checkWritten(ctx, s.session(ctx, "", false), made)
	if err != nil {
		return nil, nil, err
	}
	if len(check.Errors) > 0 {
		return nil, withoutPaymentPart(check.Errors), nil
	}
	bill, err := qrbill.New(made.data, language)
	if errors.Is(err, qrcode.ErrTooLong) {
		return nil, withoutPaymentPart([]finding.Finding{{Code: "TOTAL_LENGTH", Field: "countrySpecific",
			Message: fmt.Sprintf("its QR-bill has %d bytes, which is more than a Swiss QR code holds", len(made.data))}}), nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("draw the payment part: %w", err)
	}
	return bill, slices.DeleteFunc(made.warnings, func(f finding.Finding) bool { return f.Code == finding.FieldNotWritten }), nil
}

// bill writes the QR-bill of an invoice that asks for a transfer to a Swiss account; nil for one that does not. Its draft has errors where the
// invoice has none.
func (s *Service) bill(ctx context.Context, country format.Country, inv *invoice.Invoice) (*written, error) {
	country, row := s.billing(country, inv)
	if row == nil {
		return nil, nil
	}
	token, _ := s.formats.Token(billToken)
	body := &decoded{GenerateBody: &invoice.GenerateBody{Invoice: inv}}
	return s.compose(ctx, country, chosen{token: token, row: row, every: true}, body)
}

// billing is the QR-bill of an invoice from a country, with the country that has it; nil where the invoice asks for no transfer to a Swiss account.
func (s *Service) billing(country format.Country, inv *invoice.Invoice) (format.Country, *format.Customisation) {
	if !profile.AsksForSwissTransfer(inv) {
		return country, nil
	}
	if !country.Has(billToken) {
		country, _ = s.formats.Country(billCountry)
	}
	return country, s.formats.Written(country, billToken, format.Options{})
}

// refer gives an invoice of a country with QR-bills that has no reference the one of the payment part on its pages. What the pages ask for is then in
// the invoice inside them too (BT-83): the two parts of a hybrid say the same. The invoice of the caller stays as it is.
func (s *Service) refer(country format.Country, body *decoded) {
	cs := body.Invoice.CountrySpecific
	if !country.Has(billToken) || body.Invoice.PaymentReference != "" || cs != nil && cs.QRReference != "" {
		return
	}
	country, row := s.billing(country, body.Invoice)
	if row == nil {
		return
	}
	draft := draftOf(row.Steps.In(country.Code), body.Invoice)
	if len(draft.Errors) > 0 {
		return
	}
	referred := *body.Invoice
	referred.PaymentReference = draft.Invoice.PaymentReference
	body.Invoice = &referred
}

// withoutPaymentPart tells of errors of a QR-bill in a document that has none for that reason.
func withoutPaymentPart(errs []finding.Finding) []finding.Finding {
	told := slices.Clone(errs)
	for i := range told {
		told[i].Message = "the document has no payment part: " + told[i].Message
	}
	return told
}
