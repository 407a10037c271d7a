package verifactu

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Link is what a record puts into the chain: the values that are hashed, and the hash.
type Link struct {
	Cancels   bool
	Invoice   InvoiceID
	Type      string // TipoFactura; empty for a cancellation, as the next two
	Tax       string // CuotaTotal
	Total     string // ImporteTotal
	Previous  string // hash of the record before; empty for the first
	Generated string
	Hash      string
}

// Link gives what the record puts into the chain.
func (r *Record) Link() Link {
	l := Link{Cancels: r.Cancels, Invoice: r.Invoice, Type: r.Type, Tax: r.Tax, Total: r.Total, Generated: r.Generated, Hash: r.Hash}
	if r.Previous != nil {
		l.Previous = r.Previous.Hash
	}
	return l
}

// HashInput is the text that is hashed (AEAT, specification of the hash, 0.1.2): names and values, without white space around them, not encoded.
func (l *Link) HashInput() string {
	if l.Cancels {
		return hashed("IDEmisorFacturaAnulada", l.Invoice.Issuer, "NumSerieFacturaAnulada", l.Invoice.Number, "FechaExpedicionFacturaAnulada", l.Invoice.Date,
			"Huella", l.Previous, "FechaHoraHusoGenRegistro", l.Generated)
	}
	return hashed("IDEmisorFactura", l.Invoice.Issuer, "NumSerieFactura", l.Invoice.Number, "FechaExpedicionFactura", l.Invoice.Date, "TipoFactura", l.Type,
		"CuotaTotal", l.Tax, "ImporteTotal", l.Total, "Huella", l.Previous, "FechaHoraHusoGenRegistro", l.Generated)
}

func hashed(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(pairs[i])
		b.WriteByte('=')
		b.WriteString(strings.TrimSpace(pairs[i+1]))
	}
	return b.String()
}

// Computed is the hash that the values have: SHA-256 in upper-case hexadecimal digits.
func (l *Link) Computed() string { return Hash(l.HashInput()) }

// Hash is the SHA-256 of a text in UTF-8, in upper-case hexadecimal digits.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}
