package pdffile

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
)

// newKey is the key of revisions 5 and 6 (ISO 32000-2 §7.6.4.3.3, algorithm 2.A): the user entry has a hash and two salts, one to check the
// password with and one for the key that opens the key of the file.
func (f *File) newKey(dict Dict, revision int) ([]byte, bool) {
	const hash, salt = 32, 8
	user, sealed := f.bytesOf(dict["U"]), f.bytesOf(dict["UE"])
	if len(user) < hash+2*salt || len(sealed) < hash || revision < 5 || revision > 6 {
		return nil, false
	}
	digest := func(salt []byte) []byte {
		if revision == 5 {
			sum := sha256.Sum256(salt)
			return sum[:]
		}
		return hardenedHash(salt)
	}
	if !bytes.Equal(digest(user[hash:hash+salt]), user[:hash]) {
		return nil, false
	}
	block, err := aes.NewCipher(digest(user[hash+salt : hash+2*salt]))
	if err != nil {
		return nil, false
	}
	key := make([]byte, hash)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, sealed[:hash])
	return key, true
}

// hardenedHash is the hash of revision 6 (ISO 32000-2 §7.6.4.3.4, algorithm 2.B) of an empty user password and a salt.
func hardenedHash(salt []byte) []byte {
	const repeats, least = 64, 64
	sum := sha256.Sum256(salt)
	k := sum[:]
	for round := 1; ; round++ {
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		e := bytes.Repeat(k, repeats)
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		k = nextHash(e)
		if round >= least && int(e[len(e)-1]) <= round-32 {
			return k[:32]
		}
	}
}

// nextHash chooses the hash of a round by the remainder of the first 16 bytes by three.
func nextHash(e []byte) []byte {
	remainder := 0
	for _, c := range e[:16] {
		remainder += int(c)
	}
	switch remainder % 3 {
	case 0:
		sum := sha256.Sum256(e)
		return sum[:]
	case 1:
		sum := sha512.Sum384(e)
		return sum[:]
	}
	sum := sha512.Sum512(e)
	return sum[:]
}
