package pdffile

import (
	"bytes"
	"compress/lzw"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// opened is a file that has nothing but a catalog.
func opened(t *testing.T) *File {
	t.Helper()
	f, err := Open(context.Background(), []byte("%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// object reads an object from text.
func object(t *testing.T, text string) Object {
	t.Helper()
	s := &scanner{data: []byte(text), spend: func(int) error { return nil }}
	o, err := s.object(0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// lzwOf compresses with the codes that the standard library writes, which do not become longer early.
func lzwOf(data []byte) string {
	var out bytes.Buffer
	w := lzw.NewWriter(&out, lzw.MSB, 8)
	_, _ = w.Write(data) // a buffer takes everything
	_ = w.Close()
	return out.String()
}

// TestDecode has a row for each filter, with what it is given and what it gives.
func TestDecode(t *testing.T) {
	f := opened(t)
	long := []byte(strings.Repeat("invoice and line ", 3_000))
	for _, row := range []struct{ dict, raw, want string }{
		{"<<>>", "as it is", "as it is"},
		{"<</Filter/ASCIIHexDecode>>", "48 65 6C6c6F 7>", "Hellop"},
		{"<</Filter[/A85]>>", "<~87cURD]i,\"Ebo80~>", "Hello World!"},
		{"<</Filter/RL>>", "\x02abc\xFEx\x80rest", "abcxxx"},
		{"<</Filter/LZWDecode>>", "\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01", "-----A---B"}, // the example of ISO 32000-1 §7.4.4.2
		{"<</Filter/LZWDecode/DecodeParms<</EarlyChange 0>>>>", lzwOf(long), string(long)},
		{"<</Filter[/AHx/A85]>>", "3837635552445D692C2245626F383020>", "Hello World!"},
		{"<</Filter[/AHx]/DecodeParms[<</Predictor 12>>]>>", "0241>", "\x02A"}, // only the filters that compress have predictors
		{"<</Filter[/RL/LZW]/DecodeParms[null<</Predictor 1>>]>>", "\x08\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01\x80", "-----A---B"},
	} {
		got, err := f.Decode(&Stream{Dict: object(t, row.dict).(Dict), raw: []byte(row.raw)}, 1<<20)
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %.60q, %v, want %.60q", row.dict, got, err, row.want)
		}
	}
}

// TestDecode_Refuses ensures that what cannot be decoded, or becomes too long, is an error.
func TestDecode_Refuses(t *testing.T) {
	f := opened(t)
	for _, row := range []struct {
		dict, raw string
		want      error
	}{
		{"<</Filter/JPXDecode>>", "", ErrFilter},
		{"<</Filter/FlateDecode>>", "", ErrFilter},
		{"<</Filter/FlateDecode>>", "x\x9c\xFF\xFF", ErrFilter},
		{"<</Filter/A85>>", "vw~>", ErrFilter},
		{"<</Filter/LZW>>", "\x80\x7F\xFF", ErrFilter},
		{"<</Filter/RL>>", strings.Repeat("\x81x", 100), ErrLimit},
		{"<</Filter/LZW/DecodeParms<</EarlyChange 0>>>>", lzwOf(make([]byte, 1<<16)), ErrLimit},
		{"<<>>", strings.Repeat("x", 2_000), ErrLimit},
		{"<</Filter[/AHx/AHx/AHx/AHx/AHx/AHx/AHx/AHx/AHx]>>", "", ErrFilter},
	} {
		if got, err := f.Decode(&Stream{Dict: object(t, row.dict).(Dict), raw: []byte(row.raw)}, 1_000); !errors.Is(err, row.want) {
			t.Errorf("%s: %.60q, %v, want %v", row.dict, got, err, row.want)
		}
	}
}

// TestUnpredict ensures that each predictor gives the rows back.
func TestUnpredict(t *testing.T) {
	f := opened(t)
	for _, row := range []struct{ dict, data, want string }{
		{"<<>>", "abc", "abc"},
		{"<</Predictor 2/Columns 3>>", "\x01\x01\x01\x05\x01\xFF", "\x01\x02\x03\x05\x06\x05"},
		{"<</Predictor 15/Columns 3>>", "\x00\x01\x02\x03\x01\x01\x01\x01\x02\x01\x01\x01\x03\x01\x01\x01\x04\x01\x01\x01",
			"\x01\x02\x03\x01\x02\x03\x02\x03\x04\x02\x03\x04\x03\x04\x05"},
		{"<</Predictor 11/Colors 2/Columns 2>>", "\x01\x01\x02\x03\x04", "\x01\x02\x04\x06"},
	} {
		got, err := f.unpredict([]byte(row.data), object(t, row.dict).(Dict))
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %q, %v, want %q", row.dict, got, err, row.want)
		}
	}
	for _, dict := range []string{"<</Predictor 15/Columns 99999999>>", "<</Predictor 2/BitsPerComponent 4>>", "<</Predictor 12>>"} {
		if _, err := f.unpredict([]byte("\x09\x09"), object(t, dict).(Dict)); !errors.Is(err, ErrFilter) {
			t.Errorf("%s: %v", dict, err)
		}
	}
}

// TestUnpredict_TakesNoMoreMemoryThanData ensures that rows which are said to be long cost nothing where there is nothing in them.
func TestUnpredict_TakesNoMoreMemoryThanData(t *testing.T) {
	f, parameters := opened(t), Dict{"Predictor": Integer(15), "Columns": Integer(maxColumns), "Colors": Integer(maxColors), "BitsPerComponent": Integer(16)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		if data, err := f.unpredict([]byte("\x02abc"), parameters); err != nil || string(data) != "abc" {
			t.Fatalf("%q, %v", data, err)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("%d bytes of memory for 40 of data", taken)
	}
}
