// Package answers gives answers and refusals the form that the contract has for them: the encoding, and for refusals a status and a
// body. The API, runs of jobs and the command line answer in it alike.
package answers

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encoding is how every answer is written: no null arrays, and text that is not UTF-8 (it can only come from a path or a
// file name) is replaced instead of failing the answer.
var encoding = json.JoinOptions(jsontext.AllowInvalidUTF8(true), json.FormatNilSliceAsNull(false))

// JSON gives v as every answer is written: without null arrays, and with text that is not UTF-8 replaced. It panics on values that
// have no JSON form, which are a mistake in this program.
func JSON(v any) []byte {
	b, err := json.Marshal(v, encoding)
	if err != nil {
		panic(err)
	}
	return b
}

// member is one member of a JSON object that is written in a given order.
type member struct {
	name  string
	value any
}

// object gives an object with the members in their order.
func object(members []member) []byte {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			buf.WriteByte(',')
		}
		buf.Write(JSON(m.name))
		buf.WriteByte(':')
		buf.Write(JSON(m.value))
	}
	buf.WriteByte('}')
	return buf.Bytes()
}
