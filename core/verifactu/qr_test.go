package verifactu

import (
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// TestQR_OfTheSpecification has the examples of the AEAT, and what is encoded.
func TestQR_OfTheSpecification(t *testing.T) {
	for _, c := range []struct {
		in   QRInput
		want string
	}{
		{QRInput{SellerNIF: "89890001K", Series: "12345678", Number: "/G33", Date: "01-01-2024", Total: decimal.MustParse("241.4"), VerifactuMode: true, Test: true},
			"https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=89890001K&numserie=12345678%2FG33&fecha=01-01-2024&importe=241.40"},
		{QRInput{SellerNIF: "89890001k", Number: "12345678&G33", Date: "01-09-2024", Total: decimal.MustParse("241.4"), VerifactuMode: true},
			"https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR?nif=89890001K&numserie=12345678%26G33&fecha=01-09-2024&importe=241.40"},
		{QRInput{SellerNIF: "ES B-1234567.4", Series: "A/2025 ", Number: "9+1", Date: "29-02-2024", Total: decimal.MustParse("-10")},
			"https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQRNoVerifactu?nif=B12345674&numserie=A%2F2025%209%2B1&fecha=29-02-2024&importe=-10.00"},
	} {
		code, wrong := NewQR(c.in)
		if len(wrong) > 0 {
			t.Errorf("%+v: %+v", c.in, wrong)
			continue
		}
		if got := code.URL(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestNewQR_RefusesWhatNoRecordHas ensures that each member that is wrong is named.
func TestNewQR_RefusesWhatNoRecordHas(t *testing.T) {
	right := QRInput{SellerNIF: "B12345674", Series: "A", Number: "1", Date: "01-01-2025", Total: decimal.New(100, 0)}
	for field, spoil := range map[string][]func(*QRInput){
		"sellerNif": {
			func(in *QRInput) { in.SellerNIF = "" }, func(in *QRInput) { in.SellerNIF = "DE123456789" }, func(in *QRInput) { in.SellerNIF = "123456789" },
			func(in *QRInput) { in.SellerNIF = "ÑB1234567" },
		},
		"invoiceNumber": {
			func(in *QRInput) { in.Number = "" }, func(in *QRInput) { in.Number = strings.Repeat("1", 60) }, func(in *QRInput) { in.Number = "a=b" },
			func(in *QRInput) { in.Number = "Nº1" }, func(in *QRInput) { in.Number = "a\nb" },
		},
		"invoiceSeries": {func(in *QRInput) { in.Series = "<A>" }},
		"invoiceDate":   {func(in *QRInput) { in.Date = "2025-01-01" }, func(in *QRInput) { in.Date = "30-02-2025" }, func(in *QRInput) { in.Date = "1-1-2025" }},
		"total": {
			func(in *QRInput) { in.Total = decimal.Decimal{} }, func(in *QRInput) { in.Total = decimal.MustParse("1.001") },
			func(in *QRInput) { in.Total = decimal.MustParse("1000000000000") },
		},
	} {
		for i, spoil := range spoil {
			in := right
			spoil(&in)
			if _, wrong := NewQR(in); len(wrong) != 1 || wrong[0].Field != field {
				t.Errorf("%s %d: %+v", field, i, wrong)
			}
		}
	}
}

// TestMoment_HasTheOffsetOfSpain ensures summer time by the rule of the directive.
func TestMoment_HasTheOffsetOfSpain(t *testing.T) {
	for utc, want := range map[string]string{
		"2026-01-01T00:00:00Z": "2026-01-01T01:00:00+01:00", "2026-03-29T00:59:59Z": "2026-03-29T01:59:59+01:00", "2026-03-29T01:00:00Z": "2026-03-29T03:00:00+02:00",
		"2026-10-25T00:59:59Z": "2026-10-25T02:59:59+02:00", "2026-10-25T01:00:00Z": "2026-10-25T02:00:00+01:00", "2025-12-31T23:30:00Z": "2026-01-01T00:30:00+01:00",
		"2024-03-31T01:00:00Z": "2024-03-31T03:00:00+02:00",
	} {
		at, err := time.Parse(time.RFC3339, utc)
		if err != nil {
			t.Fatal(err)
		}
		if got := Moment(at); got != want {
			t.Errorf("%s: %s, want %s", utc, got, want)
		}
	}
	if got := Day(time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC)); got != "2026-01-01" {
		t.Errorf("%s", got)
	}
}
