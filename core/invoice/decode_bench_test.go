package invoice

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
)

func BenchmarkDecode(b *testing.B) {
	large := bodyJSON(25_000)
	readers := map[string]func([]byte) error{
		"ours": func(body []byte) error {
			_, findings, err := Decode(body, Options{})
			if len(findings) > 0 {
				b.Fatal(findings)
			}
			return err
		},
		"json v2":       func(body []byte) error { return jsonv2.Unmarshal(body, new(GenerateBody)) },
		"encoding json": func(body []byte) error { return json.Unmarshal(body, new(GenerateBody)) },
	}
	for name, read := range readers {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(large)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(large); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecodeTwentyLines(b *testing.B) {
	body := bodyJSON(20)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, findings, err := Decode(body, Options{}); err != nil || len(findings) > 0 {
			b.Fatal(findings, err)
		}
	}
}

func BenchmarkDecodeLargeAttachment(b *testing.B) {
	content := base64.StdEncoding.EncodeToString(make([]byte, 30<<20))
	body := append([]byte(`{"invoiceNumber":"1","attachments":[{"filename":"a","mimeType":"b","content":"`), content...)
	body = append(body, `"}]}`...)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := DecodeInvoice(body, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLeaves(b *testing.B) {
	body, _, err := Decode(bodyJSON(25_000), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for range Leaves(body.Invoice) {
		}
	}
}
