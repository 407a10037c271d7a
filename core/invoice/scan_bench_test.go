package invoice

import (
	"bytes"
	"testing"
)

func BenchmarkScan(b *testing.B) {
	inputs := map[string][]byte{
		"lines": bodyJSON(25_000),
		"empty": append([]byte(`{"items":[{}`), bytes.Repeat([]byte(",{}"), 4<<20)...),
		"blob":  append([]byte(`{"invoice":{"attachments":[{"content":"`), bytes.Repeat([]byte("QUJD"), 4<<20)...),
	}
	for name, input := range inputs {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				s := NewScanner(Limits{})
				for rest := input; len(rest) > 0; {
					n := min(32<<10, len(rest))
					s.Write(rest[:n])
					rest = rest[n:]
				}
			}
		})
	}
}
