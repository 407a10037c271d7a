package invoice

// ValidIBAN tells whether s is an IBAN by ISO 13616: two letters, two check digits, up to 30 letters and digits, and 1 as the
// remainder modulo 97. Blanks are not part of it.
func ValidIBAN(s string) bool {
	if len(s) < 15 || len(s) > 34 {
		return false
	}
	rest := 0
	for i := range len(s) {
		c := s[(i+4)%len(s)]
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1 && s[0] >= 'A' && s[1] >= 'A' && s[2] <= '9' && s[3] <= '9'
}
