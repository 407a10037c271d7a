package pdffile

import (
	"errors"
	"testing"
)

// FuzzObject ensures that any text is an object or an error of the scanner.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{"<</A[1 0 R(x\\051)<48>]/B#20 -1.5>>", "(open", "[1 stray 2]", "<</A 1 0 R 0 R>>", "%c\r99999999999999999999"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &scanner{data: text, spend: func(int) error { return nil }}
		if _, err := s.object(0); err != nil && !errors.Is(err, errSyntax) && !errors.Is(err, errDeep) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// FuzzDecode ensures that the data of any stream is decoded within its limit, or refused with a reason.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("<</Filter[/AHx/A85]>>"), []byte("3837635552445D692C2245626F383020>"))
	f.Add([]byte("<</Filter/LZWDecode/DecodeParms<</EarlyChange 0/Predictor 12/Columns 2>>>>"), []byte("\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01"))
	f.Add([]byte("<</Filter/FlateDecode/DecodeParms[<</Predictor 2/Colors 3/BitsPerComponent 4>>]>>"), []byte("x\x9cKLJ\x06\x00\x02M\x01\x27"))
	f.Add([]byte("<</Filter[/RL/Fl]>>"), []byte("\x02abc\xFEx\x80"))
	f.Fuzz(func(t *testing.T, dict, raw []byte) {
		s := &scanner{data: dict, spend: func(int) error { return nil }}
		o, err := s.object(0)
		d, isDict := o.(Dict)
		if err != nil || !isDict {
			return
		}
		const most = 1 << 16
		data, err := opened(t).Decode(&Stream{Dict: d, raw: raw}, most)
		if err != nil && !errors.Is(err, ErrFilter) && !errors.Is(err, ErrLimit) {
			t.Errorf("%q: %v", dict, err)
		}
		if err == nil && len(data) > most {
			t.Errorf("%q: %d bytes", dict, len(data))
		}
	})
}
