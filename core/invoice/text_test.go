package invoice

import (
	"encoding/base64"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDatesAreThoseOfTheCalendar(t *testing.T) {
	for _, good := range []string{"2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2026-11-30"} {
		if !Date(good).Valid() {
			t.Errorf("%s is a date", good)
		}
	}
	for _, bad := range []string{
		"", "2023-02-29", "1900-02-29", "2026-02-30", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "0000-01-01",
		"2026-1-1", "20261120", "2026/11/20", "20.11.2026", "2026-11-20T00:00:00Z", "2026-11-2x", "+026-11-20", "２026-11-20",
	} {
		if Date(bad).Valid() {
			t.Errorf("%s is no date", bad)
		}
	}
}

func TestDatesAgreeWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]`).Draw(t, "date")
		if _, err := time.Parse(time.DateOnly, s); (err == nil) != Date(s).Valid() {
			t.Fatalf("%s: %v", s, err)
		}
	})
}

func TestBase64AgreesWithTheStandardLibrary(t *testing.T) {
	texts := rapid.OneOf(
		rapid.StringMatching(`[A-Za-z0-9+/]{0,9}={0,3}`),
		rapid.StringMatching(`[A-D+/=_ -]{0,9}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), base64.StdEncoding.EncodeToString),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := texts.Draw(t, "text")
		size, ok := base64Size([]byte(s))
		want, err := base64.StdEncoding.Strict().DecodeString(s)
		if ok != (err == nil) || ok && size != len(want) {
			t.Fatalf("%q: %d %v, want %d %v", s, size, ok, len(want), err)
		}
	})
	for _, spaced := range []string{"QUJD\n", "QUJD\r\nQUJD", " QUJD"} { // which the standard library ignores
		if _, ok := base64Size([]byte(spaced)); ok {
			t.Errorf("%q is not strict", spaced)
		}
	}
}

func TestExcerptsEndAtCharacters(t *testing.T) {
	long := "0123456789012345678901234567890123456789ä"
	if got := excerpt(long[:40]); got != long[:40] {
		t.Errorf("%q", got)
	}
	if got := excerpt("x" + long); got != "x012345678901234567890123456789012345678…" {
		t.Errorf("%q", got)
	}
	if got := excerpt(long[:39] + "ä" + long); got != long[:39]+"…" {
		t.Errorf("%q", got)
	}
}
