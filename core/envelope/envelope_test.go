package envelope

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
	"testing"
)

// tlv is an element of BER of definite length.
func tlv(tag byte, content ...string) string {
	body := strings.Join(content, "")
	switch n := len(body); {
	case n < 0x80:
		return string([]byte{tag, byte(n)}) + body
	case n < 0x100:
		return string([]byte{tag, 0x81, byte(n)}) + body
	default:
		return string([]byte{tag, 0x82, byte(n >> 8), byte(n)}) + body
	}
}

// open ended is one of indefinite length.
func endless(tag byte, content ...string) string {
	return string([]byte{tag, 0x80}) + strings.Join(content, "") + "\x00\x00"
}

const dataType = "\x2A\x86\x48\x86\xF7\x0D\x01\x07\x01"

// signed is an envelope around the element that holds the content.
func signed(of func(byte, ...string) string, held ...string) string {
	return of(sequence, tlv(objectID, string(signedData)), of(explicit, of(sequence, tlv(integer, "\x01"), tlv(set), of(sequence, append([]string{tlv(objectID, dataType)}, held...)...),
		tlv(set, tlv(sequence, "signature")))))
}

const document = `<?xml version="1.0"?><Invoice>…</Invoice>`

// TestOpen ensures that documents come out of every form of envelope, whole.
func TestOpen(t *testing.T) {
	der := signed(tlv, tlv(explicit, tlv(octets, document)))
	for name, data := range map[string]string{
		"DER":                        der,
		"long content":               signed(tlv, tlv(explicit, tlv(octets, document+strings.Repeat(" ", 300)))),
		"BER of indefinite length":   signed(endless, endless(explicit, endless(octetsPieces, tlv(octets, document[:10]), tlv(octets, document[10:])))),
		"base64":                     base64.StdEncoding.EncodeToString([]byte(der)),
		"base64 in lines":            "\n" + base64.StdEncoding.EncodeToString([]byte(der))[:60] + "\r\n" + base64.StdEncoding.EncodeToString([]byte(der))[60:] + "\n",
		"PEM":                        string(pem.EncodeToMemory(&pem.Block{Type: "PKCS7", Bytes: []byte(der)})),
		"an envelope in an envelope": signed(tlv, tlv(explicit, tlv(octets, der))),
	} {
		got, err := Open([]byte(data))
		if err != nil || strings.TrimRight(string(got), " ") != document {
			t.Errorf("%s: %v %q", name, err, got)
		}
	}
}

// TestOpen_Refuses ensures that what is no envelope is told from an envelope that is broken.
func TestOpen_Refuses(t *testing.T) {
	der := signed(tlv, tlv(explicit, tlv(octets, document)))
	for name, c := range map[string]struct {
		data string
		none bool
	}{
		"nothing":                {"", true},
		"XML":                    {document, true},
		"text that is base64":    {"MANY", true},
		"another type":           {tlv(sequence, tlv(objectID, dataType)), true},
		"cut off":                {der[:40], true},
		"a detached signature":   {signed(tlv), false},
		"a content that is none": {signed(tlv, tlv(explicit, tlv(integer, "\x01"))), false},
		"no end":                 {strings.TrimRight(signed(endless, endless(explicit, endless(octetsPieces, tlv(octets, document)))), "\x00"), true},
		"nested too deep":        {strings.Repeat("\x30\x80", 1000), true},
	} {
		if got, err := Open([]byte(c.data)); err == nil || errors.Is(err, ErrNone) != c.none {
			t.Errorf("%s: %v %q", name, err, got)
		}
	}
}

// FuzzOpen ensures that no bytes crash it, and that what comes out is not larger than what went in.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(signed(tlv, tlv(explicit, tlv(octets, document)))))
	f.Add([]byte(signed(endless, endless(explicit, endless(octetsPieces, tlv(octets, document))))))
	f.Add([]byte("MIIB"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := Open(data); err == nil && len(got) > len(data) {
			t.Errorf("%d bytes out of %d", len(got), len(data))
		}
	})
}
