package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"
)

// TestDecodeInPlace_IsThatOfTheStandardLibrary ensures that texts of any number of pieces give the bytes, or the failure, that they give as a whole.
func TestDecodeInPlace_IsThatOfTheStandardLibrary(t *testing.T) {
	piece := strings.Repeat("QUJD", decodedPiece/4)
	texts := []string{"", "QQ==", "QUI=", "QUJD", piece, piece + "QQ==", piece + piece + "QUI=", piece[4:] + "QQ==", piece[4:] + "QQ==" + "QUJD", piece + "QQ==" + piece, piece + "Q", piece + "?UJD" + piece}
	for _, text := range texts {
		want, failure := base64.StdEncoding.DecodeString(text)
		got := []byte(text)
		n, err := decodeInPlace(t.Context(), got)
		if (err == nil) != (failure == nil) || err == nil && !bytes.Equal(got[:n], want) {
			t.Errorf("%d bytes ending in %.8q: %d bytes, %v; want %d, %v", len(text), text[max(0, len(text)-8):], n, err, len(want), failure)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if n, err := decodeInPlace(ended, []byte(piece+piece)); n != 0 || err != nil {
		t.Errorf("with a context that has ended %d bytes were decoded, %v", n, err)
	}
}
