package schematron

import (
	"crypto/sha1" //nolint:gosec // names things, protects nothing
	"encoding/hex"
	"strings"
	"unicode"
)

// AnonymousID names an assertion that has no id: ~ and the first 8 hexadecimal digits of the SHA-1 of the rule's context, a
// vertical bar and the test, without white space, commas and braces. These are the characters in which the test that a compiled
// rule set reports can differ from the one it evaluates: {1,3} is evaluated when the report is written, and gives 1 3.
func AnonymousID(context, test string) string {
	sum := sha1.Sum([]byte(strings.Map(significant, context+"|"+test)))
	return "~" + hex.EncodeToString(sum[:4])
}

func significant(r rune) rune {
	if r == ',' || r == '{' || r == '}' || unicode.IsSpace(r) {
		return -1
	}
	return r
}
