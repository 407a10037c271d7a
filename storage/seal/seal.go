// Package seal encrypts what must not stand in the database as it is: stored answers and webhook secrets.
//
// Sealed bytes are a version, the id of the key, a random nonce of 96 bits and the AES-256-GCM cipher text with its tag
// (NIST SP 800-38D; one key seals at most 2^32 times, §8.3). They are bound to the identity of the row that they belong
// to, so that one row's cannot be put into another.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"errors"
	"fmt"
)

// Errors of this package, for errors.Is.
var (
	ErrUnknownKey = errors.New("sealed with a secret key that is not configured")
	ErrDamaged    = errors.New("sealed bytes are damaged or another row's")
)

const (
	version  = 1
	keyLen   = 32
	keyIDLen = 8
	headLen  = 1 + keyIDLen
)

// Sealer seals and opens. It is immutable and safe for concurrent use.
type Sealer struct {
	keys []sealingKey // the first seals, all open
}

// sealingKey is a secret key with what finds it again.
type sealingKey struct {
	id   [keyIDLen]byte
	aead cipher.AEAD // makes its nonces itself
}

// newSealingKey takes the 32 bytes of a key. Its id is derived from it in a way that does not tell it.
func newSealingKey(secret []byte) (sealingKey, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return sealingKey{}, fmt.Errorf("prepare secret key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return sealingKey{}, fmt.Errorf("prepare secret key: %w", err)
	}
	sum := sha256.Sum256(append([]byte("einvoiced key id\x00"), secret...))
	return sealingKey{[keyIDLen]byte(sum[:]), aead}, nil
}

// Seal encrypts plain for the row that identity names.
func (s *Sealer) Seal(plain []byte, identity string) []byte {
	key := s.keys[0]
	out := make([]byte, 0, headLen+len(plain)+key.aead.Overhead())
	out = append(append(out, version), key.id[:]...)
	return key.aead.Seal(out, nil, plain, associated(out, identity))
}

// Open decrypts what Seal made for the same identity. The error is ErrUnknownKey or ErrDamaged.
func (s *Sealer) Open(sealed []byte, identity string) ([]byte, error) {
	if len(sealed) < headLen || sealed[0] != version {
		return nil, ErrDamaged
	}
	head, rest := sealed[:headLen], sealed[headLen:]
	for _, key := range s.keys {
		if !bytes.Equal(key.id[:], head[1:]) {
			continue
		}
		plain, err := key.aead.Open(nil, nil, rest, associated(head, identity))
		if err != nil {
			return nil, ErrDamaged
		}
		return plain, nil
	}
	return nil, ErrUnknownKey
}

// associated is what the tag covers besides the cipher text.
func associated(head []byte, identity string) []byte {
	return append(bytes.Clone(head[:headLen]), identity...)
}
