package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"math/big"
	"strings"
)

// A secret is sk_test_ or sk_live_, 8 characters that find its row, 43 that carry 256 random bits, and 6 that carry the
// CRC-32 of all before, so that a scanner can tell a leaked key from a look-alike without asking anyone.
const (
	prefixLen   = len("sk_test_")
	lookupLen   = 8
	randomLen   = 43 // 62^43 > 2^256
	checksumLen = 6  // 62^6 > 2^32
	secretLen   = prefixLen + lookupLen + randomLen + checksumLen
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// newSecret makes a secret of the mode.
func newSecret(mode Mode) string {
	var random [32]byte
	rand.Read(random[:])
	body := "sk_" + string(mode) + "_" + newLookup() + encode62(new(big.Int).SetBytes(random[:]), randomLen)
	return body + checksum(body)
}

// newLookup makes the 8 characters by which a key is found.
func newLookup() string {
	limit := new(big.Int).Exp(big.NewInt(62), big.NewInt(int64(lookupLen)), nil)
	n, err := rand.Int(rand.Reader, limit)
	if err != nil {
		panic(err) // crypto/rand's Reader never fails
	}
	return encode62(n, lookupLen)
}

// encode62 writes n with exactly width digits, most significant first.
func encode62(n *big.Int, width int) string {
	out := make([]byte, width)
	rest, digit, base := new(big.Int).Set(n), new(big.Int), big.NewInt(62)
	for i := width - 1; i >= 0; i-- {
		rest.DivMod(rest, base, digit)
		out[i] = base62[digit.Int64()]
	}
	return string(out)
}

func checksum(body string) string {
	return encode62(new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))), checksumLen)
}

// WellFormed tells whether s has the form and the checksum of a secret. It says nothing about whether such a key exists.
func WellFormed(s string) bool {
	if len(s) != secretLen || s[:prefixLen] != "sk_test_" && s[:prefixLen] != "sk_live_" {
		return false
	}
	for _, c := range []byte(s[prefixLen:]) {
		if strings.IndexByte(base62, c) < 0 {
			return false
		}
	}
	body := s[:secretLen-checksumLen]
	return checksum(body) == s[len(body):]
}

// lookupOf gives the characters by which the row of a well-formed secret is found.
func lookupOf(secret string) string { return secret[prefixLen : prefixLen+lookupLen] }

// hash is what is stored of a secret.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
