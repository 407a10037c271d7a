package block_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// weighed is a context that measures the memory in use each time that so many have asked whether it has ended.
type weighed struct {
	context.Context
	asked, every int
	most         uint64
}

func (w *weighed) Err() error {
	if w.asked++; w.asked%w.every == 0 {
		w.most = max(w.most, inUse())
	}
	return nil
}

// inUse is how many bytes are in use, without what is only to be collected.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// longTexts are texts of n bytes, each of which once took another part of the setter's memory.
func longTexts(n int) map[string]string {
	r := rand.New(rand.NewPCG(1, 2))
	var words, ideographs strings.Builder
	for words.Len() < n {
		for range 3 + r.IntN(8) {
			words.WriteByte(byte('a' + r.IntN(26)))
		}
		words.WriteByte(' ')
	}
	for ideographs.Len() < n {
		ideographs.WriteRune(rune(0x4E00 + r.IntN(3000)))
	}
	return map[string]string{
		"ever other words": words.String(), "short words": strings.Repeat("ab ", n/3), "one word": strings.Repeat("abcdefghij", n/10),
		"ideographs": ideographs.String(), "Arabic": strings.Repeat("فاتورة رقم ", n/20),
	}
}

// showing is a page with the text a of the data.
const showing = `{"type":"text","data":{"content":"{{a}}","fontSize":8}}`

func containing(t testing.TB, text string) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]string{"a": text})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRender_HoldsLittleMoreThanALongText ensures that neither the glyphs of a long text nor its lines are held, but what stands on one page: most of
// what is left are caches and the file. It is not parallel, since it measures what all hold.
func TestRender_HoldsLittleMoreThanALongText(t *testing.T) {
	const size, most = 1 << 20, 24 << 20
	for name, text := range longTexts(size) {
		if testing.Short() && name != "short words" && name != "one word" {
			continue
		}
		parsed, err := block.Parse(with(showing))
		if err != nil {
			t.Fatal(err)
		}
		in := input(t, containing(t, text))
		ctx := &weighed{Context: t.Context(), every: 60}
		before := inUse()
		if _, err := parsed.Render(ctx, in); err != nil {
			t.Fatal(name, err)
		}
		if ctx.most > before+most {
			t.Errorf("%s: %.1f MiB for one of text", name, float64(ctx.most-before)/(1<<20))
		}
	}
}

// TestRender_HoldsLittleOfManyTexts ensures the same for texts that are each short: all rows of a summary are laid out before the first is drawn.
func TestRender_HoldsLittleOfManyTexts(t *testing.T) {
	parsed, err := block.Parse(with(`{"type":"summary","data":{"dynamicRows":{"dataSource":"rows","valueField":"v","labelTemplate":"{{a}}"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	words := longTexts(1 << 20)["ever other words"]
	var rows []map[string]string
	for i := 0; i+2048 <= len(words); i += 2048 {
		rows = append(rows, map[string]string{"a": words[i : i+2048], "v": "1"})
	}
	data, err := json.Marshal(map[string]any{"rows": rows})
	if err != nil {
		t.Fatal(err)
	}
	in, ctx := input(t, data), &weighed{Context: t.Context(), every: 60}
	before := inUse()
	if _, err := parsed.Render(ctx, in); err != nil {
		t.Fatal(err)
	}
	if ctx.most > before+32<<20 {
		t.Errorf("%.1f MiB for one of texts", float64(ctx.most-before)/(1<<20))
	}
}

func BenchmarkRender_LongText(b *testing.B) {
	for name, text := range longTexts(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				render(b, with(showing), containing(b, text))
			}
		})
	}
}
