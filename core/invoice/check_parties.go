package invoice

import (
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/finding"
)

// parties checks the accounts and addresses of everyone named.
func (c *checker) parties(inv *Invoice) {
	c.party("seller", inv.Seller)
	c.party("buyer", inv.Buyer)
	c.party("payee", inv.Payee)
	if r := inv.TaxRepresentative; r != nil {
		c.address("taxRepresentative", Address{
			Street: r.Street, AdditionalStreet: r.AdditionalStreet, City: r.City, PostalCode: r.PostalCode, CountryCode: r.CountryCode,
		})
	}
	if inv.Delivery != nil && inv.Delivery.Address != nil {
		c.address("delivery.address", *inv.Delivery.Address)
	}
}

func (c *checker) party(field string, p *Party) {
	if p == nil {
		return
	}
	c.address(field, Address{
		Street: p.Street, AdditionalStreet: p.AdditionalStreet, City: p.City, PostalCode: p.PostalCode, CountryCode: p.CountryCode,
	})
	if p.BankAccount != nil {
		c.iban(field+".bankAccount.iban", p.BankAccount.IBAN)
		c.bic(field+".bankAccount.bic", p.BankAccount.BIC)
	}
}

// Address field lengths of the contract, in characters.
const (
	maxStreet     = 200
	maxCity       = 100
	maxPostalCode = 20
)

func (c *checker) address(field string, a Address) {
	c.country(field+".countryCode", a.CountryCode)
	c.length(field+".street", a.Street, maxStreet)
	c.length(field+".additionalStreet", a.AdditionalStreet, maxStreet)
	c.length(field+".city", a.City, maxCity)
	c.length(field+".postalCode", a.PostalCode, maxPostalCode)
}

// length warns of a text above the field's limit; the text is written unchanged.
func (c *checker) length(field, text string, maximum int) {
	if len(text) <= maximum || utf8.RuneCountInString(text) <= maximum {
		return
	}
	c.warn(finding.Finding{
		Code: finding.FieldTooLong, Field: field, Maximum: int64(maximum),
		Message: field + " is longer than the field allows; it is written unchanged, but a later release refuses it",
	})
}

// codes checks the form of codes. Whether a code is in its list is a rule's question (BR-CL-03 to BR-CL-15).
func (c *checker) codes(inv *Invoice) {
	c.currency("currency", inv.Currency)
	c.currency("taxCurrencyCode", inv.TaxCurrencyCode)
}

func (c *checker) currency(field, code string) {
	if code != "" && !(len(code) == 3 && capitals(code)) {
		c.refuse(finding.InvalidValue, field, "must be an ISO 4217 code of three capital letters, not %q", excerpt(code))
	}
}

func (c *checker) country(field, code string) {
	if code != "" && !countryForm(code) {
		c.refuse(finding.InvalidValue, field, "must be an ISO 3166-1 alpha-2 code of two capital letters, not %q", excerpt(code))
	}
}

// countryForm takes the forms of ISO 3166-1 and 1A, which UN/ECE uses for Kosovo.
func countryForm(code string) bool { return len(code) == 2 && (capitals(code) || code == "1A") }

func capitals(s string) bool {
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return true
}
