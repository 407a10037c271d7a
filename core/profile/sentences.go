package profile

import (
	"github.com/einvoiced/einvoiced/core/invoice"
)

// languages name, for each language (ISO 639-1), a country whose derived sentences are in it.
var languages = map[string]string{
	"bg": "BG", "cs": "CZ", "da": "DK", "de": "DE", "el": "CY", "en": "GB", "es": "ES", "et": "EE", "fi": "FI", "fr": "FR", "hr": "HR", "is": "IS", "it": "IT", "ja": "JP",
	"lt": "LT", "lv": "LV", "nb": "NO", "no": "NO", "nl": "NL", "pl": "PL", "pt": "PT", "ro": "RO", "sk": "SK", "sl": "SI", "sv": "SE", "ar": "AE",
}

// PaymentSentences says in words what an invoice tells of its payment in members: when it is due where no text of its terms says so, a cash
// discount, and a security retention. They are those that documents have in their terms of payment, in a language (ISO 639-1), else in English.
// The invoice is not changed.
func PaymentSentences(inv *invoice.Invoice, language string) []string {
	w := english
	if n := nations[languages[language]]; n != nil {
		w = n.words
	}
	copied := *inv
	if terms := inv.PaymentTerms; terms != nil {
		own := *terms
		copied.PaymentTerms = &own
	}
	var said []string
	if terms := copied.PaymentTerms; terms != nil && terms.Description == "" {
		said = append(said, w.due(terms.DueDays, inv.DueDate))
	}
	if d := takeDiscount(&copied); d != nil && d.Days != nil && d.DiscountPercent.IsSet() {
		said = append(said, w.discount(d, inv.Currency))
	}
	if r := inv.Retention; r != nil {
		said = append(said, w.retained(r, inv.Currency))
	}
	return said
}
