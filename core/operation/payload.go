package operation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// payloadHash is the SHA-256 of the canonical JSON of the member invoice of a request (supplement §1b): keys sorted, no white space, numbers
// as exact decimals without trailing zeros. The request was decoded before, so it is JSON.
func payloadHash(body []byte) string {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	if _, err := dec.ReadToken(); err != nil {
		return ""
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		if name.String() != "invoice" {
			if dec.SkipValue() != nil {
				return ""
			}
			continue
		}
		sum := sha256.Sum256(canonical(nil, dec))
		return hex.EncodeToString(sum[:])
	}
	return ""
}

// canonical appends the next value in its canonical form.
func canonical(to []byte, dec *jsontext.Decoder) []byte {
	switch dec.PeekKind() {
	case '{':
		return canonicalObject(to, dec)
	case '[':
		_, _ = dec.ReadToken() // it was peeked at
		to = append(to, '[')
		for i := 0; dec.PeekKind() != ']' && dec.PeekKind() != 0; i++ {
			if i > 0 {
				to = append(to, ',')
			}
			to = canonical(to, dec)
		}
		_, _ = dec.ReadToken()
		return append(to, ']')
	}
	value, err := dec.ReadValue()
	switch {
	case err != nil:
		return to // it was decoded before
	case value.Kind() == '"':
		return quoted(to, unquoted(value))
	case value.Kind() == '0':
		return append(to, canonicalNumber(value)...)
	}
	return append(to, value...)
}

// canonicalObject sorts the members by the bytes of their names.
func canonicalObject(to []byte, dec *jsontext.Decoder) []byte {
	_, _ = dec.ReadToken() // it was peeked at
	members := map[string][]byte{}
	for dec.PeekKind() == '"' {
		name, _ := dec.ReadValue()
		key := unquoted(name)
		members[key] = canonical(nil, dec)
	}
	_, _ = dec.ReadToken()
	to = append(to, '{')
	for i, key := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(append(quoted(to, key), ':'), members[key]...)
	}
	return append(to, '}')
}

func unquoted(value jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, value) // it was decoded before
	return string(text)
}

func quoted(to []byte, text string) []byte {
	out, _ := jsontext.AppendQuote(to, text) // what is no UTF-8 was refused before
	return out
}

// canonicalNumber is a number as an exact decimal; one that is beyond all amounts stays as it is.
func canonicalNumber(value jsontext.Value) string {
	d, err := decimal.ParseJSON(value)
	if err != nil {
		return string(value)
	}
	text := d.Trim().String()
	if strings.Trim(text, "-0.") == "" {
		return "0"
	}
	return text
}
