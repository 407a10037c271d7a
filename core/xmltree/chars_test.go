package xmltree

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestTheFirstIllegalByteIsFound compares the check of eight bytes at a time with one of a character at a time.
func TestTheFirstIllegalByteIsFound(t *testing.T) {
	characters := []string{"a", "<", "\n", "\r\n", "\t", " ", "0123456789", "é", "日本語", "\uE000", "\uFFFD", "\U00010000", "\u0800", "\uD7FF"}
	wrong := []string{"\x00", "\x0B", "\x1F", "\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\uFFFE", "\xE3\x81", "\xF4\x90\x80\x80"}
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(0, 12).Draw(t, "parts") {
			text = append(text, rapid.SampledFrom(characters).Draw(t, "character")...)
		}
		if rapid.Bool().Draw(t, "wrong") {
			text = append(text, rapid.SampledFrom(wrong).Draw(t, "illegal")...)
			text = append(text, "and more text after it"...)
		}
		want := -1
		for i := 0; i < len(text) && want < 0; {
			r, size := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && size == 1 || !legalRune(r) {
				want = i
			}
			i += size
		}
		if got := firstIllegal(text); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	})
}
