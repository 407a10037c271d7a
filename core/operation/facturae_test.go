package operation

import (
	"encoding/json"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// regeneratedFacturae is the Facturae of an invoice as an answer of parse has it.
func regeneratedFacturae(t testing.TB, s *Service, inv *invoice.Invoice) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"invoice": inv})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: "es", Format: "facturae", Body: body})
	if err != nil {
		t.Fatalf("%s: %v%s", inv.InvoiceNumber, err, entriesOf(err))
	}
	return answer.Data
}
