package api

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// member is one member of a JSON object that is written in a given order.
type member struct {
	name  string
	value any
}

// encoding is how every answer is written: no null arrays, and text that is not UTF-8 (it can only come from a path or a
// file name) is replaced instead of failing the answer.
var encoding = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.FormatNilSliceAsNull(false))

// encode gives v as JSON. It panics on values that have no JSON form, which are a mistake in this program.
func encode(v any) []byte {
	b, err := json.Marshal(v, encoding)
	if err != nil {
		panic(err)
	}
	return b
}

// encodeObject gives an object with the members in their order.
func encodeObject(members []member) []byte {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			buf.WriteByte(',')
		}
		buf.Write(encode(m.name))
		buf.WriteByte(':')
		buf.Write(encode(m.value))
	}
	buf.WriteByte('}')
	return buf.Bytes()
}
