package xmltree

import (
	"bytes"
	"errors"
	"strings"
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

// TestTheFirstMalformedByteIsFound compares the check of what is not of ASCII with that of everything.
func TestTheFirstMalformedByteIsFound(t *testing.T) {
	characters := []string{"a", "\n", "0123456789", "0123456789012345678901234567890123456789", "é", "日本語", "\uE000", "\uFFFD", "\U00010000", "\u0800", "\uD7FF"}
	wrong := []string{"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\uFFFE", "\xE3\x81", "\xC3", "\xF4\x90\x80\x80"}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(characters), 0, 12).Draw(t, "characters"), ""))
		if rapid.Bool().Draw(t, "wrong") {
			text = append(text, rapid.SampledFrom(wrong).Draw(t, "malformed")...)
			text = append(text, rapid.SampledFrom(characters).Draw(t, "rest")...)
		}
		if got, want := firstMalformed(text), firstIllegal(text); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
		withControl := append([]byte("\x00"), text...)
		if got, want := firstMalformed(withControl), firstIllegal(text); got != want+min(want+1, 1) {
			t.Fatalf("%q: %d, want %d", withControl, got, want)
		}
	})
}

// TestTheEndsOfTextAndCommentsAreFound compares looking at eight bytes at a time with looking at each.
func TestTheEndsOfTextAndCommentsAreFound(t *testing.T) {
	pieces := []string{"a", "-", "--", ",", "-,-", "<", ">", "&", "]", "\x00", "\x1F", "\n", "\t", "\r", " ", "é", "\x7F", "012345678"}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "text"), ""))
		i := rapid.IntRange(0, len(text)).Draw(t, "from")
		want := i
		for want < len(text) && text[want] >= ' ' && !strings.ContainsRune("<>&", rune(text[want])) {
			want++
		}
		if got := textEnd(text, i); got != want {
			t.Fatalf("%q: text from %d ends at %d, want %d", text, i, got, want)
		}
		want = i
		for want < len(text) && (text[want] >= ' ' || isSpace(text[want])) && !bytes.HasPrefix(text[want:], []byte("--")) {
			want++
		}
		if got := commentEnd(text, i); got != want {
			t.Fatalf("%q: a comment from %d ends at %d, want %d", text, i, got, want)
		}
	})
}

// TestIllegalCharactersAreRefusedWhereverTheyStand puts one into every place of a document, and one more error before it.
func TestIllegalCharactersAreRefusedWhereverTheyStand(t *testing.T) {
	src := "<?xml version='1.0'?>\n<!-- c -->\n<?p i?>\n<a b='1' c='&amp; '>\n <d>x</d><d>&lt;y\r\n</d>\n<![CDATA[ z ]]><e/>\n<f>\n</f></a>\n<?q?>\n"
	for _, bad := range []string{"\x00", "\x08", "\x1F", "\x80", "\uFFFE"} {
		for i := len("<?xml version='1.0'?>"); i <= len(src); i++ {
			for _, before := range []string{"", "</x>"} {
				at := len("<?xml version='1.0'?>")
				damaged := src[:at] + before + src[at:i] + bad + src[i:]
				_, err := Parse([]byte(damaged), Options{})
				refusal, ok := errors.AsType[*Error](err)
				if !ok || refusal.Code != IllegalCharacter && refusal.Code != EncodingError || refusal.Offset != i+len(before) {
					t.Fatalf("%q: %v, want a refusal of the character at %d", damaged, err, i+len(before))
				}
			}
		}
	}
}
