package pdffile

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
)

// seal encrypts data of an object, as open decrypts it.
func (w *cipherWay) seal(data []byte, of Ref) []byte {
	if w == nil {
		return data
	}
	key := w.keyOf(of)
	if w.method == methodRC4 {
		return applyRC4(key, data)
	}
	return sealAES(key, data)
}

// sealAES encrypts blocks that are chained (ISO 32000-1 §7.6.2, algorithm 1). What begins the chain is derived from key and data, so that the
// same data has the same bytes; data that differs begins another chain.
func sealAES(key, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil // the key opened the file, so it has a length that AES knows
	}
	sum := sha256.Sum256(append(bytes.Clone(key), data...))
	pad := aes.BlockSize - len(data)%aes.BlockSize
	out := append(sum[:aes.BlockSize:aes.BlockSize], data...)
	out = append(out, bytes.Repeat([]byte{byte(pad)}, pad)...)
	body := out[aes.BlockSize:]
	cipher.NewCBCEncrypter(block, sum[:aes.BlockSize]).CryptBlocks(body, body)
	return out
}
