// Package id makes identifiers that sort by time of creation: a prefix that tells the kind, then 26 characters, and UUIDs where an interface
// names those.
package id

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// alphabet is Crockford's base 32 in lower case: its order is the order of the values, and no letter looks like a digit.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

var encoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// Length is the number of characters after the prefix.
const Length = 26

// New gives prefix + "_" + 26 characters: 48 bits of milliseconds since 1970, 16 bits of the part of a millisecond and 64
// random bits. Two ids sort by time when it differs by 16 nanoseconds, so what one caller creates step by step is listed in
// that order.
func New(prefix string, now time.Time) string {
	var b [16]byte
	const ms = int64(time.Millisecond)
	part := int64(now.Nanosecond()) % ms
	binary.BigEndian.PutUint64(b[:], uint64(now.UnixMilli())<<16|uint64(part<<16/ms))
	rand.Read(b[8:])
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

// NewUUID gives a UUID of version 7 (RFC 9562, section 5.7) in lower case: 48 bits of milliseconds since 1970, 12 bits of the part of a
// millisecond (section 6.2, method 3) and 62 random bits.
func NewUUID(now time.Time) string {
	var b [16]byte
	const ms = int64(time.Millisecond)
	part := uint64(int64(now.Nanosecond())%ms<<12) / uint64(ms)
	binary.BigEndian.PutUint64(b[:], uint64(now.UnixMilli())<<16|7<<12|part)
	rand.Read(b[8:])
	b[8] = b[8]&0x3f | 0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
