package account

import (
	"fmt"
	"strings"
)

// Entitled tells whether one of the patterns covers what is needed. Both are segments joined by colons
// (e-invoice:de:xrechnung:create); the segment * of a pattern stands for exactly one segment, whatever it is, and other
// segments must be equal. What is needed may itself be a pattern: it is covered when all it covers is, which is the
// subset rule for keys that create keys.
func Entitled(patterns []string, needed string) bool {
	for _, pattern := range patterns {
		if covers(pattern, needed) {
			return true
		}
	}
	return false
}

func covers(pattern, needed string) bool {
	for {
		p, restP, moreP := strings.Cut(pattern, ":")
		n, restN, moreN := strings.Cut(needed, ":")
		if n == "" || p != n && p != "*" || moreP != moreN {
			return false
		}
		if !moreP {
			return true
		}
		pattern, needed = restP, restN
	}
}

// CheckPattern tells what is wrong with an entitlement pattern: 1 to 6 segments joined by colons, each * or made of
// a-z 0-9 and hyphens. The error is ErrInvalid.
func CheckPattern(pattern string) error {
	segments := strings.Split(pattern, ":")
	if len(segments) > 6 || len(pattern) > 200 {
		return fmt.Errorf("entitlement %.50q… is too long: %w", pattern, ErrInvalid)
	}
	for _, s := range segments {
		if s != "*" && (s == "" || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "") {
			return fmt.Errorf("entitlement %q: segment %q is neither * nor made of a-z, 0-9 and hyphens: %w", pattern, s, ErrInvalid)
		}
	}
	return nil
}
