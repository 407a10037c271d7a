package invoice

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
)

// payment checks the ways to pay and what belongs to them.
func (c *checker) payment(inv *Invoice) {
	directDebit := false
	for i := range inv.PaymentMethods {
		method := &inv.PaymentMethods[i]
		directDebit = directDebit || method.Type == PayDirectDebit
		if method.Account != nil {
			c.paymentAccount(at("paymentMethods", i)+".account", method.Account)
		}
	}
	if directDebit && inv.DirectDebitMandate == nil {
		c.refuse(finding.MissingField, "directDebitMandate", "is required when paymentMethods has %s", PayDirectDebit)
	}
	if inv.CardAccount != nil && countDigits(inv.CardAccount.PAN) > maxPANDigits {
		c.refuse(finding.InvalidValue, "cardAccount.pan", "must be masked: at most %d digits may show", maxPANDigits)
	}
}

// maxPANDigits is how many digits of a card number may be written: the first six and the last four.
const maxPANDigits = 10

func countDigits(s string) (n int) {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}

// paymentAccount checks the account of a method. Its bic is BT-86, which in some countries is no BIC (SE:PLUSGIRO), so that any
// text will do.
func (c *checker) paymentAccount(field string, a *PaymentAccount) {
	if a.IBAN == "" && a.ID == "" {
		c.refuse(finding.MissingField, field+".iban", "is required, or %s.id for an account without IBAN", field)
	}
	c.iban(field+".iban", a.IBAN)
}

func (c *checker) iban(field, iban string) {
	if iban != "" && !ValidIBAN(PlainIBAN(iban)) {
		c.refuse(finding.InvalidIBAN, field, "must be an IBAN with right check digits (ISO 13616), not %q", excerpt(iban))
	}
}

func (c *checker) bic(field, bic string) {
	if bic != "" && !ValidBIC(bic) {
		c.refuse(finding.InvalidBIC, field, "must be a BIC of 8 or 11 letters and digits (ISO 9362), not %q", excerpt(bic))
	}
}

// PlainIBAN is an IBAN as programs exchange it (ISO 13616-1, clause 5): in capitals, without the white space that it has on paper.
func PlainIBAN(s string) string {
	return strings.ToUpper(strings.Join(strings.Fields(s), ""))
}

// ValidIBAN tells whether s is an IBAN by ISO 13616-1: two capital letters, two check digits from 02 to 98 (ISO/IEC 7064 gives no
// others), 11 to 30 letters and digits, and the remainder 1 modulo 97. Spaces, as on paper, do not count. The length of the
// country is not compared.
func ValidIBAN(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 || len(s) > 34 || !capitals(s[:2]) || countDigits(s[2:4]) != 2 || s[2:4] < "02" || s[2:4] > "98" {
		return false
	}
	remainder := 0
	for _, part := range []string{s[4:], s[:4]} {
		for i := range len(part) {
			value, ok := alphanumeric(part[i])
			if !ok {
				return false
			}
			if value >= 10 {
				remainder *= 10
			}
			remainder = (remainder*10 + value) % 97
		}
	}
	return remainder == 1
}

// alphanumeric gives 0 to 9 for digits and 10 to 35 for letters of either case.
func alphanumeric(c byte) (int, bool) {
	switch lower := c | 0x20; {
	case '0' <= c && c <= '9':
		return int(c - '0'), true
	case 'a' <= lower && lower <= 'z':
		return int(lower-'a') + 10, true
	}
	return 0, false
}

// ValidBIC tells whether s has the length of a BIC by ISO 9362 (8 or 11) and only letters and digits.
func ValidBIC(s string) bool {
	for i := range len(s) {
		if _, ok := alphanumeric(s[i]); !ok {
			return false
		}
	}
	return len(s) == 8 || len(s) == 11
}
