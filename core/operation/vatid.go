package operation

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// vatID is a VAT identifier of an invoice.
type vatID struct {
	field   string
	value   *string
	country string // of the party
}

// vatIDs lists the VAT identifiers of an invoice.
func vatIDs(inv *invoice.Invoice) []vatID {
	var ids []vatID
	for _, p := range []struct {
		name  string
		party *invoice.Party
	}{{"seller", inv.Seller}, {"buyer", inv.Buyer}} {
		if p.party != nil {
			ids = append(ids, vatID{p.name + ".vatId", &p.party.VATID, p.party.CountryCode})
		}
	}
	if r := inv.TaxRepresentative; r != nil {
		ids = append(ids, vatID{"taxRepresentative.vatId", &r.VATID, r.CountryCode})
	}
	return ids
}

// vatPrefix is the prefix of VAT identifiers of a country: its code, but for Greece (Directive 2006/112/EC, Article 215).
func vatPrefix(country string) string {
	if country = strings.ToUpper(country); country == "GR" {
		return "EL"
	}
	return country
}
