// Package id makes identifiers: a prefix that tells the kind, then 26 characters that sort by time of creation.
package id

import (
	"crypto/rand"
	"encoding/base32"
	"time"
)

// alphabet is Crockford's base 32 in lower case: its order is the order of the values, and no letter looks like a digit.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var encoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// Length is the number of characters after the prefix.
const Length = 26

// New gives prefix + "_" + 26 characters: 48 bits of milliseconds since 1970 and 80 random bits. Two ids of different
// milliseconds sort by time.
func New(prefix string, now time.Time) string {
	var b [16]byte
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	rand.Read(b[6:])
	return prefix + "_" + encoding.EncodeToString(b[:])
}

// Valid tells whether s has the form of New(prefix, …). It is the check for ids that come from outside.
func Valid(prefix, s string) bool {
	if len(s) != len(prefix)+1+Length || s[:len(prefix)] != prefix || s[len(prefix)] != '_' {
		return false
	}
	_, err := encoding.DecodeString(s[len(prefix)+1:])
	return err == nil
}
