package block

import (
	"errors"
	"strconv"
	"testing"

	"github.com/einvoiced/einvoiced/core/qrcode"
)

// TestCodes_AreMadeOnceForADocument ensures that what a header shows on each page is not encoded for each, and that no number of texts makes
// a document remember more than so many.
func TestCodes_AreMadeOnceForADocument(t *testing.T) {
	t.Parallel()
	c := codes{}
	of := func(text, level string) *qrcode.Code {
		code, err := c.of(text, level)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	first := of("a", "M")
	if of("a", "M") != first || of("a", "H") == first || of("b", "M") == first {
		t.Error("a code is made anew for the same text and level, or shared by others")
	}
	for i := range maxCodes + 10 {
		of(strconv.Itoa(i), "L")
	}
	if len(c) != maxCodes || of("a", "M") != first {
		t.Errorf("%d codes are remembered", len(c))
	}
	if _, err := c.of(string(make([]byte, 3000)), "L"); !errors.Is(err, qrcode.ErrTooLong) {
		t.Errorf("%v", err)
	}
}
