// Package envelope takes documents out of the files that signatures are put around them in: CAdES (.p7m, ETSI EN 319 122-1), which is
// Cryptographic Message Syntax (RFC 5652) in BER, as bytes, as base64 or as PEM. Signatures are not verified. It takes them out of the archives
// that attached files travel in as well: ISDOCX.
package envelope

import (
	"bytes"
	"encoding/base64"
	"errors"
)

// ErrNone says that bytes are no envelope.
var ErrNone = errors.New("the data is no signed envelope (CMS)")

// depth is how many envelopes within each other are opened: whoever signs after another puts one around the other's.
const depth = 8

// Open gives what signed envelopes hold, without the envelopes. The errors are ErrNone, and those of an envelope that is damaged or holds
// nothing. The content is a part of data, or a copy where data has it in pieces or encoded.
func Open(data []byte) ([]byte, error) {
	content, err := open(data)
	if err != nil {
		return nil, err
	}
	for range depth {
		inner, err := open(content)
		if errors.Is(err, ErrNone) {
			break
		}
		if err != nil {
			return nil, err
		}
		content = inner
	}
	return content, nil
}

func open(data []byte) ([]byte, error) {
	if len(data) > 0 && data[0] == sequence {
		return signedContent(data)
	}
	decoded, ok := decode(data)
	if !ok {
		return nil, ErrNone
	}
	return signedContent(decoded)
}

// decode reads base64 with line breaks, between the lines of PEM (RFC 7468) where there are some.
func decode(data []byte) ([]byte, bool) {
	data = bytes.TrimSpace(data)
	if bytes.HasPrefix(data, []byte("-----BEGIN ")) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
		data, _, _ = bytes.Cut(data, []byte("-----END "))
	}
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("M")) { // as base64 of a SEQUENCE begins
		return nil, false
	}
	plain := make([]byte, 0, len(data))
	for _, c := range data {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			plain = append(plain, c)
		}
	}
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(plain)))
	n, err := base64.StdEncoding.Decode(decoded, plain)
	if err != nil || n == 0 || decoded[0] != sequence {
		return nil, false
	}
	return decoded[:n], true
}
