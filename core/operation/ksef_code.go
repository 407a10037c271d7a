package operation

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/pdf/standard"
	"github.com/einvoiced/einvoiced/core/profile"
)

const ksefToken = "ksef"

// ksefCode is code I of KSeF for the pages of a Polish invoice. It is made of the FA(3) of the same invoice, as generate writes it; an invoice that
// FA(3) cannot have has none. The code holds a hash of the file, so that it is right only for a file of the very same bytes.
func (s *Service) ksefCode(ctx context.Context, country format.Country, body *decoded) (none standard.Code, err error) {
	token, known := s.formats.Token(ksefToken)
	if country.Code != "PL" || !known || body.Invoice.Seller == nil {
		return none, nil
	}
	choice, err := s.choose(country, token, &invoice.GenerateBody{Invoice: body.Invoice})
	if err != nil || choice.row.Steps.HalfPeriod(body.Invoice) != "" {
		return none, nil
	}
	made, err := s.compose(ctx, country, choice, &decoded{GenerateBody: &invoice.GenerateBody{Invoice: body.Invoice}})
	if err != nil || len(made.draft.Errors) > 0 {
		return none, ctx.Err()
	}
	return ksefCodeFor(made.draft.Invoice, made.data), nil
}

// ksefCodeOf is code I of a document of KSeF that is shown: that of its own bytes.
func ksefCodeOf(o *Opened, document []byte, inv *invoice.Invoice) (none standard.Code) {
	if !strings.HasPrefix(o.found.Format, "KSEF_") || detect.Sniff(document) != detect.LooksXML {
		return none
	}
	return ksefCodeFor(inv, document)
}

// ksefCodeFor is the address under which KSeF tells of an invoice: number of the seller, day, and SHA-256 of the file. Who has sent it to KSeF knows its
// number; here nobody does, so the label is OFFLINE.
func ksefCodeFor(inv *invoice.Invoice, file []byte) (none standard.Code) {
	day := string(inv.IssueDate)
	if inv.Seller == nil {
		return none
	}
	nip := profile.PolishNIP(inv.Seller.VATID)
	if nip == "" || !inv.IssueDate.Valid() {
		return none
	}
	hash := sha256.Sum256(file)
	address := "https://qr.ksef.mf.gov.pl/invoice/" + nip + "/" + day[8:] + "-" + day[5:7] + "-" + day[:4] + "/" + base64.RawURLEncoding.EncodeToString(hash[:])
	return standard.Code{Content: address, Name: "KSeF", Below: "OFFLINE"}
}
