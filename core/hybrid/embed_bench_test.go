package hybrid

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// longPDF is a file of so many bytes, whose pages each have a stream of so many.
func longPDF(size, perPage int) []byte {
	var b bytes.Buffer
	b.Grow(size + size/8)
	offsets := []int{0, 0, 0}
	object := func(body string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n", len(offsets)-1)
		fmt.Fprintf(&b, body, args...)
		b.WriteString("\nendobj\n")
	}
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	data := bytes.Repeat([]byte("0 0 m 9 9 l S\n"), perPage/14+1)[:perPage]
	var kids bytes.Buffer
	for b.Len() < size {
		object("<</Length %d>>stream\n%s\nendstream", len(data), data)
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Resources<<>>/Contents %d 0 R>>", len(offsets)-1)
		fmt.Fprintf(&kids, "%d 0 R ", len(offsets)-1)
	}
	offsets[1] = b.Len()
	b.WriteString("1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n")
	offsets[2] = b.Len()
	fmt.Fprintf(&b, "2 0 obj\n<</Type/Pages/Count %d/Kids[%s]>>\nendobj\n", len(offsets)/2-1, &kids)
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets))
	for _, offset := range offsets[1:] {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/ID[<01><01>]>>\nstartxref\n%d\n%%%%EOF\n", len(offsets), at)
	return b.Bytes()
}

// BenchmarkEmbed embeds into long carriers, of few large objects and of many small ones, with the digest of the result; pdfcpu's way to add an
// attachment stands beside it.
func BenchmarkEmbed(b *testing.B) {
	for _, kind := range []struct {
		name          string
		size, perPage int
	}{{"64MB-images", 64 << 20, 512 << 10}, {"64MB-text", 64 << 20, 2_700}, {"1MB-text", 1 << 20, 2_700}} {
		carrier := longPDF(kind.size, kind.perPage)
		b.Run(kind.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(carrier)))
			for b.Loop() {
				d, err := Open(context.Background(), carrier)
				if err != nil {
					b.Fatal(err)
				}
				added, err := d.Embed(sample)
				if err != nil {
					b.Fatal(err)
				}
				hash := sha256.New()
				hash.Write(carrier)
				hash.Write(added)
				hash.Sum(nil)
			}
		})
		b.Run(kind.name+"-pdfcpu", func(b *testing.B) {
			api.DisableConfigDir()
			b.ReportAllocs()
			b.SetBytes(int64(len(carrier)))
			for b.Loop() {
				file, err := api.ReadContext(bytes.NewReader(carrier), model.NewDefaultConfiguration())
				if err != nil {
					b.Fatal(err)
				}
				if err := file.AddAttachment(model.Attachment{Reader: bytes.NewReader(sample.XML), ID: sample.Name, FileName: sample.Name}, false); err != nil {
					b.Fatal(err)
				}
				if err := api.WriteContext(file, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
