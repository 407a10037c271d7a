package profile

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// QRIBAN tells whether an account is one for payments with a QR reference: the number of its institution is from 30000 to 31999 (guidelines §3.4.1).
func QRIBAN(iban string) bool {
	plain := invoice.PlainIBAN(iban)
	return len(plain) == 21 && plain[4:9] >= "30000" && plain[4:9] <= "31999" && digits(plain[4:9]) == plain[4:9]
}

// recursive is the table of the check digit modulo 10, recursive (guidelines annex B).
const recursive = "0946827135"

// checkDigit is that of a QR reference.
func checkDigit(reference string) byte {
	carry := 0
	for i := range len(reference) {
		carry = int(recursive[(carry+int(reference[i]-'0'))%10] - '0')
	}
	return byte('0' + (10-carry)%10)
}

// ValidQRReference tells whether a text is a QR reference: 27 digits of which the last checks the others.
func ValidQRReference(text string) bool {
	return len(text) == 27 && digits(text) == text && checkDigit(text[:26]) == text[26]
}

// QRReference makes a QR reference of the digits of a number, the last 26 of them; empty where it has none.
func QRReference(number string) string {
	plain := digits(number)
	if plain == "" {
		return ""
	}
	plain = plain[max(0, len(plain)-26):]
	plain = strings.Repeat("0", 26-len(plain)) + plain
	return plain + string(checkDigit(plain))
}

// validCreditorReference tells whether a text is a reference of ISO 11649: RF, two check digits and at most 21 letters and digits.
func validCreditorReference(text string) bool {
	return len(text) >= 5 && len(text) <= 25 && strings.HasPrefix(text, "RF") && alphanumerics(text) == text && remainder(text[4:]+text[:4]) == 1
}

// CreditorReference makes a reference of ISO 11649 of the letters and digits of a number; empty where it has none, or more than 21.
func CreditorReference(number string) string {
	plain := alphanumerics(strings.ToUpper(number))
	if plain == "" || len(plain) > 21 {
		return ""
	}
	check := 98 - remainder(plain+"RF00")
	return "RF" + string([]byte{byte('0' + check/10), byte('0' + check%10)}) + plain
}

// alphanumerics leaves the digits and capitals of a text.
func alphanumerics(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, text)
}

// remainder is that of digits and capitals modulo 97, where A is 10 (ISO/IEC 7064).
func remainder(text string) int {
	rest := 0
	for i := range len(text) {
		if c := text[i]; c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest
}
