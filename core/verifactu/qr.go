package verifactu

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
)

// The hosts of the tax office, where a QR code leads to: the service, and that for tests.
const (
	liveHost = "https://www2.agenciatributaria.gob.es"
	testHost = "https://prewww2.aeat.es"
)

// QR is what the QR code of an invoice says (AEAT, characteristics of the QR code, 0.4.7).
type QR struct {
	NIF    string
	Number string // series and number
	Date   string // DD-MM-YYYY
	Total  string // with a point
	Sends  bool   // of a system that sends its records (VERI*FACTU)
	Test   bool   // leads to the host for tests
}

// URL is the address that the QR code holds.
func (q *QR) URL() string {
	host, page := liveHost, "ValidarQRNoVerifactu"
	if q.Test {
		host = testHost
	}
	if q.Sends {
		page = "ValidarQR"
	}
	return host + "/wlpl/TIKE-CONT/" + page + "?nif=" + encoded(q.NIF) + "&numserie=" + encoded(q.Number) + "&fecha=" + encoded(q.Date) + "&importe=" + encoded(q.Total)
}

// encoded is a value as it stands in the query, a blank as %20.
func encoded(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

// QRInput is what is asked of a QR code.
type QRInput struct {
	SellerNIF     string
	Series        string
	Number        string
	Date          string // DD-MM-YYYY
	Total         decimal.Decimal
	VerifactuMode bool
	Test          bool
}

// NewQR checks the input and gives what the code says. The findings name the members of the route's body; without any the code is right.
func NewQR(in QRInput) (*QR, []finding.Finding) {
	nif := NIF(in.SellerNIF)
	checks := []struct {
		field, message string
		wrong          bool
	}{
		{"sellerNif", "must be a Spanish NIF: nine letters and digits, such as B12345674", nif == ""},
		{"invoiceNumber", "must be there: with the series it has 1 to 60 characters", in.Number == ""},
		{"invoiceNumber", fmt.Sprintf("has %d characters together with the series; there may be %d", len(in.Series+in.Number), mostNumber), len(in.Series+in.Number) > mostNumber},
		{"invoiceSeries", numberRule, !numberFits(in.Series)},
		{"invoiceNumber", numberRule, !numberFits(in.Number)},
		{"invoiceDate", "must be a date DD-MM-YYYY", !isDate(in.Date)},
		{"total", "must be a number of at most 12 digits before the point and two after it", !in.Total.IsSet() || !amountFits(in.Total)},
	}
	var wrong []finding.Finding
	for _, c := range checks {
		if c.wrong {
			wrong = append(wrong, finding.Finding{Code: finding.InvalidValue, Field: c.field, Message: c.field + " " + c.message})
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return &QR{NIF: nif, Number: in.Series + in.Number, Date: in.Date, Total: written(in.Total), Sends: in.VerifactuMode, Test: in.Test}, nil
}

// mostNumber is how long series and number are together.
const mostNumber = 60

const numberRule = `must have printable characters of ASCII alone, and none of < > " ' =`

// numberFits tells whether a number of an invoice has the characters that it may have (AEAT 1104, 1287).
func numberFits(number string) bool {
	return !strings.ContainsFunc(number, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`<>"'=`, r) })
}

func isDate(text string) bool {
	_, err := time.Parse(dateLayout, text)
	return err == nil
}

// amountFits tells whether an amount can be written with twelve digits and two decimals, exactly.
func amountFits(d decimal.Decimal) bool {
	return d.Trim().Scale() <= 2 && d.Abs().Cmp(decimal.New(1, -12)) < 0
}

// written is an amount as it stands in records: two decimals, whatever came.
func written(d decimal.Decimal) string { return d.Rescale(2, decimal.HalfUp).String() }

var nifForm = regexp.MustCompile(`^(?:[0-9]{8}[A-Z]|[A-Z][0-9]{7}[A-Z0-9])$`)

// NIF gives the nine characters of a Spanish tax number, with or without ES, blanks, points and hyphens; empty for what is none. The check
// character is not looked at.
func NIF(text string) string {
	nif := strings.NewReplacer(" ", "", "-", "", ".", "").Replace(strings.ToUpper(text))
	if len(nif) == 11 {
		nif = strings.TrimPrefix(nif, "ES")
	}
	if !nifForm.MatchString(nif) {
		return ""
	}
	return nif
}
