package seal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// open makes a Sealer of keys.
func open(t testing.TB, keys ...string) *Sealer {
	t.Helper()
	s, err := Open(Config{Key: strings.Join(keys, ",")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealedBytesOpenForTheirRowAlone(t *testing.T) {
	s := open(t, NewKey())
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		row, other := rapid.String().Draw(t, "row"), rapid.String().Draw(t, "other")
		sealed := s.Seal(plain, row)
		if got, err := s.Open(sealed, row); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("opened %x, error %v, want %x", got, err, plain)
		}
		if _, err := s.Open(sealed, other); other != row && !errors.Is(err, ErrDamaged) {
			t.Fatalf("opened for another row: error %v", err)
		}
		if len(plain) >= 8 && bytes.Contains(sealed, plain) {
			t.Fatal("the plain text stands in the sealed one")
		}
		if bytes.Equal(sealed, s.Seal(plain, row)) {
			t.Fatal("sealing twice gives the same bytes")
		}
	})
}

func TestEveryChangedBitIsNoticed(t *testing.T) {
	s := open(t, NewKey())
	sealed := s.Seal([]byte("answer"), "row")
	for bit := range len(sealed) * 8 {
		changed := bytes.Clone(sealed)
		changed[bit/8] ^= 1 << (bit % 8)
		if _, err := s.Open(changed, "row"); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnknownKey) {
			t.Fatalf("bit %d: error %v", bit, err)
		}
	}
	for n := range sealed {
		if _, err := s.Open(sealed[:n], "row"); !errors.Is(err, ErrDamaged) {
			t.Fatalf("first %d bytes: error %v, want ErrDamaged", n, err)
		}
	}
}

func TestOldKeysOpenAndTheFirstSeals(t *testing.T) {
	oldKey, newKey := NewKey(), NewKey()
	before, rotated, after := open(t, oldKey), open(t, newKey, oldKey), open(t, newKey)
	early, late := before.Seal([]byte("early"), "row"), rotated.Seal([]byte("late"), "row")
	for name, c := range map[string]struct {
		sealer *Sealer
		sealed []byte
		want   string
		err    error
	}{
		"early during the rotation": {rotated, early, "early", nil},
		"late during the rotation":  {rotated, late, "late", nil},
		"late after it":             {after, late, "late", nil},
		"early after it":            {after, early, "", ErrUnknownKey},
		"late with the old key":     {before, late, "", ErrUnknownKey},
	} {
		if got, err := c.sealer.Open(c.sealed, "row"); string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	s := open(f, strings.Repeat("A", 43)+"=")
	f.Add(s.Seal([]byte("answer"), "row"))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if _, err := s.Open(sealed, "fuzz"); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnknownKey) {
			t.Fatalf("opened what was not sealed for this row: error %v", err)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	s, plain := open(b, NewKey()), make([]byte, 8<<10)
	b.SetBytes(int64(len(plain)))
	for b.Loop() {
		s.Seal(plain, "row")
	}
}
